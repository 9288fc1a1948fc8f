// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Copies of rows whose bytes lie at any addresses: rolled, cut out or padded arrays of small
// elements. A thread stores aligned chunks of the target, whose bytes it shifts out of the two
// chunks of the source that hold them.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/copy_rows_params.hpp"
#include "kernels/elementwise/rows.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// One chunk of the target: its address, which of its bytes are of the row, and where these lie in
// the source.
struct CopiedChunk {
  char* target;
  const char* source;  // of the chunk's first byte, even if that is not of the row
  int begin;
  int end;  // 0 if the row has no byte in the chunk
  uint32_t words[kCopyChunk / 4];

  // Finds the chunk.
  __device__ void find(const CopyRowsParams& p, uint32_t index) {
    const uint32_t row = p.per_row.divide(index);
    const uint32_t chunk = index - row * p.per_row.divisor;
    int64_t offsets[2] = {};
    add_outer<false>(p.outer, row, offsets);
    char* const row_begin = static_cast<char*>(p.target) + offsets[0];
    const auto misaligned = int64_t(reinterpret_cast<uint64_t>(row_begin) % kCopyChunk);
    const int64_t at = int64_t(chunk) * kCopyChunk - misaligned;  // in the row
    target = row_begin + at;
    source = static_cast<const char*>(p.source) + offsets[1] + at;
    begin = at < 0 ? int(-at) : 0;
    end = p.bytes - at >= kCopyChunk ? kCopyChunk : p.bytes > at ? int(p.bytes - at) : 0;
  }

  // Reads the bytes of the row, and others beside them.
  __device__ void read(const CopyRowsParams& p) {
    if (end == 0) return;
    const auto shift = uint32_t(reinterpret_cast<uint64_t>(source) % kCopyChunk);
    const char* low = source - shift;
    const char* high = shift == 0 ? low : low + kCopyChunk;
    if (low < p.first || high + kCopyChunk > p.last) return read_bytes();
    const uint4 a = *reinterpret_cast<const uint4*>(low);
    const uint4 b = *reinterpret_cast<const uint4*>(high);
    uint32_t all[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 6; ++i)
      if (shift & 8) all[i] = all[i + 2];
#pragma unroll
    for (int i = 0; i < 5; ++i)
      if (shift & 4) all[i] = all[i + 1];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      words[i] = uint32_t((uint64_t(all[i + 1]) << 32 | all[i]) >> shift % 4 * 8);
  }

  __device__ void write() const {
    if (end == 0) return;
    if (begin == 0 && end == kCopyChunk) {
      *reinterpret_cast<uint4*>(target) = {words[0], words[1], words[2], words[3]};
      return;
    }
#pragma unroll
    for (int i = 0; i < kCopyChunk; ++i)
      if (i >= begin && i < end) target[i] = char(words[i / 4] >> i % 4 * 8);
  }

 private:
  // Does so without the others, which may be no memory.
  __device__ void read_bytes() {
#pragma unroll
    for (int i = 0; i < kCopyChunk; ++i) {
      if (i % 4 == 0) words[i / 4] = 0;
      if (i >= begin && i < end) words[i / 4] |= uint32_t(uint8_t(source[i])) << i % 4 * 8;
    }
  }
};

// Blocks have kCopyRowsBlock threads, each of which copies kCopyRowsRounds chunks.
__device__ inline void copy_rows_kernel(const CopyRowsParams& p) {
  wait_for_previous_grid();
  const int64_t first = int64_t(blockIdx.x) * (kCopyRowsBlock * kCopyRowsRounds) + threadIdx.x;
  CopiedChunk chunks[kCopyRowsRounds];
#pragma unroll
  for (int round = 0; round < kCopyRowsRounds; ++round) {
    const int64_t index = first + round * kCopyRowsBlock;
    chunks[round].end = 0;
    if (index < p.chunks) chunks[round].find(p, uint32_t(index));
    chunks[round].read(p);
  }
#pragma unroll
  for (int round = 0; round < kCopyRowsRounds; ++round) chunks[round].write();
}

}  // namespace gpuarray
