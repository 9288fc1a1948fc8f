// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Launch numbers, each with the card, the date and what other values gave.
#pragma once

namespace gpuarray {

// The kernel for any strides.
inline constexpr int kElementwiseBlock = 256;
inline constexpr int kElementwiseBlocksPerMultiprocessor = 16;

// H200, 2026-11, 2^28 float32: one vector a thread takes 0.734 ms for a sum, two 0.743, four 0.745;
// for float16 0.372, 0.396 and 0.509. Blocks of 128 to 512 are equal, of 1024 up to 5 % slower.
inline constexpr int kFlatBlock = 256;

// H200, 2026-11, 16384 x 16384 float32 + row or column: 8 elements a thread 0.508 ms, 4 take 0.56,
// 2 0.51 to 0.52. Element by element, four rows a thread 0.70 ms, two 0.81, eight 1.05.
inline constexpr int kRowsBlock = 256;
inline constexpr int kRowsElements = 8;
inline constexpr int kRowsMost = 4;

// H200, 2026-11, A.T + B, 16384 x 16384 float32: blocks of 128 in groups of four 0.759 ms, of one
// 0.761, of eight 0.766; blocks of 256 0.79, of 512 1.42. For float16 0.476, 0.525, 0.482 and 0.61.
inline constexpr int kTile = 32;
inline constexpr int kTileBlock = 128;
inline constexpr int kTileGroup = 4;

inline constexpr int kReduceBlock = 256;
// A chunk is not worth a block of its own below this many elements a thread.
inline constexpr int kReduceItemsPerThread = 8;
inline constexpr int kReduceBlocksPerMultiprocessor = 8;

inline constexpr int kMatmulTile = 16;

}  // namespace gpuarray
