// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters of the fast element-wise walks, which a launch passes to its kernel by value. Each
// begins with a head that the planner of walks fills. Operators and users' expressions have the
// same parameters, but for their operands: those of expressions are in
// kernels/expression/expression_params.hpp. The host learns the numbers of operands and axes at run
// time only: it writes the fields one after the other (src/backend/cuda/walk_parameters.hpp).
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
  static constexpr int kInnerAxes = 1;  // that the walk does not count among the outer ones

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
  static constexpr int kInnerAxes = 2;

  int64_t columns;  // elements
  int64_t across;   // elements
  Divisor column_tiles;
  int32_t log_group;      // 2^log_group neighbouring blocks form a group along `across`
  Divisor across_groups;  // groups along `across`
  uint32_t unused;        // fills the struct to a multiple of 8 bytes
};

// The most axes that the fast walks of operators take.
inline constexpr int kFewDims = 6;

// Holds the operands of an operator. Operand 0 is written, the others are read; an operand whose
// data is null is the scalar of the same index.
template <int Operands>
struct OperatorOperands {
  static constexpr int kCount = Operands;
  static constexpr bool kHasFixedAxes = false;  // one kernel serves all numbers of axes
  static constexpr bool kIsRolled = false;      // see visit_all

  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

// What a flat walk takes.
template <class Operands>
struct FlatBlock {
  FlatHead head;
  Operands operands;
};

// The length of an array of `count` elements, which may be none, but C++ has no empty arrays.
template <int count>
inline constexpr int at_least_one = count > 0 ? count : 1;

// Describes the outer axes of a walk, of which the last varies fastest: `Axes` of them if their
// number is fixed, else up to so many. Strides count elements.
template <int Operands, int Axes, bool is_fixed>
struct OuterAxes {
  int64_t ndim;
  AxisExtent extents[at_least_one<Axes>];  // the first one is not needed
  int64_t strides[Operands][at_least_one<Axes>];

  GPUARRAY_HD int count() const { return is_fixed ? Axes : int(ndim); }
};

// What the other walks take over up to `Dims` axes, which are the outer ones, for tiles and merged
// rows the axis `across`, and the columns. Steps count elements.
template <class Head, class Operands, int Dims>
struct AxesBlock {
  Head head;
  Operands operands;
  OuterAxes<Operands::kCount, Dims - Head::kInnerAxes, Operands::kHasFixedAxes> outer;
  int64_t steps[Head::kInnerAxes][Operands::kCount];  // along the columns, then across

  GPUARRAY_HD int64_t step(int k) const { return steps[0][k]; }
  GPUARRAY_HD int64_t across_step(int k) const { return steps[1][k]; }
};

// What an operator's kernel takes on each path.
template <int Operands>
using FlatParams = FlatBlock<OperatorOperands<Operands>>;
template <int Operands>
using RowsParams = AxesBlock<RowsHead, OperatorOperands<Operands>, kFewDims>;
template <int Operands>
using TileParams = AxesBlock<TileHead, OperatorOperands<Operands>, kFewDims>;

}  // namespace gpuarray
