// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/params.hpp"

namespace gpuarray {

inline constexpr int kSelectTile = 2048;  // elements of a warp

// Elements of `array` where `mask` is true, contiguous both, and `packed`, where they lie side by
// side. sums[t] counts those of the tiles up to t.
struct SelectParams {
  int64_t size;
  uint32_t vectors;  // bit 0: the mask takes vector accesses, 1: the array
  const bool* mask;
  int32_t* counts;  // of the tiles, which the first kernel writes
  const int64_t* sums;
  void* array;
  void* packed;
};

// The indices of the true elements, an axis a row of `indices`, `pitch` apart.
inline constexpr int kNonzeroDims = 64;  // every axis of the mask, which has indices of its own

struct NonzeroParams {
  int64_t size;
  uint32_t vectors;
  int32_t ndim;
  int64_t shape[kNonzeroDims];
  int64_t pitch;
  const bool* mask;
  const int64_t* sums;
  int64_t* indices;
};

}  // namespace gpuarray
