// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/expression.hpp"
#include "backend/path.hpp"

// Makes the C++ source of an expression for one way to walk its arrays. The source's kernel is
// named kSymbol.
namespace gpuarray::source {

// The includes and using-declarations for names that users' texts may use. They follow the header
// of the kernel.
extern const char* const kNames;
// Makes the compiled function visible to dlsym.
inline constexpr const char* kExported = "__attribute__((visibility(\"default\"))) ";

// Returns the text with a newline at its end, unless it is empty.
std::string lines(const std::string& text);

// How a kernel walks the operands.
struct Variant {
  Path path;             // flat, rows or tile
  int dims = 0;          // axes that rows and tiles walk, at least two
  bool vectors = false;  // whether threads take vectors: see the walks in kernels/
  bool wide = false;
  uint32_t turned = 0;  // bit k: tiles of operand k are turned
};

// The text for CUDA. `raw` is that of ExpressionPlan, here and below.
std::string cuda(const Expression& expression, const std::string& raw, const Variant& variant);
// The text for the host compiler: void(const ExpressionRow&, const void* constants).
std::string host(const Expression& expression, const std::string& raw);

}  // namespace gpuarray::source
