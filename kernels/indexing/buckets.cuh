// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels around the stable sort that brings the values of a scatter into buckets, each of
// kBucketSlots neighbouring elements of the array. A block then writes a bucket, of which it finds
// the last value for each element in shared memory; of long buckets many blocks find it together.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/indexing/index_errors.cuh"
#include "kernels/indexing/indexed_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Values of up to four bytes stand in the lower half of an entry, below the position.
template <class T>
inline constexpr int entry_shift = sizeof(T) <= 4 ? 32 : 0;

// Makes an entry of each index and value, and notes indices out of bounds. Any launch shape works:
// the threads of the grid loop over the entries.
template <class T>
__device__ void bucket_pack_kernel(const BucketParams& p) {
  wait_for_previous_grid();
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < p.size; at += step) {
    const int64_t index = p.index[at];
    const T value = static_cast<const T*>(p.source)[at];
    int64_t position;
    if (!p.axis.find<false>(index, position)) {
      note_if_beyond(p.axis, index);
      position = kBucketNowhere;
    }
    uint64_t entry = uint64_t(position) << entry_shift<T>;
    if constexpr (entry_shift<T> > 0)
      entry |= value;
    else
      static_cast<T*>(p.values)[at] = value;
    p.entries[at] = entry;
  }
}

// Returns the bucket of a sorted entry.
__device__ inline int64_t bucket_of(const BucketParams& p, int64_t entry) {
  return int64_t((p.entries[entry] & p.sorted_bits) >> p.bucket_shift);
}

// Sets begins[b] to the first of the sorted entries whose bucket is not below b, for b up to the
// number of buckets. Any launch shape works.
__device__ inline void bucket_bounds_kernel(const BucketParams& p) {
  wait_for_previous_grid();
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t bucket = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; bucket <= p.buckets;
       bucket += step) {
    int64_t first = 0, last = p.size;
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      if (bucket_of(p, middle) < bucket)
        first = middle + 1;
      else
        last = middle;
    }
    p.begins[bucket] = first;
  }
}

// Whether a bucket has so many entries that it covers a tile of them.
__device__ inline bool is_long(int64_t begin, int64_t end) {
  return end - begin >= 2 * kBucketTile;
}

// The winners in memory of a long bucket, which are those of its first whole tile.
__device__ inline uint32_t* long_winners(const BucketParams& p, int64_t begin) {
  return p.winners + (begin + kBucketTile - 1) / kBucketTile * kBucketSlots;
}

// Sets the winners of a bucket that begins at `begin`: for each slot the number, counted from 1, of
// its last entry among those of [from, to), or 0. All threads of the block must call it.
__device__ inline void find_winners(const BucketParams& p, int64_t begin, int64_t from, int64_t to,
                                    uint32_t* winners) {
  for (int slot = threadIdx.x; slot < kBucketSlots; slot += kBucketBlock) winners[slot] = 0;
  __syncthreads();
#pragma unroll 8
  for (int64_t k = from + threadIdx.x; k < to; k += kBucketBlock) {
    const auto position = uint32_t(p.entries[k] >> p.position_shift);
    if (position != kBucketNowhere)
      atomicMax(&winners[position % kBucketSlots], uint32_t(k - begin + 1));
  }
  __syncthreads();
}

// Finds the winners of long buckets; block b takes tile b of kBucketTile entries, in which at most
// the first and the last entry are of long buckets. Blocks have kBucketBlock threads.
__device__ inline void bucket_long_kernel(const BucketParams& p) {
  __shared__ uint32_t winners[kBucketSlots];
  wait_for_previous_grid();
  const int64_t first = int64_t(blockIdx.x) * kBucketTile;
  const int64_t last = first + kBucketTile < p.size ? first + kBucketTile : p.size;
  const int64_t buckets[] = {bucket_of(p, first), bucket_of(p, last - 1)};
  for (int k = 0; k < 2; ++k) {
    const int64_t bucket = buckets[k];
    if (bucket >= p.buckets || (k > 0 && bucket == buckets[0])) return;
    const int64_t begin = p.begins[bucket], end = p.begins[bucket + 1];
    if (!is_long(begin, end)) continue;
    find_winners(p, begin, first > begin ? first : begin, last < end ? last : end, winners);
    uint32_t* all = long_winners(p, begin);
    for (int slot = threadIdx.x; slot < kBucketSlots; slot += kBucketBlock)
      if (winners[slot] != 0) atomicMax(all + slot, winners[slot]);
    __syncthreads();
  }
}

// Writes the last value of each element of a bucket; block b takes bucket b. Blocks have
// kBucketBlock threads.
template <class T>
__device__ void bucket_write_kernel(const BucketParams& p) {
  __shared__ uint32_t found[kBucketSlots];
  wait_for_previous_grid();
  const int64_t begin = p.begins[blockIdx.x], end = p.begins[blockIdx.x + 1];
  if (begin == end) return;
  const uint32_t* winners = found;
  if (is_long(begin, end))
    winners = long_winners(p, begin);
  else
    find_winners(p, begin, begin, end, found);
  T* array = static_cast<T*>(p.array) + int64_t(blockIdx.x) * kBucketSlots * p.array_step;
  for (int slot = threadIdx.x; slot < kBucketSlots; slot += kBucketBlock) {
    if (winners[slot] == 0) continue;
    const int64_t k = begin + int64_t(winners[slot]) - 1;
    if constexpr (entry_shift<T> > 0)
      array[slot * p.array_step] = T(p.entries[k]);
    else
      array[slot * p.array_step] = static_cast<const T*>(p.values)[k];
  }
}

}  // namespace gpuarray
