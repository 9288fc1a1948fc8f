// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Finds the distinct elements of an array without a sort: each sets the bit of its key among those
// from the lowest key to the highest, and the keys whose bits are set are written in order. What a
// NaN or a zero looks like is noted beside the keys, of which all NaNs and both zeros have one.
#pragma once

#include "kernels/indexing/select.cuh"
#include "kernels/sort/sort_params.hpp"

namespace gpuarray {

// Calls visit(values, first, present) with this thread's elements of the tile, in vectors that lie
// side by side with those of the other threads, where the first of them is, and which exist. T is
// the unsigned integer of an element's size.
template <class T, class Visit>
__device__ void visit_tile(const DistinctKeys& p, int64_t tile, Visit visit) {
  constexpr int kWidth = select_width<T>;
  constexpr int kRounds = distinct_loads(sizeof(T)) / kWidth;
  const T* const source = static_cast<const T*>(p.source);
  const int64_t first =
      tile * (kSelectBlock * distinct_loads(sizeof(T))) + int64_t{threadIdx.x} * kWidth;
  Vec<T, kWidth> values[kRounds];
  uint32_t present = 0;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int64_t at = first + round * kSelectBlock * kWidth;
    const int64_t left = p.count - at;
    if (left <= 0) continue;
    const uint32_t own = left < kWidth ? (1u << left) - 1 : (1u << kWidth) - 1;
    load_neighbours(values[round], source + at, own, p.vectors && left >= kWidth);
    present |= own << (round * kWidth);
  }
  visit(values, first, present);
}

// Lowers `least`, in shared memory, to the least number of the block's threads.
__device__ inline void lower_shared(uint64_t& least, uint64_t own) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const uint64_t other = __shfl_xor_sync(0xffffffff, own, step);
    own = other < own ? other : own;
  }
  if (warp_lane() == 0) atomicMin(reinterpret_cast<unsigned long long*>(&least), own);
}

// Returns whether the key (order_of_bits) is that of a NaN.
template <class T>
__device__ bool is_nan_key(T key, const KeyOrder<T>& order) {
  return order.kind == KeyKind::floating && key == T(-1);
}

// Writes p.range->span and scattered, from sampled elements. The stretch from their lowest key to
// their highest is divided into kDistinctBins; elements are scattered if their bin has fewer than
// those have on average that kDistinctCached bits could hold. A single block runs it.
template <class T>
__device__ void distinct_sample(const DistinctKeys& p) {
  wait_for_previous_grid();
  __shared__ uint32_t bins[kDistinctBins], scattered;
  __shared__ uint64_t lowest, below_highest;
  if (threadIdx.x == 0) scattered = 0, lowest = below_highest = ~uint64_t{0};
  for (int k = threadIdx.x; k < kDistinctBins; k += kDistinctSampleBlock) bins[k] = 0;
  __syncthreads();
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  const int64_t step = p.count / kDistinctSamples;  // 0 of few, which is one element
  const auto key_of = [&](int k) {
    return order_of_bits(static_cast<const T*>(p.source)[k * step], order);
  };
  T low = T(-1), high = 0;
  for (int k = threadIdx.x; k < kDistinctSamples; k += kDistinctSampleBlock) {
    const T key = key_of(k);
    low = key < low ? key : low;
    if (!is_nan_key(key, order) && key > high) high = key;
  }
  lower_shared(lowest, low);
  lower_shared(below_highest, ~uint64_t(high));
  __syncthreads();
  const uint64_t span = ~below_highest > lowest ? ~below_highest - lowest : 0;
  const uint64_t stretch = span / kDistinctBins + 1;
  for (int k = threadIdx.x; k < kDistinctSamples; k += kDistinctSampleBlock)
    if (const T key = key_of(k); key >= lowest && key - lowest <= span)  // else a NaN, or newer
      atomicAdd(&bins[(key - lowest) / stretch], 1u);
  __syncthreads();
  const uint64_t kept = kDistinctCached / stretch;
  for (int k = threadIdx.x; k < kDistinctBins; k += kDistinctSampleBlock)
    if (bins[k] * kept < kDistinctSamples) atomicAdd(&scattered, bins[k]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  p.range->span = span;
  p.range->scattered = scattered;
}

// Lowers the first numbers of p.range to those of the elements, unless the sampled ones show that
// the bits of the keys would be too many.
template <class T>
__device__ void distinct_range(const DistinctKeys& p) {
  wait_for_previous_grid();
  if (!are_keys_near(p.range->span, p.range->scattered, p.count)) return;
  constexpr int kWidth = select_width<T>, kLoads = distinct_loads(sizeof(T));
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  const uint64_t none = ~uint64_t{0};
  T lowest = T(-1), highest = 0;
  uint64_t nan = none, zero = none;
  for (int64_t tile = blockIdx.x; tile * (kSelectBlock * kLoads) < p.count; tile += gridDim.x)
    visit_tile<T>(p, tile, [&](const auto& values, int64_t first, uint32_t present) {
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        if ((present >> i & 1) == 0) continue;
        const T bits = values[i / kWidth].items[i % kWidth];
        const T key = order_of_bits(bits, order);
        if (is_shared(key, order)) {
          if (is_nan_key(key, order)) {
            const uint64_t seen = T(key_of_bits(bits, order) - 1);
            nan = seen < nan ? seen : nan;
            continue;
          }
          const int64_t at = first + i / kWidth * (kSelectBlock * kWidth) + i % kWidth;
          const uint64_t seen = (sizeof(T) > 2 ? 2 * uint64_t(at) : 0) + (bits == 0);
          zero = seen < zero ? seen : zero;
        }
        lowest = key < lowest ? key : lowest;
        highest = key > highest ? key : highest;
      }
    });
  __shared__ KeyRange least;
  if (threadIdx.x == 0) least = {none, none, none, none, none, none};
  __syncthreads();
  lower_shared(least.lowest, lowest <= highest ? uint64_t(lowest) : none);
  lower_shared(least.below_highest, lowest <= highest ? ~uint64_t(highest) : none);
  if (p.kind == KeyKind::floating) {
    lower_shared(least.nan, nan);
    lower_shared(least.zero, zero);
  }
  __syncthreads();
  constexpr int kNumbers = sizeof(KeyRange) / sizeof(uint64_t);
  if (threadIdx.x >= kNumbers) return;
  const uint64_t own = reinterpret_cast<const uint64_t*>(&least)[threadIdx.x];
  if (own != none) atomicMin(reinterpret_cast<unsigned long long*>(p.range) + threadIdx.x, own);
}

// Sets the bits of the elements in p.bits; block k takes tile k * p.tile_step. A word that is read
// may lack a bit that another thread sets, which is then set again.
template <class T>
__device__ void distinct_mark(const DistinctKeys& p) {
  wait_for_previous_grid();
  constexpr int kWidth = select_width<T>, kLoads = distinct_loads(sizeof(T));
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  visit_tile<T>(p, blockIdx.x * p.tile_step, [&](const auto& values, int64_t, uint32_t present) {
    uint32_t bit[kLoads];
    bool is_set[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const T key = order_of_bits(values[i / kWidth].items[i % kWidth], order);
      const T offset = T(key - T(p.lowest));
      if (offset > T(p.highest - p.lowest))
        present &= ~(1u << i);  // a NaN, or newer than the range
      bit[i] = uint32_t(offset);
      const bool repeats = i > 0 && (present >> (i - 1) & 1) != 0 && bit[i] == bit[i - 1];
      const bool looks = (present >> i & 1) != 0 && !repeats;
      is_set[i] = !looks || (p.bits[bit[i] / 32] >> (bit[i] % 32) & 1) != 0;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (!is_set[i]) atomicOr(p.bits + bit[i] / 32, 1u << (bit[i] % 32));
  });
}

// The 64 bits of a tile that a lane of its warp takes.
__device__ inline uint64_t lane_bits(const DistinctKeys& p, int64_t tile) {
  return reinterpret_cast<const uint64_t*>(p.bits)[tile * 32 + warp_lane()];
}

// Counts the bits that are set in each tile of kSelectTile.
__device__ inline void distinct_count(const DistinctKeys& p) {
  wait_for_previous_grid();
  const int64_t first = warp_tile() * kDistinctTiles, tiles = (p.size - 1) / kSelectTile + 1;
  uint64_t bits[kDistinctTiles] = {};
#pragma unroll
  for (int k = 0; k < kDistinctTiles; ++k)
    if (first + k < tiles) bits[k] = lane_bits(p, first + k);
#pragma unroll
  for (int k = 0; k < kDistinctTiles; ++k)
    if (first + k < tiles) store_tile_count(p.counts, first + k, __popcll(bits[k]));
}

// Returns the sum of the numbers of lower lanes; all lanes must call it.
__device__ inline uint32_t sum_of_lower_lanes(uint32_t own) {
  uint32_t sum = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t lower = __shfl_up_sync(0xffffffff, sum, step);
    if (warp_lane() >= step) sum += lower;
  }
  return sum - own;
}

// Writes the elements of the keys whose bits are set, in order, then a NaN if there is one.
template <class T>
__device__ void distinct_write(const DistinctKeys& p) {
  wait_for_previous_grid();
  // The places of set bits in their tile. Lanes begin in different banks if all bits are set.
  constexpr auto padded = [](uint32_t i) { return i + i / 64 * 2; };
  __shared__ uint16_t places[kSelectBlock / 32][padded(kSelectTile)];
  uint16_t* const own = places[threadIdx.x >> 5];
  const KeyOrder<T> order{p.kind, T(p.infinity)};
  const T zero = key_of_bits(T(0), order);
  T* const target = static_cast<T*>(p.target);
  if (p.nan != 0 && blockIdx.x == 0 && threadIdx.x == 0)
    target[p.found] = bits_of_key(T(p.nan), order);
  const int64_t first = warp_tile() * kDistinctTiles, tiles = (p.size - 1) / kSelectTile + 1;
  for (int64_t tile = first; tile < first + kDistinctTiles && tile < tiles; ++tile) {
    const int64_t begin = tile > 0 ? p.sums[tile - 1] : 0;
    const int count = int(p.sums[tile] - begin);
    if (count == 0) continue;
    uint64_t bits = lane_bits(p, tile);
    uint32_t place = sum_of_lower_lanes(__popcll(bits));
    for (; bits != 0; bits &= bits - 1)
      own[padded(place++)] = uint16_t(warp_lane() * 64 + __ffsll(bits) - 1);
    __syncwarp();
    for (int i = warp_lane(); i < count; i += 32) {
      const T key = T(p.lowest + tile * kSelectTile + own[padded(i)]);
      target[begin + i] = p.negative_zero && key == zero ? sign_bit<T> : bits_of_key(key, order);
    }
    __syncwarp();
  }
}

}  // namespace gpuarray
