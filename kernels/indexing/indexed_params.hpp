// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the kernels of indexing with arrays take, by value. A word is what one access moves: an
// element, or several neighbouring ones. Strides and sizes count words.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/element/element.cuh"
#include "kernels/element/param_dims.hpp"
#include "kernels/indexing/index_axis.hpp"

namespace gpuarray {

// Indexing where values are rows of words: `values` is contiguous with axes [planes][indices][words
// of a row], and the row of a plane and an index lies in the array at plane * array_plane + the
// offset of the index. Planes have the same indices, or if index_plane is not 0 indices of their
// own, one for each word; word k of a plane then lies k * array_step further on.
struct IndexedRowsParams {
  IndexAxis axis;
  uint32_t size;  // words of all values; below 2^31
  Divisor plane;  // words of a plane
  Divisor row;    // words of a row
  int64_t array_plane;
  int64_t array_step;
  uint32_t index_plane;
  int32_t value_step;  // 1, or 0 if one value serves all
  uint32_t vectors;    // 1: rows are one word, and values and indices are aligned to 16 bytes
  uint32_t cut;        // 0, or the blocks that share a piece of kIndexedBlock words of all rows
  const void* index;
  void* array;
  void* values;
};

// The position of an index out of bounds, which is moved to no bucket or part.
inline constexpr uint32_t kBucketNowhere = 0xffffffff;

// Values to combine are moved to kMoveGroups groups of neighbouring elements, and then to
// kMoveGroups parts of each group, whose elements have kPartBytes.
inline constexpr int kMoveGroupBits = 8;
inline constexpr int kMoveGroups = 1 << kMoveGroupBits;
inline constexpr int kPartBytes = 1 << 15;

// How many values are moved to each group or part, and where the next of them goes.
template <int count>
struct MovedValues {
  uint32_t counts[count];
  uint32_t next[count];
};

// What the kernels of combine_moves.cuh find and count; it begins as zeros.
struct CombineState {
  uint32_t spread;  // 1: indices and values are moved
  uint32_t near;    // 1: many indices are near their neighbours, and most differ
  MovedValues<kMoveGroups> groups;
  MovedValues<kMoveGroups * kMoveGroups> parts;
};

// What combine_rows takes. With a state that says so, it takes positions and values that were
// moved to parts, instead of the indices and values.
struct CombineRowsParams : IndexedRowsParams {
  uint32_t partials;          // 1: blocks may keep partial results
  const CombineState* state;  // or null
  const uint32_t* moved_positions;
  const void* moved_values;
};

// What the kernels of combine_moves.cuh take.
struct CombineMovesParams {
  IndexAxis axis;  // of stride 1
  uint32_t size;
  int32_t part_shift;  // lowest bit of the part in a position
  const int64_t* index;
  const void* values;
  CombineState* state;
  // Those moved to groups, and those moved to parts.
  uint32_t* moved_positions[2];
  void* moved_values[2];
};

// Indexing with any strides: those of the indices, of the array (0 along the indexed axis), and of
// the values.
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

inline constexpr int kResolveAxes = 4;  // indexed axes of a launch at most

// Makes positions of several index arrays: positions[i] = base offset of i + the offsets of the
// indices at i, or kNowhere if one of them is out of bounds. strides[0] gives the base offset, for
// which there is no array; strides[1 + k] are those of index array k.
struct ResolveParams {
  int64_t size;
  int32_t ndim;
  int32_t count;  // indexed axes of this launch
  int32_t adds;   // whether to add to what is in `positions`
  int64_t shape[kParamDims];
  int64_t strides[1 + kResolveAxes][kParamDims];
  IndexAxis axes[kResolveAxes];
  const int64_t* index[kResolveAxes];
  int64_t* positions;
};

// A scatter along one axis whose values are sorted by buckets of positions (buckets.cuh). An entry
// is a position and, where it has room for it, the value.
struct BucketParams {
  IndexAxis axis;  // of stride 1
  int64_t size;    // entries
  int64_t buckets;
  int64_t array_step;      // from one position to the next
  int32_t position_shift;  // lowest bit of the position in an entry
  int32_t bucket_shift;    // lowest bit of the bucket in an entry
  uint64_t sorted_bits;    // mask of an entry's bits up to the highest that was sorted by
  const int64_t* index;
  const void* source;  // the values as they were given
  void* array;
  uint64_t* entries;
  void* values;       // those of the entries, if they are not in them
  int64_t* begins;    // of the buckets among the entries, and the end of the last
  uint32_t* winners;  // of long buckets, kBucketSlots for each tile of entries; zeros first
};

// Finds the last of the positions with the same slot, which wins: winners[slot] is its number plus
// 1.
struct WinnerParams {
  int64_t size;
  const int64_t* slots;
  int64_t* positions;  // those that do not win become kNowhere
  void* winners;       // zeros before the first kernel
};

}  // namespace gpuarray
