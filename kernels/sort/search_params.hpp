// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// target[k] = how many of the sorted elements are less than query k, or not greater if `right`.
struct SearchParams {
  const void* sorted;
  const int64_t* sorter;  // where the sorted elements lie; null: in order
  const void* queries;
  int64_t* target;
  int64_t length;   // of what is sorted, not 0
  int64_t count;    // of queries
  int64_t stretch;  // sorted elements for each that a block keeps
  int32_t right;
};

// What a block keeps of the sorted elements, in shared memory.
inline constexpr int kSearchBytes = 48 << 10;

template <class T>
inline constexpr int search_pivots = kSearchBytes / int(sizeof(T));

}  // namespace gpuarray
