// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/random/draws.cuh"
#include "kernels/random/units.cuh"

namespace gpuarray {

// Advances the state once all blocks of the grid have read it. Thread 0 of each block calls it,
// after a barrier behind the reads.
template <int bits, class Stream>
__device__ void advance_after_readers(const Stream& stream, PendingHalf pending, RandomState& state,
                                      int64_t units) {
  if (gridDim.x > 1) {
    __threadfence();
    if (atomicAdd(&state.readers, 1u) + 1 < gridDim.x) return;
    state.readers = 0;
  }
  advance_state<bits>(stream, pending, state, units);
}

// Makes p.count results, one of each unit. A thread takes one or two words at a time, whose
// results it stores by vectors of 16 bytes, unless a pending half comes before them.
template <class Stream, class Draw>
__device__ void fixed_draws(const RandomParams& p) {
  using Result = typename Draw::result;
  constexpr int bits = Draw::bits;
  constexpr int items = 16 / int(sizeof(Result));
  constexpr int length = items * bits > 64 ? 2 : 1;  // words
  constexpr int units = 64 * length / bits;
  wait_for_previous_grid();

  const Stream stream(*p.state);
  const PendingHalf pending{p.state->words[7]};
  const int64_t first = int64_t{blockIdx.x} * kRandomBlock + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kRandomBlock;
  typename Stream::template Runs<length> runs(stream, first, step);
  __syncthreads();
  if (threadIdx.x == 0) advance_after_readers<bits>(stream, pending, *p.state, p.count);

  auto* out = static_cast<Result*>(p.out);
  int64_t left = p.count;
  if (bits < 64 && pending.any()) {
    constexpr int parts = bits < 64 ? 32 / bits : 1;
    const uint64_t half[] = {pending.half()};
    for (int k = int(threadIdx.x); first < kRandomBlock && k < parts && k < left; k += kRandomBlock)
      out[k] = Draw::value(p, unit_of<bits>(half, k));
    out += parts;
    left -= parts;
  }
  const bool aligned = reinterpret_cast<uint64_t>(out) % 16 == 0;
  for (int64_t at = first * units; at < left; at += step * units) {
    uint64_t words[length];
    runs.take(words);
    const bool whole = aligned && at + units <= left;
#pragma unroll
    for (int k = 0; k < units; k += items) {
      Vec<Result, items> results;
#pragma unroll
      for (int j = 0; j < items; ++j)
        results.items[j] = Draw::value(p, unit_of<bits>(words, k + j));
      if (whole) {
        store(out + at + k, results);
        continue;
      }
#pragma unroll
      for (int j = 0; j < items; ++j)
        if (at + k + j < left) out[at + k + j] = results.items[j];
    }
  }
}

}  // namespace gpuarray
