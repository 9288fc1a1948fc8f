// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the threads of a block share the units of a reduction (reduce_params.hpp) and combine their
// totals.
#pragma once

#include "kernels/reduce/reduce_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Holds the unit of a thread and the thread's share of the unit's elements.
struct Place {
  int64_t output;  // index of the unit's first output
  uint32_t lane;   // of the unit's lanes
  uint32_t chunk;
  int64_t begin, end;  // elements of the chunk
  bool active;         // whether there is such a unit
};

// threadIdx.x and blockIdx.x, read by volatile instructions, so that the compiler repeats them
// after the loops instead of keeping what it derives from them in registers.
__device__ inline uint32_t thread_index() {
#ifdef __CUDA_ARCH__
  uint32_t thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
#else
  return threadIdx.x;
#endif
}
__device__ inline uint32_t block_index() {
#ifdef __CUDA_ARCH__
  uint32_t block;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  return block;
#else
  return blockIdx.x;
#endif
}

// Returns the place of this thread, where a unit is `outputs_per_unit` outputs.
__device__ inline Place find_place(const ReduceParams& p, int outputs_per_unit) {
  const uint32_t thread = thread_index();
  const uint32_t block = block_index();
  const uint32_t inner = thread & (p.adjacent - 1);
  const uint32_t outer = thread / (p.lanes * p.adjacent);
  const uint32_t units_per_block = blockDim.x / p.lanes;
  Place place;
  place.lane = thread / p.adjacent & (p.lanes - 1);
  place.chunk = p.chunks > 1 ? block / p.unit_blocks : 0;
  const uint32_t unit_block = block - place.chunk * p.unit_blocks;
  const int64_t unit = int64_t(unit_block) * units_per_block + outer * p.adjacent + inner;
  place.output = unit * outputs_per_unit;
  place.begin = place.chunk * p.chunk_size;
  place.end = place.begin + p.chunk_size < p.count ? place.begin + p.chunk_size : p.count;
  place.active = unit < p.units;
  return place;
}

// Return the value of the lane `distance` above; all lanes of the warp must call it. Those for
// structs are in reduce_shuffles.cuh.
template <class T>
__device__ T shuffle_down(T value, uint32_t distance) {
  return __shfl_down_sync(0xffffffffu, value, distance);
}
__device__ inline bool shuffle_down(bool value, uint32_t distance) {
  return __shfl_down_sync(0xffffffffu, int(value), distance) != 0;
}
template <class T>
__device__ complex<T> shuffle_down(complex<T> value, uint32_t distance) {
  return {shuffle_down(value.re, distance), shuffle_down(value.im, distance)};
}

// Combines the totals of the lanes of each unit, always in the same order, and returns the result
// to lane 0. All threads of the block must call it. The units are those of its first kReduceBlock
// threads, of which there are more only if `has_more`, and of which this is number `thread`;
// `totals` is shared memory for a total of each.
template <class Reducer, bool has_more = false>
__device__ typename Reducer::accumulator combine_lanes(uint32_t thread, uint32_t lanes,
                                                       uint32_t adjacent,
                                                       typename Reducer::accumulator total,
                                                       typename Reducer::accumulator* totals) {
  uint32_t distance = lanes * adjacent / 2;
#pragma unroll 1
  for (; distance >= 32 && distance >= adjacent; distance /= 2) {
    if (!has_more || thread < kReduceBlock) totals[thread] = total;
    __syncthreads();
    if (thread + distance < kReduceBlock)
      total = Reducer::combine(total, totals[thread + distance]);
    __syncthreads();
  }
#pragma unroll 1
  for (; distance >= adjacent; distance /= 2)
    total = Reducer::combine(total, shuffle_down(total, distance));
  return total;
}
template <class Reducer>
__device__ typename Reducer::accumulator combine_lanes(const ReduceParams& p,
                                                       typename Reducer::accumulator total) {
  using Accumulator = typename Reducer::accumulator;
  alignas(16) __shared__ unsigned char storage[kReduceBlock * sizeof(Accumulator)];
  return combine_lanes<Reducer>(threadIdx.x, p.lanes, p.adjacent, total,
                                reinterpret_cast<Accumulator*>(storage));
}

}  // namespace gpuarray
