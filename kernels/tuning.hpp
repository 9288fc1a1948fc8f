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
// Kernels of more operands take one row a thread, because they have no registers for more.
inline constexpr int kRowsFewOperands = 4;

// H200, 2026-11, A.T + B, 16384 x 16384 float32: blocks of 128 in groups of four 0.759 ms, of one
// 0.761, of eight 0.766; blocks of 256 0.79, of 512 1.42. For float16 0.476, 0.525, 0.482 and 0.61.
inline constexpr int kTile = 32;
inline constexpr int kTileBlock = 128;
inline constexpr int kTileLogGroup = 2;
// The bytes of all operands' elements up to which a thread reads its eight rows of a tile together:
// 64 registers hold them for operators, 96 at the most. Not measured yet.
inline constexpr int kTileBytes = 48;

// H200, 2026-11, 2^28 float32, all / axis 0 / axis 1 of 16384 x 16384 / rows of 256, in ms: blocks
// of 256 of which four are resident (64 registers) 0.237 0.263 0.238 0.347, three 0.242 0.245 0.260
// 0.404; blocks of 128, six resident, 0.263 0.256 0.239 0.383.
inline constexpr int kReduceBlock = 256;  // also the most threads that share one output
inline constexpr int kReduceResidentBlocks = 4;
inline constexpr int kReduceWideResidentBlocks = 2;  // of var and std: with four they spill 0.6 KiB
// 16-byte loads that a thread has in flight; H200, 2026-11: two 0.244 0.287 0.269 0.390, eight (two
// blocks resident) 0.252 0.273 0.306 0.680.
inline constexpr int kReduceInFlight = 4;
// 16-byte loads of a row for each of its threads: short rows share a block by it. H200, 2026-11,
// rows of 256: four 0.404 ms, two 0.790, one 1.61.
inline constexpr int kReduceVectorsPerLane = 4;
inline constexpr int kReduceSpreadVectorsPerLane = 64;  // of var and std, which combine at a cost
// Blocks to fill the device with before the reduced axis need not be cut: whole waves of the
// resident ones. H200, 2026-11: 8 0.242 ms, 16 0.248, 32 0.249.
inline constexpr int kReduceBlocksPerMultiprocessor = 8;
// A chunk is not worth a second launch below this many loads a thread.
inline constexpr int kReduceLoadsPerChunk = 8;
// Up to this many elements are not worth a second launch. H200, 2026-11: 4096 take 3.1 us in one
// block, 65536 7.4 us, 262144 in two launches 5.2 us.
inline constexpr int kReduceOneLaunch = 1 << 14;
// Most elements that one thread adds up in sequence: bounds the rounding error, and what a 32-bit
// sum of 16-bit integers must hold.
inline constexpr int kReduceLongestWalk = 4096;

// Scans: 16-byte loads of a thread along a row, and rows of a thread across them. H200, 2026-11,
// 2^28 of float32, ms by rounds and resident blocks: 4, 5 0.952; 4, 4 0.939; 8, 4 0.851; 8, 3 0.797
// (80 registers, none spilled); 16, 2 0.777, with tiles that leave short rows few threads.
inline constexpr int kScanBlock = 256;
inline constexpr int kScanRounds = 8;
inline constexpr int kScanColumnRows = 8;
inline constexpr int kScanResidentBlocks = 3;
inline constexpr int kScanWideResidentBlocks = 3;
// Fewer blocks side by side across the scanned axis would wait for each other down the columns.
inline constexpr int kScanColumnBlocks = 32;

// As the flat kernel's; two words a thread spare block look-ups.
inline constexpr int kJoinBlock = 256;
inline constexpr int kJoinRounds = 2;

// Products: a block of kMatmulSide x kMatmulSide threads, each of which computes kMatmulEach x
// kMatmulEach elements; one where that many blocks would not fill the device.
inline constexpr int kMatmulSide = 16;
inline constexpr int kMatmulBlock = kMatmulSide * kMatmulSide;
inline constexpr int kMatmulDepth = 16;
inline constexpr int kMatmulEach = 4;
// Up to this many multiplications, and this many for an element, of dtypes that cuBLAS has too: its
// calls take the host longer. Not measured yet.
inline constexpr int kMatmulOwnProducts = 1 << 18;
inline constexpr int kMatmulOwnDepth = 256;
// Products of integers by one row or column: above this many for an element they are written down
// and summed.
inline constexpr int kMatmulLongSum = 1 << 10;
// On the host, NumPy's product takes over from our loops. Not measured yet.
inline constexpr int kMatmulHostProducts = 1 << 12;
// Bytes that cuBLAS may use for partial results: NVIDIA recommends 32 MiB for compute capability
// 9.0 and newer, 4 MiB before. Products of up to 2^27 multiplications get what the cache of small
// blocks gives out.
inline constexpr int kMatmulWorkspace = 32 << 20;
inline constexpr int kMatmulOldWorkspace = 4 << 20;
inline constexpr int kMatmulSmallWorkspace = 1 << 20;
inline constexpr int kMatmulSmallProducts = 1 << 27;

// Indexing with arrays: loads of a thread under way together where rows are of one word, and words
// of a thread where they are longer.
inline constexpr int kIndexedBlock = 256;
inline constexpr int kIndexedLoads = 8;
inline constexpr int kIndexedRounds = 4;
// Up to so many indices are compared in pairs to find those that repeat, and more where a table of
// all that they could mean has a slot for every kIndexedPairs-th pair.
inline constexpr int kIndexedFew = 1024;
inline constexpr int kIndexedPairs = 8;

// Selection by a mask: warps of 2 KiB of shared memory each. H200, 2026-11, with 4 KiB and two
// blocks resident: 0.86 ms for half of 2^28 float32, where moving the bytes takes 0.42.
inline constexpr int kSelectBlock = 256;
inline constexpr int kSelectResidentBlocks = 4;

// Rows sorted in shared memory: 32 KiB of words, 64 bytes of them a thread.
inline constexpr int kSortRowsBlock = 512;
template <class Word>
inline constexpr int sort_row_items = 64 / int(sizeof(Word));

// Searches keep 48 KiB of the sorted elements in a block: few large blocks share it among many.
inline constexpr int kSearchBlock = 1024;
inline constexpr int kSearchQueries = 4;  // of a thread, side by side
inline constexpr int kSearchBlocksPerMultiprocessor = 2;

inline constexpr int kHistogramBlock = 256;
inline constexpr int kHistogramItems = 4;  // of a thread, loaded side by side
inline constexpr int kHistogramBlocksPerMultiprocessor = 7;

}  // namespace gpuarray
