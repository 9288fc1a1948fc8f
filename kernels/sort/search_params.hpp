// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// What the search kernels take. They set target[k] to the number of sorted elements that are less
// than query k, or not greater than it if `right`.
struct SearchParams {
  const void* sorted;
  const int64_t* sorter;  // indices that sort the elements, or null if they are in order
  const void* queries;
  int64_t* target;
  int64_t length;      // sorted elements, at least 1
  int64_t count;       // queries
  int64_t stretch;     // sorted elements for each pivot; pivots must fit search_pivots
  void* levels;        // keys of the tree between pivots and elements, the highest level first
  int64_t level_keys;  // in all levels, which is 0 if the pivots stand above the elements
  int32_t depth;       // number of levels
  int32_t right;
};

// The bytes of shared memory in which a block keeps pivots.
inline constexpr int kSearchBytes = 48 << 10;

// The pivots of type T that a block has room for.
template <class T>
inline constexpr int search_pivots = kSearchBytes / int(sizeof(T));

// A node of the tree: as many neighbouring keys as memory gives by one access, of two sectors.
inline constexpr int kSearchNodeBytes = 64;

// The keys of type T in a node.
template <class T>
inline constexpr int search_node = kSearchNodeBytes / int(sizeof(T));

}  // namespace gpuarray
