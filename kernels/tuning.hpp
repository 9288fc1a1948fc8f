// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The numbers that shape launches. Each measured one names the GPU, the date, and the times that
// other values gave.
#pragma once

namespace gpuarray {

// Launches of the kernels that take any strides: the threads of a block, and the most blocks for
// each multiprocessor; threads loop over what is left.
inline constexpr int kElementwiseBlock = 256;
inline constexpr int kElementwiseBlocksPerMultiprocessor = 16;

// The threads of a block of the flat walk, each of which takes one vector. H200, 2026-11, 2^28
// float32: a sum takes 0.734 ms with one vector a thread, 0.743 with two, 0.745 with four; for
// float16 the times are 0.372, 0.396 and 0.509. Blocks of 128 to 512 threads are equally fast,
// blocks of 1024 up to 5 % slower.
inline constexpr int kFlatBlock = 256;

// The rows walk: the threads of a block, the elements that a thread takes, and the most rows that
// it takes them from. H200, 2026-11, 16384 x 16384 float32 plus a row or a column: 8 elements a
// thread take 0.508 ms, 4 take 0.56, 2 take 0.51 to 0.52. Without vectors, four rows a thread take
// 0.70 ms, two 0.81, eight 1.05.
inline constexpr int kRowsBlock = 256;
inline constexpr int kRowsElements = 8;
inline constexpr int kRowsMost = 4;
// Kernels of more operands than this take one row a thread, because they have no registers for
// more.
inline constexpr int kRowsFewOperands = 8;
// Expressions over rows without vectors: the elements that a thread takes of a long row, and the
// most operands of kernels that take so many, for which they have registers.
inline constexpr int kLongRowsElements = 4;
inline constexpr int kLongRowsOperands = 12;

// Expressions that reduce rows: the 16-byte vectors that a thread takes of a row of each operand,
// as is and at most; the most threads of a row, as is and where it would not fit into registers
// otherwise; the bytes of a row that a thread holds in registers at most; and the
// fewest rows that do not fit there for which the kernel runs, one block a row. These numbers are
// not measured yet.
inline constexpr int kReducedRowsVectors = 4;
inline constexpr int kReducedRowsMostVectors = 8;
inline constexpr int kReducedRowsLanes = 512;
inline constexpr int kReducedRowsMostLanes = 1024;
inline constexpr int kReducedRowsHeld = 128;
inline constexpr int kReducedRowsFewest = 64;
// The vectors that a thread reads together of operands that only the written elements need; and the
// threads to keep resident on a multiprocessor, which bounds their registers.
inline constexpr int kReducedRowsWritten = 2;
inline constexpr int kReducedRowsResident = 1024;
// Plain operators take rows together with their reductions if a block holds so many elements of
// them, or if these are so few that launches cost more than idle threads. Not measured yet.
inline constexpr int64_t kReducedRowsElements = 512;
inline constexpr int64_t kReducedRowsFew = int64_t{1} << 18;

// The tile walk: the side of a tile in elements, the threads of a block, and the logarithm to base
// 2 of the tiles in a group. H200, 2026-11, A.T + B of 16384 x 16384 float32: blocks of 128 threads
// take 0.759 ms in groups of four tiles, 0.761 in groups of one, 0.766 in groups of eight; blocks
// of 256 take 0.79, of 512 1.42. For float16 the first three and blocks of 256 take 0.476, 0.525,
// 0.482 and 0.61.
inline constexpr int kTile = 32;
inline constexpr int kTileBlock = 128;
inline constexpr int kTileLogGroup = 2;
// A thread reads its eight rows of a tile together while one element of every operand, summed,
// takes at most this many bytes. The elements then fit 64 registers for operators, and 96 at the
// most. This number is not measured yet.
inline constexpr int kTileBytes = 48;

// Reductions. The times are those of an H200, 2026-11, in ms, for 2^28 float32: over all elements,
// over axis 0 and over axis 1 of 16384 x 16384, and over rows of 256.
// Blocks of 256 threads take 0.237 0.263 0.238 0.347 with four blocks resident on a multiprocessor
// (64 registers a thread) and 0.242 0.245 0.260 0.404 with three; blocks of 128 threads, six of
// them resident, take 0.263 0.256 0.239 0.383.
inline constexpr int kReduceBlock = 256;  // threads; also the most that share one output
inline constexpr int kReduceResidentBlocks = 4;
// var and std keep fewer blocks resident, because with four of them they spill 0.6 KiB a thread.
inline constexpr int kReduceWideResidentBlocks = 2;
// The 16-byte loads that a thread has in flight. Two take 0.244 0.287 0.269 0.390; eight, which
// leave two blocks resident, take 0.252 0.273 0.306 0.680.
inline constexpr int kReduceInFlight = 4;
// The most bytes of operands for one load of what a reduction computes, held in registers.
inline constexpr int kReduceMostLoadBytes = 128;
// The loads of a row that each of its threads makes: as many as leave it so many threads, within
// bounds. A block thus has several rows, whose threads need not wait for each other. H200, 2026-11,
// maxima of rows of 64, 256, 1024 and 4096, 2^26 float32, in us: 4 loads take 94 94 97 101, 8 take
// 78 70 72 74, 16 take 88 69 67 68, 32 take 88 71 66 66.
inline constexpr int64_t kReduceRowLanes = 8;
inline constexpr int64_t kReduceLeastRowLoads = 8;
inline constexpr int64_t kReduceMostRowLoads = 32;
// Loads across rows, or without an order.
inline constexpr int64_t kReduceLoadsPerLane = 4;
// var and std make more loads a thread, because combining two of their threads costs more: H100,
// 2026-11, std of rows of 16384 takes 0.412 ms with 32, 0.384 with 64, 0.367 with 128, 0.369 with
// 256.
inline constexpr int64_t kReduceSpreadLoadsPerLane = 128;
// An output has more threads as long as there are fewer blocks for each multiprocessor. The reduced
// axis is then cut into chunks until all resident blocks have one: H100, 2026-11, ms for the sum of
// 2^28 float16 and float32 and std over axis 0: one wave takes 0.184 0.354 0.370, two take 0.188
// 0.354 0.373, four take 0.195 0.350 0.387.
inline constexpr int kReduceBlocksPerMultiprocessor = 8;
// A chunk gives each of its threads at least this many loads, else the second launch that combines
// the chunks would not pay.
inline constexpr int kReduceLoadsPerChunk = 8;
// Reductions of up to this many elements are not cut into chunks. H200, 2026-11: one block takes
// 3.1 us for 4096 elements and 7.4 us for 65536; two launches take 5.2 us for 262144.
inline constexpr int kReduceOneLaunch = 1 << 14;
// The most elements that one thread adds up in sequence. It bounds the rounding error, and keeps a
// thread's sum of 16-bit integers within 32 bits.
inline constexpr int kReduceLongestWalk = 4096;

// Reductions of short rows: the threads of a block, the bytes of rows that it copies to shared
// memory, and the longest rows in elements and in bytes. Up to kShortRowsKnown elements, the length
// of aligned rows is a constant of the kernel.
// Blocks of 16 KiB and six of them on a multiprocessor have up to 96 KiB of loads under way. The
// smallest source is that for which kernels are compiled. H100, 2026-11, 2^26 float32: sums of rows
// of 2 to 8 take 0.99 to 1.03 of the time of a copy of their bytes, of 9 elements 1.31; of 2
// elements 0.142 ms, by the kernel of all reductions 0.465 (H200), which takes 1.31 and 1.20 for
// rows of 16 and 32; these take 0.98 and 0.99 (H200, 2^28 float32).
inline constexpr int kShortRowsBlock = 256;
inline constexpr int kShortRowsTile = 16 << 10;
inline constexpr int64_t kShortRowsLength = 64;
inline constexpr uint32_t kShortRowsKnown = 8;
inline constexpr int64_t kShortRowsBytes = 128;
inline constexpr int64_t kShortRowsFewest = int64_t{1} << 20;

// Scans: the threads of a block, the 16-byte loads (rounds) of a thread in a scan along rows, and
// the rows of a thread in a scan across them. H200, 2026-11, 2^28 float32: 4 rounds take 0.952 ms
// with 5 resident blocks and 0.939 with 4; 8 rounds take 0.851 with 4 and 0.797 with 3 (80
// registers, none spilled); 16 rounds with 2 take 0.777, but their tiles leave short rows few
// threads.
inline constexpr int kScanBlock = 256;
inline constexpr int kScanRounds = 8;
inline constexpr int kScanColumnRows = 8;
inline constexpr int kScanResidentBlocks = 3;
inline constexpr int kScanWideResidentBlocks = 3;
// A long axis is scanned down the columns only if at least this many blocks lie side by side; fewer
// would spend their time waiting for the tiles above them.
inline constexpr int kScanColumnBlocks = 32;

// The block of a join is that of the flat walk. Each thread copies two words, so that fewer blocks
// look up which part they copy.
inline constexpr int kJoinBlock = 256;
inline constexpr int kJoinRounds = 2;

// The same for copies of rows of bytes, of which each thread copies two chunks of 16 bytes.
inline constexpr int kCopyRowsBlock = 256;
inline constexpr int kCopyRowsRounds = 2;

// Copies of triangles: the threads of a block, and the vectors that each takes. H100, 2026-11:
// tril of 8192^2 float32 takes 0.140 ms, its bytes 0.135.
inline constexpr int kTriangleBlock = 256;
inline constexpr int kTriangleRounds = 2;

// Matrix products: a block of kMatmulSide x kMatmulSide threads computes a tile of the product
// through slices of kMatmulDepth. Each thread computes kMatmulEach x kMatmulEach elements, or a
// single one where the larger tiles would not fill the device.
inline constexpr int kMatmulSide = 16;
inline constexpr int kMatmulBlock = kMatmulSide * kMatmulSide;
inline constexpr int kMatmulDepth = 16;
inline constexpr int kMatmulEach = 4;
// The package's own kernel computes products of up to kMatmulOwnProducts multiplications, at most
// kMatmulOwnDepth for each element, although cuBLAS has the dtype, because a call of cuBLAS takes
// the host longer. These numbers are not measured yet.
inline constexpr int kMatmulOwnProducts = 1 << 18;
inline constexpr int kMatmulOwnDepth = 256;
// The dot products of contiguous rows and a contiguous vector are a reduction that reads both if
// each has at least this many elements: H100, 2026-11, 2^14 float32 take 6 us, by cuBLAS 14, a
// matrix of 2^28 0.356 ms, by cuBLAS 0.363. Another product of integers or bools with a single row
// or column writes the multiplied elements to memory and sums them there if each element of the
// result is a sum of at least this many.
inline constexpr int kMatmulLongSum = 1 << 10;
// On the cpu device, NumPy's matmul takes over from the package's loops for products of more
// multiplications than this. This number is not measured yet.
inline constexpr int kMatmulHostProducts = 1 << 12;
// The bytes that cuBLAS may use for partial results. NVIDIA recommends 32 MiB for compute
// capability 9.0 and newer, and 4 MiB before. Products of up to kMatmulSmallProducts
// multiplications get 1 MiB, which the memory pool serves from its cache of small blocks.
inline constexpr int kMatmulWorkspace = 32 << 20;
inline constexpr int kMatmulOldWorkspace = 4 << 20;
inline constexpr int kMatmulSmallWorkspace = 1 << 20;
inline constexpr int kMatmulSmallProducts = 1 << 27;

// Factorizations of batches: up to so many rows, libraries take a batch in one call, and larger
// matrices one by one. These numbers are not measured yet.
inline constexpr int kLuBatchedRows = 256;
// Factorizations Q R of batches have at most so many columns, and this many rows.
inline constexpr int kQrBatchedRows = 1024;
// The threads of a block of the kernels around them.
inline constexpr int kFactorsBlock = 128;
// Eigenvalues of hermitian matrices of up to so many rows are computed in batches of at most
// kEighBatch matrices, of which cuSOLVER refuses more, in a workspace of at most kEighWorkspace
// bytes or twice the matrices; those of larger ones by a routine that waits for the device. H200,
// 2026-11, 2048 matrices of 64 x 64: 9.4 ms in 64 MiB, 4.4 in 496 MiB, 4.3 in 992 MiB.
inline constexpr int kEighBatchedRows = 512;
inline constexpr int kEighBatch = 1 << 14;
inline constexpr int64_t kEighWorkspace = int64_t{512} << 20;

// Transforms of at least so many points are computed by a kernel of ours where cuFFT would need a
// pass more: one that scales, or copies.
inline constexpr int64_t kFftLinesPoints = int64_t{1} << 22;

// Indexing with arrays: the threads of a block, the elements that a thread loads together where a
// row is one word, and the words of a thread where rows are longer.
inline constexpr int kIndexedBlock = 256;
inline constexpr int kIndexedLoads = 8;
inline constexpr int kIndexedRounds = 4;
// Combining at indices: the words of a thread; the slots of a block's table of partial results, how
// many of them an element may take, and the tiles after which the table is dropped if less than one
// in kCombinePays elements was known. Launches of at least kCombineFewest words have blocks with
// tables: at least kCombineTiles tiles each, and at most so many blocks for each multiprocessor
// (three of them took a quarter longer for sorted indices). H100, 2026-11: 2^26 values for 1024
// elements of float32 take 0.51 ms, CuPy's 5.8; at sorted places of 2^28 they take 1.13 where the
// elements are fetched to the cache before, 1.23 else, 1.38 where those of the next tile are.
inline constexpr int kCombineRounds = 4;
inline constexpr int kCombineSlots = 2048;
inline constexpr int kCombineProbes = 4;
inline constexpr uint32_t kCombineTrial = 2;
inline constexpr uint32_t kCombinePays = 4;
inline constexpr int64_t kCombineFewest = int64_t{1} << 22;
inline constexpr int64_t kCombineTiles = 8;
inline constexpr int kCombineBlocksPerMultiprocessor = 5;
// Indices to combine at are moved to parts of the array before if there are so many, into an array
// of so many bytes: the threads of a block, the most blocks for each multiprocessor, the stretches
// of 32 indices that a warp samples, how many elements are near, how many of the sampled indices
// may repeat (more do if there are less than 2^18, whose elements stay in the cache anyway), and
// how many may mean one part. H100, 2026-11: adding 2^26 random float32 to 2^28 takes 2.9 ms, with
// buckets and atomic operations in memory 4.6, by those alone and in CuPy 5.2.
inline constexpr int64_t kMoveFewest = int64_t{1} << 24;
inline constexpr int64_t kMoveArray = int64_t{1} << 27;
inline constexpr int kMoveBlock = 512;
inline constexpr int kMoveBlocksPerMultiprocessor = 2;
inline constexpr int kSampleStretches = 4;
inline constexpr int64_t kSampleNear = 4096;
inline constexpr uint32_t kSampleRepeated = 8;
inline constexpr uint32_t kSampleCrowd = 32;
// A scatter in buckets: the elements of a bucket, of which a block of kBucketBlock threads keeps 4
// bytes each in shared memory, the entries that a block takes of a bucket that is longer, and the
// fewest values and the shortest axis for which it pays. H100, 2026-11: 2^26 random float32 for
// 2^28 elements take 2.5 ms, of which the sort takes 1.3; CuPy, which keeps any of them, takes 5.2.
inline constexpr int kBucketSlots = 1 << 13;
inline constexpr int kBucketBlock = 512;
inline constexpr int64_t kBucketTile = int64_t{1} << 17;
inline constexpr int64_t kBucketFewest = int64_t{1} << 21;
inline constexpr int64_t kBucketLength = int64_t{1} << 25;
// To find indices that repeat, up to kIndexedFew of them are compared in pairs. More are compared
// in pairs only where that takes at most kIndexedPairs comparisons for each slot that the
// alternative, a table of all elements that an index can mean, would have.
inline constexpr int kIndexedFew = 1024;
inline constexpr int kIndexedPairs = 8;

// Selection by a mask: each warp has 2 KiB of shared memory. H200, 2026-11, with 4 KiB a warp and
// two blocks resident: selecting half of 2^28 float32 takes 0.86 ms, where moving the bytes takes
// 0.42.
inline constexpr int kSelectBlock = 256;
inline constexpr int kSelectResidentBlocks = 4;

// A block that sorts rows in shared memory holds 32 KiB of words, 64 bytes for each thread.
inline constexpr int kSortRowsBlock = 512;
template <class Word>
inline constexpr int sort_row_items = 64 / int(sizeof(Word));

// Selection in rows: the threads of a block, the fewest elements that a block takes, so that its
// bins cost little, and the most blocks for each multiprocessor. These numbers are not measured
// yet.
inline constexpr int kSelectRowsBlock = 256;
inline constexpr int64_t kSelectRowsElements = 8192;
inline constexpr int kSelectRowsBlocksPerMultiprocessor = 8;
// Shorter rows are sorted, and so are rows of which more than this part is asked for in order.
inline constexpr int64_t kSelectRowsLength = 16384;
inline constexpr int64_t kSelectRowsRatio = 8;

// Distinct elements without a sort: the fewest integers, of up to 16 bits, and the fewest float32,
// whose keys lie farther apart; the most blocks for each multiprocessor that look for the range of
// the keys; how many elements are sampled, by a block of so many threads, and in how many stretches
// of keys they are counted; the bits that stay in the cache, and the part of the sampled elements
// that may lie outside; the most bits for each element; the tiles that are marked first, so that
// later ones find the bits of frequent elements set; and the tiles of bits that a warp takes. H200,
// 2026-11, ms for 2^26 elements, and by a sort: float32 in [0, 1) 1.16 and 1.92, int64 below 10^6
// 0.50 and 3.97; for 2^24 0.55 and 0.57, 0.25 and 1.12; for 2^18 0.140 and 0.115, 0.087 and 0.147;
// uint8 0.098 and 0.133 for 2^22, 0.082 and 0.079 for 2^20. Of 2^26 elements, nine tenths zeros,
// the kernels take 0.48, without the first tiles 1.77; of any uint32 6.6.
inline constexpr int64_t kDistinctFewest = int64_t{1} << 18;
inline constexpr int64_t kDistinctFewestShort = int64_t{1} << 21;
inline constexpr int64_t kDistinctFewestFloats = int64_t{1} << 24;
inline constexpr int kDistinctBlocksPerMultiprocessor = 8;
inline constexpr int kDistinctSamples = 1 << 14;
inline constexpr int kDistinctSampleBlock = 1024;
inline constexpr int kDistinctBins = 1 << 12;
inline constexpr uint64_t kDistinctCached = uint64_t{1} << 28;
inline constexpr uint64_t kDistinctScattered = 8;
inline constexpr uint64_t kDistinctBits = 64;
inline constexpr int64_t kDistinctFirst = 16;
inline constexpr int kDistinctTiles = 4;

// A block that searches keeps 48 KiB of the sorted elements in shared memory; blocks are large so
// that many threads share one copy.
inline constexpr int kSearchBlock = 1024;
inline constexpr int kSearchQueries = 4;  // queries of a thread, searched side by side
inline constexpr int kSearchBlocksPerMultiprocessor = 2;
// The tree of a search is used from so many queries on, and from one query for so many elements on:
// below, making its levels takes longer than they save. H100, 2026-11, float32: 2^14 queries in
// 2^18 take 0.6 of CuPy's time, 2^20 in 2^26 0.69, 2^26 in 2^26 0.26.
inline constexpr int64_t kSearchTreeQueries = 1 << 14;
inline constexpr int64_t kSearchTreeElements = 64;

// Histograms: the threads of a block, and the most blocks for each multiprocessor.
inline constexpr int kHistogramBlock = 256;
inline constexpr int kHistogramItems = 4;  // elements that a thread loads together
inline constexpr int kHistogramBlocksPerMultiprocessor = 7;

// Batches of small matrices: the threads of a block of which each has a matrix of its own, and the
// most threads and bytes of shared memory of a block whose threads share matrices. These numbers
// are not measured yet.
inline constexpr int kTinyBlock = 128;
inline constexpr int kLanesBlock = 128;
inline constexpr int kLanesBytes = 40 << 10;
// The threads of a block that solves a larger system.
inline constexpr int kSolveBlock = 256;
// The most sweeps of Jacobi's methods over all pairs of columns; they need 16 at the most.
inline constexpr int kJacobiSweeps = 30;

// Norms of rows: the threads of a block; up to kNormsShortRow numbers a thread takes a row, which
// the block reads with others to a tile of kNormsTile numbers, and up to kNormsWarpRow a warp does.
// Few long rows are divided into parts, of at least kNormsLeastPart numbers, for about kNormsBlocks
// blocks. Each thread has kNormsVectors loads of 16 bytes under way.
inline constexpr int kNormsBlock = 256;
inline constexpr int kNormsShortRow = 32;
inline constexpr int kNormsTile = 4096;
inline constexpr int kNormsWarpRow = 1024;
inline constexpr int kNormsBlocks = 2112;
inline constexpr int kNormsLeastPart = 1 << 14;
inline constexpr int kNormsVectors = 4;

// Random numbers: the threads of a block of draws of one unit each.
inline constexpr int kRandomBlock = 256;
// Random numbers of one unit each: the most blocks for each multiprocessor, whose threads loop over
// what is left. H200, 2026-11, 2^28 float32 and float64: 8 blocks take 0.289 and 0.552 ms, 16 take
// 0.299 and 0.562, 4 take 0.287 and 0.552.
inline constexpr int kRandomFixedBlocks = 8;
// Draws that must look for results: the warps of a block, the most 64-bit words of a stream that a
// warp looks through at a time and the least, the words that a lane makes together, and the blocks
// to keep on a multiprocessor, whose memory 2048 words would not fit. H100, 2026-11, 2^28 normals
// of 32 and 64 bits: 1792 words take 1.14 and 1.77 ms, 1024 words 1.20 and 1.88; with 2 or 4 blocks
// both take longer.
inline constexpr int kRandomWarps = 8;
inline constexpr int kRandomPartBlock = 32 * kRandomWarps;
inline constexpr int kRandomPartWords = 1792;
inline constexpr int kRandomUnroll = 8;
inline constexpr int kRandomFewestWords = 32 * kRandomUnroll;
inline constexpr int kRandomResident = 3;

}  // namespace gpuarray
