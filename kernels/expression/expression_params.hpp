// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a user's expression passes to its kernel besides scalars and raw arrays. The
// host, which knows the numbers of operands and axes at run time only, writes it as it lies here.
#pragma once

#include "kernels/element/divisor.hpp"

namespace gpuarray {

struct FlatHead {
  int64_t size;
  int32_t head;      // elements before the first full vector of operand 0
  uint32_t aligned;  // bit k: operand k has full vectors from there on
  uint32_t single;   // bit k: operand k is one element, read everywhere
  uint32_t fresh;    // bit k: operand k holds nothing yet and begins as zero
};

// Of an expression without arrays, too.
template <int count>
inline constexpr int at_least_one = count > 0 ? count : 1;

// Every array is contiguous and walked in one dimension.
template <int Operands>
struct FlatExpression {
  FlatHead head;
  void* data[at_least_one<Operands>];
};

// An extent to divide by: 32 bits where that suffices.
struct AxisExtent {
  int64_t extent;
  Divisor divisor;
  uint32_t unused;
};

struct RowsHead {
  int64_t size;  // elements; the last row may be shorter
  int64_t columns;
  int64_t rows;
  int64_t blocks;
  AxisExtent row_blocks;  // blocks along a row
  int32_t log_width;      // a block is 2^log_width threads along a row, the others over rows
  uint32_t vectors;       // bit k: operand k is read and written by vectors
  uint32_t fresh;         // as in FlatHead
  uint32_t unused;
};

// Rows along the innermost of Dims axes, of any steps.
template <int Operands, int Dims>
struct RowsExpression {
  RowsHead head;
  AxisExtent outer[Dims - 1];
  void* data[at_least_one<Operands>];
  int64_t strides[at_least_one<Operands>][Dims];  // elements
};

// One row of memory: operand k begins at data[k] and steps by steps[k] elements.
struct ExpressionRow {
  char* const* data;
  const int64_t* steps;
  int64_t count;
  int64_t first;   // index of its first element, C order
  uint32_t fresh;  // bit k: operand k holds nothing yet and begins as zero
};

}  // namespace gpuarray
