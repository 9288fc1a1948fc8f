// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters of the fast element-wise walks (flat, rows and tile), which a launch passes to its
// kernel by value. Each begins with a head that the planner of walks fills
// (src/backend/cuda/paths.hpp). The structs here are those of operators; those of users'
// expressions are in kernels/expression/expression_params.hpp.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/element/element.cuh"

namespace gpuarray {

// Describes a flat walk, in which every array is contiguous and walked in one dimension.
struct FlatHead {
  int64_t size;      // elements
  int32_t head;      // elements before the first full vector of operand 0
  uint32_t aligned;  // bit k: operand k has aligned vectors from there on
};

// Holds an extent that kernels divide by: they use the divisor where all numbers are below 2^31,
// else the extent.
struct AxisExtent {
  int64_t extent;
  Divisor divisor;
  uint32_t unused;  // fills the struct to a multiple of 8 bytes
};

// Describes a rows walk, whose rows lie along the innermost axis and may have any steps.
struct RowsHead {
  int64_t size;  // elements; the last row may be shorter
  int64_t columns;
  int64_t rows;
  int64_t blocks;         // blocks of the walk; if the grid has fewer, each takes several
  AxisExtent row_blocks;  // blocks along a row
  int32_t log_width;      // 2^log_width threads lie along a row, the others over rows
  // Bit k is set if operand k is accessed by vectors. If no bit is, a thread takes one element a
  // row.
  uint32_t vectors;
};

// Describes a tile walk, whose tiles lie over the innermost axis (columns) and the axis along which
// the transposed inputs take their shortest steps (across).
struct TileHead {
  int64_t columns;  // elements
  int64_t across;   // elements
  Divisor column_tiles;
  int32_t log_group;      // 2^log_group neighbouring blocks form a group along `across`
  Divisor across_groups;  // groups along `across`
  uint32_t unused;        // fills the struct to a multiple of 8 bytes
};

// Holds the operands of an operator. Operand 0 is written, the others are read; an operand whose
// data is null is the scalar of the same index.
template <int Operands>
struct OperatorOperands {
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

// The most axes that the fast walks of operators take.
inline constexpr int kFewDims = 6;

// Describes the outer axes of an operator's walk, of which the last varies fastest. Their number is
// known at run time only, because one kernel serves all numbers of axes. Strides count elements.
template <int Operands>
struct OuterAxes {
  int32_t ndim;
  Divisor extents[kFewDims - 1];  // the first one is not needed
  int64_t strides[Operands][kFewDims - 1];
};

// What an operator's kernel takes on each path. Steps and strides count elements.
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
  int64_t across_steps[Operands];  // along `across`
  OuterAxes<Operands> outer;
  OperatorOperands<Operands> operands;

  GPUARRAY_HD int64_t step(int k) const { return steps[k]; }
  GPUARRAY_HD int64_t across_step(int k) const { return across_steps[k]; }
};

}  // namespace gpuarray
