// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/sort/sort_key.cuh"

namespace gpuarray {

// Positions among all elements, as integers of 4 or 8 bytes; null: element k is at k.
struct SortPositions {
  const void* data;
  int32_t bytes;
};

// Elements, rows of `length`, to the words that are sorted.
struct SortPack {
  const void* source = nullptr;
  void* target = nullptr;  // words
  SortPositions positions{};
  int64_t count = 0;
  int64_t length = 0;
  KeyKind kind{};
  uint64_t infinity = 0;
  int32_t key_shift = -1;   // of the element's key in the word; negative: none
  int32_t row_shift = -1;   // of its row; negative: none
  int32_t low_part = 0;     // of complex numbers: the lower word of their key, not the higher
  int32_t with_index = 0;   // the element's index in its row, in the lowest bits
  int32_t descending = 0;   // keys are inverted
  int32_t keeps_equal = 0;  // equal elements have equal keys, else all come back from theirs
};

// Words back to elements.
struct SortUnpack {
  const void* source;  // words, perhaps the target itself
  void* target;
  int64_t count;
  KeyKind kind;
  uint64_t infinity;
  int32_t descending;
};

// target[k] = where element k of the order lies in its row.
struct SortIndex {
  const uint64_t* words;  // null: the positions
  SortPositions positions;
  int64_t* target;
  int64_t count;
  int64_t length;
  uint64_t mask;  // of the index in a word
};

// Rows that a block has room for, sorted, or the order that sorts them.
struct SortRows {
  const void* source;
  void* target;  // elements or int64
  int64_t rows;
  int32_t length;
  int32_t pitch;       // from row to row in a block: whole threads' words
  int32_t block_rows;  // of a block
  KeyKind kind;
  uint64_t infinity;
  int32_t descending;
  int32_t indices;  // where elements come from is asked for
};

// target[k] = source[positions[k]]
struct SortGather {
  const void* source;
  void* target;
  SortPositions positions;
  int64_t count;
  int32_t itemsize;
};

// firsts[k] = whether element k of a sorted array differs from the one before it; counts[t] of them
// are in tile t of the selection.
struct SortRuns {
  const void* sorted;
  bool* firsts;
  uint16_t* flags;  // the same as bits
  int32_t* counts;
  int64_t count;
  KeyKind kind;
  uint64_t infinity;
  int32_t splits_nan;  // each NaN is a run of its own, else all are one
  uint32_t vectors;    // the array takes vector accesses
};

// Moves negative NaNs, with which a sorted array of floats begins, to its end: into `spare`, and
// from there back.
struct SortRotate {
  void* keys;
  void* spare;
  int64_t* negative_nans;
  int64_t count;
};

}  // namespace gpuarray
