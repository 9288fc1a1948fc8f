// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a user's expression passes to its kernel by value, besides scalars and raw
// arrays. The host learns the numbers of operands and axes at run time only: it writes the fields
// into a buffer one after the other; src/backend/cuda/expression.cpp checks that their order and
// padding match.
#pragma once

#include "kernels/elementwise/merged_params.hpp"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// The length of an array of `count` operands: an expression may have none, but C++ has no empty
// arrays.
template <int count>
inline constexpr int at_least_one = count > 0 ? count : 1;

// Holds the array operands of an expression, any number of which may be written. Scalars are no
// operands: they are passed beside them.
template <int Operands>
struct ExpressionOperands {
  uint32_t single;  // bit k: operand k is a single element, which every index reads
  uint32_t fresh;   // bit k: operand k is not initialised, so that its elements start as zero
  void* data[at_least_one<Operands>];
};

// What the flat walk of an expression takes.
template <int Operands>
struct FlatExpression {
  FlatHead head;
  ExpressionOperands<Operands> operands;
};

// What the other walks of an expression take: first the outer axes, then for tiles the axis
// `across`, last the columns. The number of axes is a constant of the compiled source, so that
// the parameters take just the bytes that they need.
template <class Head, int Operands, int Dims>
struct AxesExpression {
  Head head;
  AxisExtent outer[Dims - 1];  // extents of all axes but the columns
  ExpressionOperands<Operands> operands;
  int64_t strides[Operands][Dims];  // elements

  GPUARRAY_HD int64_t step(int k) const { return strides[k][Dims - 1]; }
  GPUARRAY_HD int64_t across_step(int k) const { return strides[k][Dims - 2]; }
};
template <int Operands, int Dims>
using RowsExpression = AxesExpression<RowsHead, Operands, Dims>;
template <int Operands, int Dims>
using TileExpression = AxesExpression<TileHead, Operands, Dims>;
template <int Operands, int Dims>
using MergedExpression = AxesExpression<MergedHead, Operands, Dims>;

// One row of an expression on the cpu device. Operand k begins at data[k] and steps by steps[k]
// elements.
struct ExpressionRow {
  char* const* data;
  const int64_t* steps;
  int64_t count;   // elements
  int64_t first;   // index of the first element in C order
  uint32_t fresh;  // bit k: operand k is not initialised, so that its elements start as zero
};

}  // namespace gpuarray
