// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels before combine_rows where indices may spread over an array larger than the cache: a
// sample finds whether they do, and if so, indices and values are moved to buckets of neighbouring
// elements, in any order, so that atomic operations meet in the cache. Else they return at once.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/indexing/index_errors.cuh"
#include "kernels/indexing/indexed_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Finds whether indices are far from their neighbours, from each other, and seldom repeat. The grid
// is one block of kMoveBlock threads, of which each warp looks at a few stretches of 32 indices.
__device__ inline void combine_sample_kernel(const CombineBucketsParams& p) {
  constexpr int kSlots = 2 * kMoveBlock * kSampleStretches;
  __shared__ uint32_t holders[kSlots];  // an index plus 1, or 0
  __shared__ uint32_t near, repeated, smallest, largest;
  wait_for_previous_grid();
  for (int slot = threadIdx.x; slot < kSlots; slot += kMoveBlock) holders[slot] = 0;
  if (threadIdx.x == 0) near = repeated = largest = 0, smallest = ~0u;
  __syncthreads();
  const uint32_t lane = threadIdx.x & 31;
  for (int stretch = 0; stretch < kSampleStretches; ++stretch) {
    const uint32_t number = stretch * (kMoveBlock / 32) + threadIdx.x / 32;
    const int64_t begin = int64_t(p.size - 32) * number / (kSampleStretches * (kMoveBlock / 32));
    int64_t position;
    if (!p.axis.find<false>(p.index[begin + lane], position)) position = 0;
    const int64_t before = __shfl_up_sync(0xffffffffu, position, 1);
    const int64_t distance = position < before ? before - position : position - before;
    if (distance < kSampleNear) atomicAdd(&near, 1u);
    const auto holder = uint32_t(position + 1);
    // Fibonacci hashing: the upper bits of the product depend on all bits.
    const uint32_t slot = uint32_t(uint64_t(holder * 0x9e3779b9u) * kSlots >> 32);
    const uint32_t seen = atomicCAS(&holders[slot], 0u, holder);
    if (seen == holder) atomicAdd(&repeated, 1u);
    atomicMin(&smallest, uint32_t(position));
    atomicMax(&largest, uint32_t(position));
  }
  __syncthreads();
  constexpr uint32_t kFew = kMoveBlock * kSampleStretches / 4;
  if (threadIdx.x == 0)
    p.state->spread = near < kFew && repeated < kSampleRepeated &&
                      (largest - smallest) >> p.bucket_shift >= kMoveBuckets / 8;
}

// Counts the indices of each bucket. Any grid of blocks of kMoveBlock threads works.
__device__ inline void combine_count_kernel(const CombineBucketsParams& p) {
  __shared__ uint32_t counts[kMoveBuckets];
  wait_for_previous_grid();
  if (!p.state->spread) return;
  if (threadIdx.x < kMoveBuckets) counts[threadIdx.x] = 0;
  __syncthreads();
  const uint32_t step = gridDim.x * kMoveBlock;
#pragma unroll 4
  for (uint32_t at = blockIdx.x * kMoveBlock + threadIdx.x; at < p.size; at += step) {
    int64_t position;
    if (p.axis.find<false>(p.index[at], position))
      atomicAdd(&counts[position >> p.bucket_shift], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kMoveBuckets && counts[threadIdx.x] > 0) {
    atomicAdd(&p.state->counts[threadIdx.x], counts[threadIdx.x]);
    atomicAdd(&p.state->total, counts[threadIdx.x]);
  }
}

// Replaces each of kMoveBuckets numbers by the sum of those before it. All threads of the block
// must call it.
__device__ inline void sum_before(uint32_t (&numbers)[kMoveBuckets]) {
  const uint32_t at = threadIdx.x;
  for (int step = 1; step < kMoveBuckets; step *= 2) {
    const uint32_t other = at < kMoveBuckets && at >= step ? numbers[at - step] : 0;
    __syncthreads();
    if (at < kMoveBuckets) numbers[at] += other;
    __syncthreads();
  }
  const uint32_t sum = at > 0 && at < kMoveBuckets ? numbers[at - 1] : 0;
  __syncthreads();
  if (at < kMoveBuckets) numbers[at] = sum;
  __syncthreads();
}

// Moves positions and values, words of type T, to their buckets, and notes indices out of bounds.
// Any grid of blocks of kMoveBlock threads works. A block puts a tile in the order of the buckets
// in shared memory, so that what goes to a bucket is written together.
template <class T>
__device__ void combine_move_kernel(const CombineBucketsParams& p) {
  constexpr int kItems = 32 / int(sizeof(T));  // of a thread
  constexpr uint32_t kTile = kMoveBlock * kItems;
  __shared__ uint32_t begins[kMoveBuckets];   // of the buckets in memory
  __shared__ uint32_t counts[kMoveBuckets];   // of the buckets in the tile
  __shared__ uint32_t starts[kMoveBuckets];   // of the buckets in the tile
  __shared__ uint32_t targets[kMoveBuckets];  // where the buckets of the tile go, less their starts
  __shared__ T items[kTile];                  // positions, then values
  wait_for_previous_grid();
  if (!p.state->spread) return;
  auto* placed = reinterpret_cast<uint32_t*>(items);
  const uint32_t thread = threadIdx.x;
  if (thread < kMoveBuckets) begins[thread] = p.state->counts[thread];
  __syncthreads();
  sum_before(begins);
  for (uint32_t first = blockIdx.x * kTile; first < p.size; first += gridDim.x * kTile) {
    if (thread < kMoveBuckets) counts[thread] = 0;
    __syncthreads();
    uint32_t positions[kItems], places[kItems];
    T values[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = first + k * kMoveBlock + thread;
      positions[k] = kBucketNowhere;
      if (at >= p.size) continue;
      const int64_t index = p.index[at];
      values[k] = static_cast<const T*>(p.values)[at];
      int64_t position;
      if (p.axis.find<false>(index, position))
        positions[k] = uint32_t(position);
      else
        note_if_beyond(p.axis, index);
    }
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if (positions[k] != kBucketNowhere)
        places[k] = atomicAdd(&counts[positions[k] >> p.bucket_shift], 1u);
    __syncthreads();
    if (thread < kMoveBuckets) starts[thread] = counts[thread];
    __syncthreads();
    sum_before(starts);
    if (thread < kMoveBuckets)
      targets[thread] =
          begins[thread] - starts[thread] +
          (counts[thread] > 0 ? atomicAdd(&p.state->moved[thread], counts[thread]) : 0);
    const uint32_t count = starts[kMoveBuckets - 1] + counts[kMoveBuckets - 1];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (positions[k] == kBucketNowhere) continue;
      places[k] += starts[positions[k] >> p.bucket_shift];
      placed[places[k]] = positions[k];
    }
    __syncthreads();
    uint32_t target[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = k * kMoveBlock + thread;
      if (at >= count) continue;
      target[k] = targets[placed[at] >> p.bucket_shift] + at;
      p.moved_positions[target[k]] = placed[at];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if (positions[k] != kBucketNowhere) items[places[k]] = values[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = k * kMoveBlock + thread;
      if (at < count) static_cast<T*>(p.moved_values)[target[k]] = items[at];
    }
    __syncthreads();
  }
}

}  // namespace gpuarray
