// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// What the search kernel takes. It sets target[k] to the number of sorted elements that are less
// than query k, or not greater than it if `right`.
struct SearchParams {
  const void* sorted;
  const int64_t* sorter;  // indices that sort the elements, or null if they are in order
  const void* queries;
  int64_t* target;
  int64_t length;   // sorted elements, at least 1
  int64_t count;    // queries
  int64_t stretch;  // sorted elements for each pivot; pivots must fit search_pivots
  int32_t right;
};

// The bytes of shared memory in which a block keeps pivots.
inline constexpr int kSearchBytes = 48 << 10;

// The pivots of type T that a block has room for.
template <class T>
inline constexpr int search_pivots = kSearchBytes / int(sizeof(T));

}  // namespace gpuarray
