// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/expression.hpp"

// The C++ text of an expression for one way to walk its arrays, its function named
// kSymbol.
namespace gpuarray::source {

// What users' texts may name, after the kernel's header.
extern const char* const kNames;
// Of its function for the host.
inline constexpr const char* kExported = "__attribute__((visibility(\"default\"))) ";

// The text with its last line ended.
std::string lines(const std::string& text);

struct RowsVariant {
  int dims;      // axes that are walked, at least two
  bool vectors;  // see rows_expression in kernels/expression/expression.cuh
  bool wide;
};

// `raw` as in ExpressionPlan.
std::string flat(const Expression& expression, const std::string& raw);
std::string rows(const Expression& expression, const std::string& raw, const RowsVariant& variant);
// For the host compiler: void(const ExpressionRow&, const void* constants).
std::string host(const Expression& expression, const std::string& raw);

}  // namespace gpuarray::source
