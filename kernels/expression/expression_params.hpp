// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a user's expression passes to its kernel by value, besides scalars and raw
// arrays.
#pragma once

#include "kernels/elementwise/merged_params.hpp"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// Holds the array operands of an expression, any number of which may be written. Scalars are no
// operands: they are passed beside them.
template <int Operands>
struct ExpressionOperands {
  static constexpr int kCount = Operands;
  // The number of axes is a constant of the compiled source, so that the parameters take just the
  // bytes that they need and loops over the axes are unrolled.
  static constexpr bool kHasFixedAxes = true;

  uint32_t single;  // bit k: operand k is a single element, which every index reads
  uint32_t fresh;   // bit k: operand k is not initialised, so that its elements start as zero
  void* data[at_least_one<Operands>];
};

template <int Operands>
using FlatExpression = FlatBlock<ExpressionOperands<Operands>>;
template <int Operands, int Dims>
using RowsExpression = AxesBlock<RowsHead, ExpressionOperands<Operands>, Dims>;
template <int Operands, int Dims>
using TileExpression = AxesBlock<TileHead, ExpressionOperands<Operands>, Dims>;
template <int Operands, int Dims>
using MergedExpression = AxesBlock<MergedHead, ExpressionOperands<Operands>, Dims>;

// How an axis moves an operand that has a map: elements whose index is below `limit` lie `below`
// elements away from where the strides put them, the others `above`.
struct AxisMap {
  int64_t limit, below, above;
};

// What a walk over rows takes where `Maps` operands have maps, along all axes in order.
template <int Operands, int Dims, int Maps>
struct MappedExpression {
  using Rows = RowsExpression<Operands, Dims>;
  static constexpr int kDims = Dims;

  Rows rows;
  AxisMap maps[Dims][Maps];
};

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
