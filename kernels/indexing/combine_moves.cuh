// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels before combine_rows where indices may spread over an array larger than the cache: a
// sample finds whether they do, and if so, indices and values are moved to groups of neighbouring
// elements and then to parts of each group, in any order, so that a block can keep the partial
// results of a part. Else they return at once.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/indexing/index_errors.cuh"
#include "kernels/indexing/indexed_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Finds whether indices are far from their neighbours, seldom repeat, and crowd no part. The grid
// is one block of kMoveBlock threads, of which each warp looks at a few stretches of 32 indices.
__device__ inline void combine_sample_kernel(const CombineMovesParams& p) {
  constexpr int kSlots = 2 * kMoveBlock * kSampleStretches;
  __shared__ uint32_t holders[kSlots];  // an index plus 1, or 0
  __shared__ uint32_t crowds[kSlots];   // how many indices are of each part, by its hash
  __shared__ uint32_t near, repeated, largest;
  wait_for_previous_grid();
  for (int slot = threadIdx.x; slot < kSlots; slot += kMoveBlock) holders[slot] = crowds[slot] = 0;
  if (threadIdx.x == 0) near = repeated = largest = 0;
  __syncthreads();
  const uint32_t lane = threadIdx.x & 31;
  for (int stretch = 0; stretch < kSampleStretches; ++stretch) {
    const uint32_t number = stretch * (kMoveBlock / 32) + threadIdx.x / 32;
    const int64_t begin = int64_t(p.size - 32) * number / (kSampleStretches * (kMoveBlock / 32));
    int64_t position;
    if (!p.axis.find<false>(p.index[begin + lane], position)) position = 0;
    const int64_t before = __shfl_up_sync(0xffffffffu, position, 1);
    const int64_t distance = position < before ? before - position : position - before;
    if (lane > 0 && distance < kSampleNear) atomicAdd(&near, 1u);
    const auto holder = uint32_t(position + 1);
    // Fibonacci hashing: the upper bits of the product depend on all bits.
    const uint32_t slot = uint32_t(uint64_t(holder * 0x9e3779b9u) * kSlots >> 32);
    const uint32_t seen = atomicCAS(&holders[slot], 0u, holder);
    if (seen == holder) atomicAdd(&repeated, 1u);
    const uint32_t part = uint32_t(position >> p.part_shift);
    atomicMax(&largest, atomicAdd(&crowds[part % kSlots], 1u) + 1);
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  constexpr uint32_t kQuarter = kMoveBlock * kSampleStretches / 4;
  const bool is_near = near >= kQuarter;
  p.state->near = is_near && repeated < kQuarter;
  p.state->spread = !is_near && repeated < kSampleRepeated && largest < kSampleCrowd;
}

// Return the group of an element, and the part of its group.
__device__ inline uint32_t group_of(const CombineMovesParams& p, uint32_t position) {
  return position >> p.part_shift >> kMoveGroupBits;
}
__device__ inline uint32_t part_of(const CombineMovesParams& p, uint32_t position) {
  return (position >> p.part_shift) % kMoveGroups;
}

// Counts the indices of each group. Any grid of blocks of kMoveBlock threads works.
__device__ inline void combine_count_groups_kernel(const CombineMovesParams& p) {
  __shared__ uint32_t counts[kMoveGroups];
  wait_for_previous_grid();
  if (!p.state->spread) return;
  if (threadIdx.x < kMoveGroups) counts[threadIdx.x] = 0;
  __syncthreads();
  const uint32_t step = gridDim.x * kMoveBlock;
#pragma unroll 4
  for (uint32_t at = blockIdx.x * kMoveBlock + threadIdx.x; at < p.size; at += step) {
    int64_t position;
    if (p.axis.find<false>(p.index[at], position))
      atomicAdd(&counts[group_of(p, uint32_t(position))], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kMoveGroups && counts[threadIdx.x] > 0)
    atomicAdd(&p.state->groups.counts[threadIdx.x], counts[threadIdx.x]);
}

// The values that were moved to groups.
__device__ inline uint32_t moved_size(const CombineMovesParams& p) {
  return p.state->groups.next[kMoveGroups - 1];
}

// Counts the positions of each part. Any grid of blocks of kMoveBlock threads works.
__device__ inline void combine_count_parts_kernel(const CombineMovesParams& p) {
  constexpr uint32_t kTile = kMoveBlock * 16;
  __shared__ uint32_t counts[kMoveGroups];
  wait_for_previous_grid();
  if (!p.state->spread) return;
  const uint32_t* positions = p.moved_positions[0];
  const uint32_t size = moved_size(p), thread = threadIdx.x;
  for (uint32_t first = blockIdx.x * kTile; first < size; first += gridDim.x * kTile) {
    const uint32_t end = first + kTile < size ? first + kTile : size;
    const uint32_t last_group = group_of(p, positions[end - 1]);
    for (uint32_t group = group_of(p, positions[first]); group <= last_group; ++group) {
      if (thread < kMoveGroups) counts[thread] = 0;
      __syncthreads();
#pragma unroll 4
      for (uint32_t at = first + thread; at < end; at += kMoveBlock)
        if (group_of(p, positions[at]) == group) atomicAdd(&counts[part_of(p, positions[at])], 1u);
      __syncthreads();
      if (thread < kMoveGroups && counts[thread] > 0)
        atomicAdd(&p.state->parts.counts[group * kMoveGroups + thread], counts[thread]);
      __syncthreads();
    }
  }
}

// Replaces each of kMoveGroups numbers by the sum of those before it. All threads of the block
// must call it.
__device__ inline void sum_before(uint32_t (&numbers)[kMoveGroups]) {
  const uint32_t at = threadIdx.x;
  for (int step = 1; step < kMoveGroups; step *= 2) {
    const uint32_t other = at < kMoveGroups && at >= step ? numbers[at - step] : 0;
    __syncthreads();
    if (at < kMoveGroups) numbers[at] += other;
    __syncthreads();
  }
  const uint32_t sum = at > 0 && at < kMoveGroups ? numbers[at - 1] : 0;
  __syncthreads();
  if (at < kMoveGroups) numbers[at] = sum;
  __syncthreads();
}

// Finds where the values of each group begin, or if `parts` those of each part of group b in block
// b. Blocks have kMoveBlock threads.
template <bool parts>
__device__ void combine_begins_kernel(const CombineMovesParams& p) {
  __shared__ uint32_t begins[kMoveGroups];
  wait_for_previous_grid();
  CombineState& state = *p.state;
  if (!state.spread) return;
  const uint32_t at = (parts ? blockIdx.x * kMoveGroups : 0) + threadIdx.x;
  if (threadIdx.x < kMoveGroups)
    begins[threadIdx.x] = parts ? state.parts.counts[at] : state.groups.counts[at];
  __syncthreads();
  sum_before(begins);
  if (threadIdx.x >= kMoveGroups) return;
  if constexpr (parts)
    state.parts.next[at] =
        begins[threadIdx.x] + state.groups.next[blockIdx.x] - state.groups.counts[blockIdx.x];
  else
    state.groups.next[at] = begins[threadIdx.x];
}

// A tile of positions and values that a block moves: kItems of each thread, kMoveBlock apart.
template <class T>
struct MovedTile {
  static constexpr int kItems = 32 / int(sizeof(T));
  static constexpr uint32_t kSize = kMoveBlock * kItems;
  uint32_t positions[kItems];  // or kBucketNowhere
  T values[kItems];

  // Loads indices and values, and notes indices out of bounds.
  __device__ void load(const CombineMovesParams& p, uint32_t first) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = first + k * kMoveBlock + threadIdx.x;
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
  }
  // Loads what was moved to groups.
  __device__ void load_moved(const CombineMovesParams& p, uint32_t first, uint32_t size) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = first + k * kMoveBlock + threadIdx.x;
      positions[k] = kBucketNowhere;
      if (at >= size) continue;
      positions[k] = p.moved_positions[0][at];
      values[k] = static_cast<const T*>(p.moved_values[0])[at];
    }
  }
};

// Puts a tile into the order of kMoveGroups buckets in shared memory, so that what goes to a bucket
// is written together.
template <class T>
struct TileOrder {
  uint32_t counts[kMoveGroups];   // of the tile's values in each bucket
  uint32_t starts[kMoveGroups];   // of the buckets in the tile
  uint32_t targets[kMoveGroups];  // where the buckets of the tile go, less their starts
  T items[MovedTile<T>::kSize];   // positions, then values

  // Writes the tile's positions and values whose bucket_of(position) is below kMoveGroups. `next`
  // has the places of the buckets. All threads of the block must call it.
  template <class BucketOf>
  __device__ void move(const MovedTile<T>& tile, BucketOf bucket_of, uint32_t* next,
                       uint32_t* positions, T* values) {
    constexpr int kItems = MovedTile<T>::kItems;
    auto* placed = reinterpret_cast<uint32_t*>(items);
    const uint32_t thread = threadIdx.x;
    if (thread < kMoveGroups) counts[thread] = 0;
    __syncthreads();
    uint32_t places[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t bucket = bucket_of(tile.positions[k]);
      if (bucket < kMoveGroups) places[k] = atomicAdd(&counts[bucket], 1u);
    }
    __syncthreads();
    if (thread < kMoveGroups) starts[thread] = counts[thread];
    __syncthreads();
    sum_before(starts);
    if (thread < kMoveGroups && counts[thread] > 0)
      targets[thread] = atomicAdd(next + thread, counts[thread]) - starts[thread];
    const uint32_t count = starts[kMoveGroups - 1] + counts[kMoveGroups - 1];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t bucket = bucket_of(tile.positions[k]);
      if (bucket >= kMoveGroups) continue;
      places[k] += starts[bucket];
      placed[places[k]] = tile.positions[k];
    }
    __syncthreads();
    uint32_t target[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = k * kMoveBlock + thread;
      if (at >= count) continue;
      target[k] = targets[bucket_of(placed[at])] + at;
      positions[target[k]] = placed[at];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if (bucket_of(tile.positions[k]) < kMoveGroups) items[places[k]] = tile.values[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const uint32_t at = k * kMoveBlock + thread;
      if (at < count) values[target[k]] = items[at];
    }
    __syncthreads();
  }
};

// Moves positions and values, words of type T, to their groups. Any grid of blocks of kMoveBlock
// threads works.
template <class T>
__device__ void combine_to_groups_kernel(const CombineMovesParams& p) {
  __shared__ TileOrder<T> order;
  wait_for_previous_grid();
  if (!p.state->spread) return;
  const auto bucket_of = [&](uint32_t position) {
    return position == kBucketNowhere ? kMoveGroups : group_of(p, position);
  };
  MovedTile<T> tile;
  for (uint32_t first = blockIdx.x * tile.kSize; first < p.size; first += gridDim.x * tile.kSize) {
    tile.load(p, first);
    order.move(tile, bucket_of, p.state->groups.next, p.moved_positions[0],
               static_cast<T*>(p.moved_values[0]));
  }
}

// Moves them on to the parts of their groups, of which a tile seldom has more than one.
template <class T>
__device__ void combine_to_parts_kernel(const CombineMovesParams& p) {
  __shared__ TileOrder<T> order;
  wait_for_previous_grid();
  if (!p.state->spread) return;
  const uint32_t size = moved_size(p);
  MovedTile<T> tile;
  for (uint32_t first = blockIdx.x * tile.kSize; first < size; first += gridDim.x * tile.kSize) {
    tile.load_moved(p, first, size);
    const uint32_t last = first + tile.kSize < size ? first + tile.kSize - 1 : size - 1;
    const uint32_t last_group = group_of(p, p.moved_positions[0][last]);
    for (uint32_t group = group_of(p, p.moved_positions[0][first]); group <= last_group; ++group) {
      const auto bucket_of = [&](uint32_t position) {
        const bool counts = position != kBucketNowhere && group_of(p, position) == group;
        return counts ? part_of(p, position) : kMoveGroups;
      };
      order.move(tile, bucket_of, p.state->parts.next + group * kMoveGroups, p.moved_positions[1],
                 static_cast<T*>(p.moved_values[1]));
    }
  }
}

}  // namespace gpuarray
