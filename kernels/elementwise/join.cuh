// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The concatenation of several contiguous arrays in one launch, which copies them as words of
// bytes.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/join_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Copies this block's words of one part. All addresses, widths and pitches are multiples of a Word.
template <class Word>
__device__ void join_part(const JoinParams& p, const JoinPart& part) {
  const int64_t first = int64_t(blockIdx.x - part.first_block) * (kJoinBlock * kJoinRounds);
  const auto* source = static_cast<const Word*>(part.source);
  Word words[kJoinRounds];
#pragma unroll
  for (int round = 0; round < kJoinRounds; ++round) {
    const int64_t at = first + round * kJoinBlock + threadIdx.x;
    if (at < part.words) words[round] = source[at];
  }
#pragma unroll
  for (int round = 0; round < kJoinRounds; ++round) {
    const int64_t at = first + round * kJoinBlock + threadIdx.x;
    if (at >= part.words) continue;
    const uint32_t row = part.row_words.divide(uint32_t(at));
    const uint32_t column = uint32_t(at) - row * part.row_words.divisor;
    char* target = static_cast<char*>(p.target) + row * p.pitch + part.offset;
    reinterpret_cast<Word*>(target)[column] = words[round];
  }
}

// Copies the parts of a concatenation into the target. Blocks have kJoinBlock threads, each of
// which copies kJoinRounds words; a part's blocks begin at its first_block.
__device__ inline void join_kernel(const JoinParams& p) {
  wait_for_previous_grid();
  int k = 0;
  while (k + 1 < p.parts && blockIdx.x >= p.part[k + 1].first_block) ++k;
  const JoinPart& part = p.part[k];
  switch (part.word) {
    case 16:
      return join_part<uint4>(p, part);
    case 8:
      return join_part<uint64_t>(p, part);
    case 4:
      return join_part<uint32_t>(p, part);
    case 2:
      return join_part<uint16_t>(p, part);
    default:
      return join_part<uint8_t>(p, part);
  }
}

}  // namespace gpuarray
