// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

inline constexpr int kSelectTile = 2048;  // elements that a warp takes
inline constexpr int kFlagBits = 16;  // bits of a word of flags; the lowest is the first element
// The words of flags of a tile. The last tile has all of them too, of which those past its end are
// 0.
inline constexpr int kSelectFlags = kSelectTile / kFlagBits;

// What the kernels of a selection take: the elements of `array` where a mask is true, both of which
// are contiguous, lie side by side in `packed`. Only the first kernel reads the mask, which may be
// overwritten afterwards; the others read `flags`. sums[t] is the number of true elements in the
// tiles 0 to t.
struct SelectParams {
  int64_t size;
  uint32_t vectors;  // whether the mask, or in later kernels the array, is aligned to 16 bytes
  const bool* mask;
  uint16_t* flags;
  int32_t* counts;  // true elements of each tile, which the first kernel writes
  const int64_t* sums;
  void* array;
  void* packed;
};

// The most axes of a mask whose indices are asked for. None can be merged, because each has indices
// of its own.
inline constexpr int kNonzeroDims = 64;

// What nonzero_kernel takes. It writes the indices along axis k to the row of `indices` that begins
// at k * pitch.
struct NonzeroParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kNonzeroDims];
  int64_t pitch;  // elements
  const uint16_t* flags;
  const int64_t* sums;
  int64_t* indices;
};

}  // namespace gpuarray
