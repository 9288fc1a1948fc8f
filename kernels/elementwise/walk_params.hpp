// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How an element-wise launch walks its operands, as the kernel is told by value: the heads that the
// planner of walks makes (src/backend/cuda/paths.hpp), and the parameters of the operators'
// kernels, which begin with them. Those of users' expressions are in
// kernels/expression/expression_params.hpp.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/element/element.cuh"

namespace gpuarray {

// The flat walk: every array is contiguous and walked in one dimension.
struct FlatHead {
  int64_t size;
  int32_t head;      // elements before the first full vector of operand 0
  uint32_t aligned;  // bit k: operand k has full vectors from there on
};

// An extent that is divided by, in 32 bits where that suffices.
struct AxisExtent {
  int64_t extent;
  Divisor divisor;
  uint32_t unused;
};

// The rows walk: rows along the innermost axis, of any steps.
struct RowsHead {
  int64_t size;  // elements; the last row may be shorter
  int64_t columns;
  int64_t rows;
  int64_t blocks;         // that the walk takes; a grid of fewer blocks takes several each
  AxisExtent row_blocks;  // blocks along a row
  int32_t log_width;      // a block is 2^log_width threads along a row, the others over rows
  uint32_t vectors;  // bit k: operand k is accessed by vectors; 0: one element a thread and row
};

// The tile walk: tiles over the innermost axis (columns) and one along which some inputs take
// shorter steps (across).
struct TileHead {
  int64_t columns;
  int64_t across;
  Divisor column_tiles;
  int32_t log_group;      // 2^log_group neighbouring blocks lie along `across`
  Divisor across_groups;  // of as many tiles
  uint32_t unused;
};

// The operands of an operator: operand 0 is written, the others are read. An operand without data
// is the scalar of the same index.
template <int Operands>
struct OperatorOperands {
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

inline constexpr int kFewDims = 6;

// The outer axes of an operator's walk, the last the fastest. The number of axes is known at run
// time only, because one kernel built ahead serves them all; strides are in elements.
template <int Operands>
struct OuterAxes {
  int32_t ndim;
  Divisor extents[kFewDims - 1];  // the first is not divided by
  int64_t strides[Operands][kFewDims - 1];
};

template <int Operands>
struct FlatParams {
  FlatHead head;
  OperatorOperands<Operands> operands;
};

template <int Operands>
struct RowsParams {
  RowsHead head;
  int64_t steps[Operands];
  OuterAxes<Operands> outer;
  OperatorOperands<Operands> operands;

  GPUARRAY_HD int64_t step(int k) const { return steps[k]; }
};

template <int Operands>
struct TileParams {
  TileHead head;
  int64_t steps[Operands];         // along columns
  int64_t across_steps[Operands];  // along across
  OuterAxes<Operands> outer;
  OperatorOperands<Operands> operands;

  GPUARRAY_HD int64_t step(int k) const { return steps[k]; }
  GPUARRAY_HD int64_t across_step(int k) const { return across_steps[k]; }
};

}  // namespace gpuarray
