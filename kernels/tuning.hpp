// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Launch numbers. Each will carry card, date and gain once it has been measured; these are plain
// starting points.
#pragma once

namespace gpuarray {

inline constexpr int kElementwiseBlock = 256;
inline constexpr int kElementwiseBlocksPerMultiprocessor = 16;

// Threads of a block; also the most that share one output. Try 128 with 6 resident blocks.
inline constexpr int kReduceBlock = 256;
// Blocks that a multiprocessor must hold at once: bounds the registers to 80. Try 4 (64).
inline constexpr int kReduceResidentBlocks = 3;
// 16-byte loads that a thread has in flight. 4 x 16 bytes x 768 threads is 48 KiB a multiprocessor,
// above the bandwidth-latency product; try 2 and 8.
inline constexpr int kReduceInFlight = 4;
// 16-byte loads of a row for each of its threads; short rows share a block by it. Try 2 and 8.
inline constexpr int kReduceVectorsPerLane = 4;
// Blocks to fill the device with before the reduced axis need not be cut; try 4, 16 and 32.
inline constexpr int kReduceBlocksPerMultiprocessor = 8;
// A chunk is not worth a second launch below this many loads a thread.
inline constexpr int kReduceLoadsPerChunk = 8;
// Up to this many elements are not worth a second launch, whatever the shape; try 1 << 14.
inline constexpr int kReduceOneLaunch = 1 << 16;
// Most elements that one thread adds up in sequence: bounds the rounding error, and what a 32-bit
// sum of 16-bit integers must hold.
inline constexpr int kReduceLongestWalk = 4096;

inline constexpr int kMatmulTile = 16;

}  // namespace gpuarray
