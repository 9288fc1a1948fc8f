// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Finds the runs of equal elements in a sorted array: a mask of their first elements, the same as
// flags, and how many of them are in each tile, for the selection that follows.
#pragma once

#include "kernels/indexing/select.cuh"
#include "kernels/sort/sort_params.hpp"

namespace gpuarray {

template <class T>
__device__ bool has_nan(complex<T> value) {
  return value.re != value.re || value.im != value.im;
}

// Returns whether `value` begins a run, where `before` is the element before it.
template <class T>
__device__ bool begins_run(T value, T before, const SortRuns& p) {
  if constexpr (is_complex_v<T>) {
    if (has_nan(value)) return p.splits_nan || !has_nan(before);
    return value.re != before.re || value.im != before.im;
  } else {
    const KeyOrder<T> order{p.kind, T(p.infinity)};
    const T key = order_of_bits(value, order);
    return key != order_of_bits(before, order) || (p.splits_nan && key == T(-1));
  }
}

// Writes p.firsts, p.flags and p.counts. Blocks have kSelectBlock threads, and a warp takes each
// tile of kSelectTile elements. T is the unsigned integer of the element's size, or a complex type.
template <class T>
__device__ void sort_runs(const SortRuns& p) {
  wait_for_previous_grid();
  constexpr int kWidth = select_width<T>;
  constexpr int kRounds = 4;  // loads that a thread has in flight
  constexpr int kStep = 32 * kWidth;
  const int64_t tile = warp_tile();
  if (tile * kSelectTile >= p.count) return;
  const T* const sorted = static_cast<const T*>(p.sorted);
  int count = 0;
  for (int begin = 0; begin < kSelectTile; begin += kRounds * kStep) {
    const int64_t first = tile * kSelectTile + begin + warp_lane() * kWidth;
    Vec<T, kWidth> values[kRounds];
    T before[kRounds];
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const int64_t at = first + round * kStep;
      const int64_t left = p.count - at;
      if (left <= 0) continue;
      const uint32_t present = left < kWidth ? (1u << left) - 1 : (1u << kWidth) - 1;
      load_neighbours(values[round], sorted + at, present, p.vectors && left >= kWidth);
      before[round] = sorted[at > 0 ? at - 1 : 0];
    }
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const int64_t at = first + round * kStep;
      Vec<bool, kWidth> firsts;
      uint32_t flags = 0;
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        const T previous = i > 0 ? values[round].items[i > 0 ? i - 1 : 0] : before[round];
        firsts.items[i] =
            at + i < p.count && (at + i == 0 || begins_run(values[round].items[i], previous, p));
        flags |= uint32_t(firsts.items[i]) << i;
      }
      count += __popc(flags);
      store_flags<kWidth>(p.flags, at, flags);
      if (at + kWidth <= p.count) {
        store(p.firsts + at, firsts);
      } else {
#pragma unroll
        for (int i = 0; i < kWidth; ++i)
          if (at + i < p.count) p.firsts[at + i] = firsts.items[i];
      }
    }
  }
  store_tile_count(p.counts, tile, count);
}

}  // namespace gpuarray
