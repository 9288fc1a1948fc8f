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
  bool vectors = false;  // whether a thread takes several neighbouring elements at once
  bool wide = false;     // whether the numbers of rows or blocks need 64 bits
  uint32_t turned = 0;   // bit k: operand k is read along the axis across the innermost one
  bool is_long = false;  // whether rows are walked by kernels/expression/long_rows.cuh
  uint32_t units = 0;    // which takes for bit k that operand k steps by one element
  // Of expressions that reduce rows, as RowPlan of kernels/expression/reduced_rows.cuh.
  int lanes = 0, rounds = 0;
  bool held = false;
  uint32_t vector_operands = 0;
};

// Returns the source for CUDA. `raw` is that of ExpressionPlan, here and below.
std::string cuda(const Expression& expression, const std::string& raw, const Variant& variant);
// Returns the source for the host's compiler, of a function
// void(const ExpressionRow&, const void* constants).
std::string host(const Expression& expression, const std::string& raw);

}  // namespace gpuarray::source
