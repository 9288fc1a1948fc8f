// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels around the stable sort that brings the values of a scatter into buckets, each of
// kBucketSlots neighbouring elements of the array. A block then writes a bucket, of which it finds
// the last value for each element in shared memory.
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
      if (int64_t((p.entries[middle] & p.sorted_bits) >> p.bucket_shift) < bucket)
        first = middle + 1;
      else
        last = middle;
    }
    p.begins[bucket] = first;
  }
}

// Writes the last value of each element of a bucket; block b takes bucket b. Blocks have
// kBucketBlock threads.
template <class T>
__device__ void bucket_write_kernel(const BucketParams& p) {
  __shared__ uint32_t winners[kBucketSlots];  // number of the last entry plus 1, or 0
  wait_for_previous_grid();
  const int64_t begin = p.begins[blockIdx.x], end = p.begins[blockIdx.x + 1];
  if (begin == end) return;
  for (int slot = threadIdx.x; slot < kBucketSlots; slot += kBucketBlock) winners[slot] = 0;
  __syncthreads();
  const uint64_t* entries = p.entries + begin;
#pragma unroll 8
  for (int64_t k = threadIdx.x; k < end - begin; k += kBucketBlock) {
    const auto position = uint32_t(entries[k] >> entry_shift<T>);
    if (position != kBucketNowhere) atomicMax(&winners[position % kBucketSlots], uint32_t(k + 1));
  }
  __syncthreads();
  T* array = static_cast<T*>(p.array) + int64_t(blockIdx.x) * kBucketSlots * p.array_step;
  for (int slot = threadIdx.x; slot < kBucketSlots; slot += kBucketBlock) {
    if (winners[slot] == 0) continue;
    const int64_t k = int64_t(winners[slot]) - 1;
    if constexpr (entry_shift<T> > 0)
      array[slot * p.array_step] = T(entries[k]);
    else
      array[slot * p.array_step] = static_cast<const T*>(p.values)[begin + k];
  }
}

}  // namespace gpuarray
