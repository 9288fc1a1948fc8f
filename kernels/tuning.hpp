// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Launch numbers. Each will carry card, date and gain once it has been measured; these are plain
// starting points.
#pragma once

namespace gpuarray {

inline constexpr int kElementwiseBlock = 256;
inline constexpr int kElementwiseBlocksPerMultiprocessor = 16;

inline constexpr int kReduceBlock = 256;
// A chunk is not worth a block of its own below this many elements a thread.
inline constexpr int kReduceItemsPerThread = 8;
inline constexpr int kReduceBlocksPerMultiprocessor = 8;

inline constexpr int kMatmulTile = 16;

}  // namespace gpuarray
