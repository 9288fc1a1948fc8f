// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a user's expression passes to its kernel besides scalars and raw arrays. The
// host, which learns the numbers of operands and axes at run time only, writes the fields one after
// the other as they lie here.
#pragma once

#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// An expression may have no arrays, but C++ has no empty ones.
template <int count>
inline constexpr int at_least_one = count > 0 ? count : 1;

// The operands of an expression, of which any number is written. Scalars are no operands, but
// constants of the text.
template <int Operands>
struct ExpressionOperands {
  uint32_t single;  // bit k: operand k is one element in memory, read everywhere
  uint32_t fresh;   // bit k: operand k holds nothing yet and begins as zero
  void* data[at_least_one<Operands>];
};

template <int Operands>
struct FlatExpression {
  FlatHead head;
  ExpressionOperands<Operands> operands;
};

// A walk over Dims axes: the outer ones, then for tiles the one across, then the columns. Their
// number is a constant of the compiled text, so that its parameters take just the bytes they need.
template <class Head, int Operands, int Dims>
struct AxesExpression {
  Head head;
  AxisExtent outer[Dims - 1];  // of all axes but the columns
  ExpressionOperands<Operands> operands;
  int64_t strides[Operands][Dims];  // elements

  GPUARRAY_HD int64_t step(int k) const { return strides[k][Dims - 1]; }
  GPUARRAY_HD int64_t across_step(int k) const { return strides[k][Dims - 2]; }
};
template <int Operands, int Dims>
using RowsExpression = AxesExpression<RowsHead, Operands, Dims>;
template <int Operands, int Dims>
using TileExpression = AxesExpression<TileHead, Operands, Dims>;

// One row of memory: operand k begins at data[k] and steps by steps[k] elements.
struct ExpressionRow {
  char* const* data;
  const int64_t* steps;
  int64_t count;
  int64_t first;   // index of its first element, C order
  uint32_t fresh;  // bit k: operand k holds nothing yet and begins as zero
};

}  // namespace gpuarray
