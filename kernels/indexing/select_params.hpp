// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/elementwise/params.hpp"

namespace gpuarray {

inline constexpr int kSelectTile = 2048;  // elements of a warp
inline constexpr int kFlagBits = 16;      // of a word of flags, the lowest for the first element
inline constexpr int kSelectFlags = kSelectTile / kFlagBits;  // words of a tile, all of which count

// Elements of `array` where a mask is true, contiguous both, and `packed`, where they lie side by
// side. The mask is read once, by the first kernel, and others may write it afterwards: the second
// goes by `flags`. sums[t] counts those of the tiles up to t.
struct SelectParams {
  int64_t size;
  uint32_t vectors;  // whether the mask, or the array, takes vector accesses
  const bool* mask;
  uint16_t* flags;
  int32_t* counts;  // of the tiles, which the first kernel writes
  const int64_t* sums;
  void* array;
  void* packed;
};

// The indices of the true elements, an axis a row of `indices`, `pitch` apart.
inline constexpr int kNonzeroDims = 64;  // every axis of the mask, which has indices of its own

struct NonzeroParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kNonzeroDims];
  int64_t pitch;
  const uint16_t* flags;
  const int64_t* sums;
  int64_t* indices;
};

}  // namespace gpuarray
