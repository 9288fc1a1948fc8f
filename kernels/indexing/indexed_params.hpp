// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the kernels of indexing with arrays take. Words are what one access moves: an element, or
// several neighbours; strides count them.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/elementwise/params.hpp"
#include "kernels/indexing/index_axis.hpp"

namespace gpuarray {

// `values`, contiguous, is [planes][indices][words of a row]; the array has such rows at
// `plane * array_plane + offset of the index`.
struct IndexedRowsParams {
  IndexAxis axis;
  uint32_t size;  // words of the values
  Divisor plane;  // words of a plane of the values
  Divisor row;    // words of a row
  int64_t array_plane;
  int32_t value_step;  // 0: one value for all
  uint32_t vectors;    // 1: values take 16-byte accesses, and so do the indices of each
  const void* index;
  void* array;
  void* values;
};

// Any strides: of the indices, the array (but along the indexed axis) and the values.
struct IndexedParams {
  IndexAxis axis;
  int64_t size;
  int32_t ndim;
  int64_t shape[kParamDims];
  int64_t strides[3][kParamDims];
  const void* index;
  void* array;
  void* values;
};

inline constexpr int kResolveAxes = 4;

// positions[i] = its base + the offsets of the indices there, or kNowhere; over any strides, the
// first those of the base, which has no memory.
struct ResolveParams {
  int64_t size;
  int32_t ndim;
  int32_t count;  // of axes
  int32_t adds;   // to what is in `positions`
  int64_t shape[kParamDims];
  int64_t strides[1 + kResolveAxes][kParamDims];
  IndexAxis axes[kResolveAxes];
  const int64_t* index[kResolveAxes];
  int64_t* positions;
};

// The last index of each slot wins: winners[slot] is its number plus 1.
struct WinnerParams {
  int64_t size;
  const int64_t* slots;
  int64_t* positions;  // those that lost become kNowhere
  void* winners;       // zeros at first
};

}  // namespace gpuarray
