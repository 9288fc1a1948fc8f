// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/sort/sort_key.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Positions among all elements, as integers of 4 or 8 bytes. If `data` is null, element k is at
// position k.
struct SortPositions {
  const void* data;
  int32_t bytes;  // of a position
};

// What sort_pack takes. It makes the words that are sorted of elements, which lie in rows of
// `length`.
struct SortPack {
  const void* source = nullptr;
  void* target = nullptr;  // words
  SortPositions positions{};
  int64_t count = 0;   // elements
  int64_t length = 0;  // elements of a row
  KeyKind kind{};
  uint64_t infinity = 0;    // bits of infinity, as in KeyOrder
  int32_t key_shift = -1;   // lowest bit of the key in the word; negative if it has no key
  int32_t row_shift = -1;   // lowest bit of the row in the word; negative if it has no row
  int32_t low_part = 0;     // 1 for the lower half of a complex128's key, 0 for the higher
  int32_t with_index = 0;   // whether the lowest bits hold the element's index in its row
  int32_t descending = 0;   // whether keys are inverted
  int32_t keeps_equal = 0;  // whether keys are made by order_of_bits, else by key_of_bits
};

// What sort_unpack takes. It makes elements of sorted words, which may lie in the target itself.
struct SortUnpack {
  const void* source;  // words
  void* target;
  int64_t count;
  KeyKind kind;
  uint64_t infinity;
  int32_t descending;
};

// What sort_index takes. It sets target[k] to the index in its row of element k of the sorted
// order.
struct SortIndex {
  const uint64_t* words;  // sorted words that hold indices, or null to use the positions
  SortPositions positions;
  int64_t* target;
  int64_t count;
  int64_t length;
  uint64_t mask;  // bits of the index in a word
};

// What sort_order takes. It sets target[k] and values[k] to the index of element k of the sorted
// order and to the element, from words that hold their keys (order_of_bits).
struct SortOrder {
  const uint64_t* words;
  const void* source;
  int64_t* target;
  void* values;
  int64_t count;
  int32_t index_bits;
  KeyKind kind;
  uint64_t infinity;
};

// What sort_rows takes. It sorts rows that fit into a block, or finds the indices that sort them.
struct SortRows {
  const void* source;
  void* target;  // elements or int64
  int64_t rows;
  int32_t length;      // elements of a row
  int32_t pitch;       // words from row to row in a block; a multiple of a thread's words
  int32_t block_rows;  // rows that a block takes
  KeyKind kind;
  uint64_t infinity;
  int32_t descending;
  int32_t indices;  // whether the target gets indices (int64) instead of elements
};

inline constexpr int kSelectDigit = 11;  // the most bits of a digit of a selection
inline constexpr int kSelectBins = 1 << kSelectDigit;

// What is known of a row's bound, the element that a selection looks for. It begins as zeros.
struct SelectBound {
  uint64_t key;       // the digits that are found; those below them are 0
  uint32_t before;    // elements whose digits are lower than these
  uint32_t equal;     // elements that have these digits
  uint32_t finished;  // blocks that have finished a kernel
};

// What the kernels of a selection in rows take (select_rows.cuh).
struct SelectRows {
  const void* source;
  int64_t length;      // elements of a row, fewer than 2^32
  int64_t rank;        // where a sort would put the bound
  int64_t stretch;     // elements of a row that a warp takes
  int32_t row_blocks;  // blocks that take a row
  KeyKind kind;
  uint64_t infinity;
  int32_t descending;
  int32_t shift;          // lowest bit of the digit that select_digit finds
  int32_t bits;           // of that digit
  uint64_t found_digits;  // mask of the digits above it
  SelectBound* bounds;    // one for each row
  uint32_t* bins;         // kSelectBins for each row, all 0 between kernels
  uint64_t* counts;       // one for each warp
  void* values;           // where elements are written, or null
  int64_t* positions;     // where their positions in the row are written, or null
  int64_t kept;           // elements that are written of each row
};

// What sort_gather takes. It sets target[k] to source[positions[k]].
struct SortGather {
  const void* source;
  void* target;
  SortPositions positions;
  int64_t count;
  int32_t itemsize;
};

// What sort_runs takes. It sets firsts[k] to whether element k of a sorted array is the first or
// differs from the one before it, and counts[t] to how many of these are in tile t (kSelectTile).
struct SortRuns {
  const void* sorted;
  bool* firsts;
  uint16_t* flags;  // the same as bits
  int32_t* counts;
  int64_t count;
  KeyKind kind;
  uint64_t infinity;
  int32_t splits_nan;  // whether each NaN is a run of its own; else all are one run
  uint32_t vectors;    // whether the array is aligned to 16 bytes
};

// What is known of the keys of an array's elements, the first four as the least number that any
// of them gives. All ones mean that none does. NaNs have no part in the first two.
struct KeyRange {
  uint64_t lowest;         // the lowest key (order_of_bits)
  uint64_t below_highest;  // the inverted bits of the highest one
  uint64_t nan;            // the key (key_of_bits) of a NaN less 1
  uint64_t zero;           // twice the index of a zero, and 1 more for 0.0 than for -0.0; of floats
                           // of 16 bits as if all were at 0
  uint64_t span;           // between the lowest and the highest key of sampled elements
  uint64_t scattered;      // sampled elements with keys that are far from most others
};

// Returns whether it is faster to set the bits of so many elements' keys than to sort them, with
// this distance between the lowest and the highest key.
GPUARRAY_HD bool are_keys_near(uint64_t span, uint64_t scattered, int64_t count) {
  if (span >> 32 != 0 || span >= kDistinctBits * uint64_t(count)) return false;
  return span < kDistinctCached || scattered * kDistinctScattered < kDistinctSamples;
}

// The elements of a tile that a thread takes where distinct ones are found: eight, or a vector.
GPUARRAY_HD constexpr int distinct_loads(int itemsize) { return itemsize > 1 ? 8 : 16; }

// What the kernels take that find distinct elements (distinct.cuh).
struct DistinctKeys {
  const void* source = nullptr;
  int64_t count = 0;  // elements
  KeyKind kind{};
  uint64_t infinity = 0;
  uint32_t vectors = 0;  // whether the source is aligned to 16 bytes
  KeyRange* range = nullptr;
  uint64_t lowest = 0;  // the lowest key, that of the first bit
  uint64_t highest = 0;
  int64_t tile_step = 1;
  uint32_t* bits = nullptr;       // aligned to 8 bytes; the last tile of kSelectTile is whole
  int64_t size = 0;               // bits
  int32_t* counts = nullptr;      // bits that are set in each tile
  const int64_t* sums = nullptr;  // of the counts of the tiles up to each
  int64_t found = 0;              // bits that are set in all
  void* target = nullptr;
  uint32_t negative_zero = 0;  // whether zero is written as -0.0
  uint64_t nan = 0;            // the key (key_of_bits) of the NaN that is written; 0 for none
};

// What the kernels take that move negative NaNs from the begin of a sorted array of floats to its
// end: sort_rotate_out writes the new order to `spare`, and sort_rotate_back copies it back.
struct SortRotate {
  void* keys;              // the sorted floats
  void* spare;             // as large as the keys
  int64_t* negative_nans;  // how many there are, which sort_rotate_out writes
  int64_t count;
};

}  // namespace gpuarray
