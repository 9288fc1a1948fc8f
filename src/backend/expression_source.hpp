// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/expression.hpp"

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

struct RowsVariant {
  int dims;      // how many axes are walked, at least two
  bool vectors;  // whether a thread takes several neighbouring elements of a row at once
  bool wide;     // whether rows or blocks are so many that their numbers take 64 bits
};

// The kernels for contiguous arrays, and for arrays of several axes. `raw` is that of an
// ExpressionPlan.
std::string flat(const Expression& expression, const std::string& raw);
std::string rows(const Expression& expression, const std::string& raw, const RowsVariant& variant);
// The function for the host's compiler: void(const ExpressionRow&, const void* constants).
std::string host(const Expression& expression, const std::string& raw);

}  // namespace gpuarray::source
