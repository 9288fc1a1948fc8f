// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/expression.hpp"
#include "backend/path.hpp"

// Makes the C++ source of a kernel that computes an expression: one that walks over its operands,
// or a reduction or scan of the elements that it returns. The source's kernel is named kSymbol.
// `layouts` are those of the ArgumentBlock that the kernel receives.
namespace gpuarray::source {

// Returns the source for CUDA.
std::string cuda(const Expression& expression, const std::string& layouts, const Variant& variant);
// Returns the source for the host's compiler, of a function
// void(const ExpressionRow&, const void* constants).
std::string host(const Expression& expression, const std::string& layouts);

// How a reduction or scan takes the elements that an expression returns. Each parameter of the role
// `element` has a layout, too.
struct Taking {
  std::string algorithm;     // the C++ type of the reducer or scanner
  std::string declarations;  // of what this type names; they may use gpuarray_type
  DType element;
  int pack = 1;          // elements that are read together
  bool scans = false;    // whether it is a scan
  bool is_flat = false;  // whether no more than one axis is kept and one reduced
  // Whether the elements are computed in the places of a contiguous array, by its rows, and whether
  // an output has a column of them.
  bool by_rows = false;
  bool are_columns = false;
};

// Returns the source for CUDA.
std::string cuda(const Expression& expression, const std::string& layouts, const Taking& taking);
// Returns the source for the host's compiler, of a function void(const ReduceParams&, const void*
// constants), or of ScanParams.
std::string host(const Expression& expression, const std::string& layouts, const Taking& taking);

}  // namespace gpuarray::source
