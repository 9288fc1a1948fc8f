// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch passes to its kernel, by value. Shared with the host, which fills it.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/element/element.cuh"

namespace gpuarray {

// Axes that kernels of any shape take, none of one element and no two walked as one: an array that
// has more of them has 2^33 elements.
inline constexpr int kParamDims = 32;

// Element-wise launches: operand 0 is written, the others are read. An operand without data is the
// scalar of the same index.

// Every array is contiguous and walked in one dimension.
template <int Operands>
struct FlatParams {
  int64_t size;
  int32_t head;      // elements before the target's first full vector
  uint32_t aligned;  // bit k: operand k has full vectors from there on
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

inline constexpr int kFewDims = 6;

// The outer axes of a few-dimensional walk, the last the fastest; strides in elements.
template <int Operands>
struct OuterAxes {
  int32_t ndim;
  Divisor extents[kFewDims - 1];  // the first is not divided by
  int64_t strides[Operands][kFewDims - 1];
};

// Rows along the innermost axis, of any steps.
template <int Operands>
struct RowsParams {
  int64_t size;  // elements; the last row may be shorter
  int64_t columns;
  uint32_t rows;
  int32_t log_width;   // a block is 2^log_width threads along a row, the others over rows
  uint32_t vectors;    // bit k: operand k is read by vectors; 0: one element a thread and row
  Divisor row_blocks;  // blocks along a row
  int64_t steps[Operands];
  OuterAxes<Operands> outer;
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

// Tiles over the innermost axis (columns) and one along which some operands are walked faster.
template <int Operands>
struct TileParams {
  int64_t columns;
  int64_t across;
  uint32_t turned;  // bit k: operand k is read along `across`
  Divisor column_tiles;
  int32_t log_group;               // 2^log_group neighbouring blocks lie along `across`
  Divisor across_groups;           // of as many tiles
  int64_t steps[Operands];         // along columns
  int64_t across_steps[Operands];  // along across
  OuterAxes<Operands> outer;
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

// Any shape; the kernel that every operation has.
template <int Operands>
struct ElementwiseParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kParamDims];
  int64_t strides[Operands][kParamDims];  // elements
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

struct MatmulParams {
  int64_t m, n, k;
  int64_t batches;
  int32_t batch_ndim;
  int64_t batch_shape[kParamDims];
  int64_t batch_strides[3][kParamDims];  // of target, a, b, elements
  int64_t strides[3][2];                 // row and column of target, a, b, elements
  void* data[3];
  bool scaled;  // by alpha, and beta times the target where it accumulates
  bool accumulates;
  alignas(16) unsigned char alpha[16];  // as the sum is computed in
  alignas(16) unsigned char beta[16];
};

}  // namespace gpuarray
