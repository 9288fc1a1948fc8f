// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/expression_headers.hpp"

#include <algorithm>
#include <string_view>

#include "backend/kernel_source.hpp"

namespace gpuarray::source {
namespace {

// The includes and using-declarations for names that users' texts may use. A preamble may include
// cuda_fp16.h, whose name `half` would be ambiguous with ours.
constexpr const char* kNames = R"(#define CUDA_NO_HALF
#include "kernels/element/cast.cuh"
#include "kernels/expression/raw_array.hpp"
using gpuarray::bfloat16;
using gpuarray::cast;
using gpuarray::complex;
using gpuarray::half;
)";
// Those for names of functions and for operators of complex numbers, which take as long to read as
// all others together.
constexpr const char* kMathNames = R"(#include "kernels/expression/operators.cuh"
namespace math = gpuarray::math;
)";

// Returns whether a text may use kMathNames: if it names them, or includes what might.
bool may_use_math(std::string_view text) {
  for (const char* name : {"math", "complex", "include"})
    if (text.find(name) != text.npos) return true;
  return false;
}

// Returns the texts of an expression, but for its name.
std::string all_texts(const Expression& expression, const std::string& declarations) {
  const ExpressionText& text = expression.text();
  std::string all = text.preamble + text.loop_prep + text.operation + text.after_loop;
  for (const RowReduction& reduction : text.reductions) all += reduction.operation;
  return all + declarations;
}

bool has_complex(const Expression& expression) {
  const auto is_complex = [](DType dtype) { return kind(dtype) == 'c'; };
  return std::ranges::any_of(expression.parameters(),
                             [&](const ExpressionParameter& parameter) {
                               return is_complex(parameter.dtype) || is_complex(parameter.memory);
                             }) ||
         std::ranges::any_of(expression.text().types,
                             [&](const auto& type) { return is_complex(type.second); });
}

}  // namespace

std::string names_for(const Expression& expression, const std::string& declarations) {
  const std::string texts = all_texts(expression, declarations);
  std::string source = kNames;
  if (has_complex(expression) || may_use_math(texts)) source += kMathNames;
  source += functors(texts);
  if (texts.find("gpuarray::opaque(") != texts.npos) source += include("expression/opaque.cuh");
  return source;
}

}  // namespace gpuarray::source
