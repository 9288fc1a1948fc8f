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

// How a kernel walks the operands.
struct Variant {
  Path path;             // any but Path::any
  int dims = 0;          // axes that all but the flat walk have, at least two
  bool vectors = false;  // whether a thread takes several neighbouring elements at once
  bool wide = false;     // whether the numbers of rows or blocks need 64 bits
  uint32_t turned = 0;   // bit k: operand k is read along the axis across the innermost one
  bool is_long = false;  // whether rows are walked by kernels/expression/long_rows.cuh
  uint32_t units = 0;    // which takes for bit k that operand k steps by one element
  // Of expressions that reduce rows, as RowPlan of kernels/expression/reduced_rows.cuh.
  int lanes = 0, rounds = 0;
  bool held = false;
  // Of those, and of merged rows: bit k: operand k is accessed by vectors.
  uint32_t vector_operands = 0;
};

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
