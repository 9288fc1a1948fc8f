// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Selection by a mask. A first kernel writes the mask as bits and counts the true elements of each
// tile of kSelectTile; once the counts are summed up, every warp of the later kernels knows where
// its elements go. All kernels have kSelectBlock threads a block and a warp for each tile.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/indexing/select_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

__device__ inline uint32_t warp_lane() { return threadIdx.x & 31; }
// Returns the tile of this thread's warp.
__device__ inline int64_t warp_tile() {
  return int64_t(blockIdx.x) * (kSelectBlock / 32) + (threadIdx.x >> 5);
}

// Reads kFlagBits elements of the mask from `at` on as a word of flags; elements past `size` are
// false. If `vectors`, mask + at is aligned to 16 bytes.
__device__ inline uint32_t read_mask(const bool* mask, int64_t at, int64_t size, bool vectors) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(mask) + at;
  uint32_t flags = 0;
  if (vectors && at + kFlagBits <= size) {
    const auto loaded = *reinterpret_cast<const Vec<uint8_t, kFlagBits>*>(bytes);
#pragma unroll
    for (int i = 0; i < kFlagBits; ++i) flags |= uint32_t(loaded.items[i] != 0) << i;
  } else {
#pragma unroll
    for (int i = 0; i < kFlagBits; ++i)
      if (at + i < size) flags |= uint32_t(bytes[i] != 0) << i;
  }
  return flags;
}

// Loads the flags of `Count` neighbours from `at` on, which is a multiple of `Count`.
template <int Count>
__device__ uint32_t load_flags(const uint16_t* flags, int64_t at) {
  const uint32_t word = flags[at / kFlagBits];
  return Count == kFlagBits ? word : word >> (at % kFlagBits) & ((1u << Count) - 1);
}

// Stores the flags of each lane's `Count` neighbours from its `at` on. All lanes must call it, and
// their neighbours must lie side by side from a multiple of kFlagBits on.
template <int Count>
__device__ void store_flags(uint16_t* flags, int64_t at, uint32_t own) {
  uint32_t word = own << (at % kFlagBits);
#pragma unroll
  for (int step = 1; step < kFlagBits / Count; step *= 2)
    word |= __shfl_xor_sync(0xffffffff, word, step);
  if (at % kFlagBits == 0) flags[at / kFlagBits] = uint16_t(word);
}

// Stores the sum of the lanes' counts as the count of the tile; all lanes must call it.
__device__ inline void store_tile_count(int32_t* counts, int64_t tile, int count) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(0xffffffff, count, step);
  if (warp_lane() == 0) counts[tile] = count;
}

// Writes the flags of the mask and the counts of its tiles. Flags of a tile past the end of the
// mask are 0.
__device__ inline void count_tiles_kernel(const SelectParams& p) {
  wait_for_previous_grid();
  constexpr int kRounds = kSelectFlags / 32;
  const int64_t tile = warp_tile();
  if (tile * kSelectTile >= p.size) return;
  uint32_t flags[kRounds];
  int count = 0;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int64_t word = tile * kSelectFlags + round * 32 + warp_lane();
    flags[round] = read_mask(p.mask, word * kFlagBits, p.size, p.vectors);
    count += __popc(flags[round]);
  }
#pragma unroll
  for (int round = 0; round < kRounds; ++round)
    p.flags[tile * kSelectFlags + round * 32 + warp_lane()] = uint16_t(flags[round]);
  store_tile_count(p.counts, tile, count);
}

// Returns how many of the flags of lower lanes are set, and sets `total` to the number of all
// lanes; all lanes must call it.
template <int Count>
__device__ uint32_t rank_flags(uint32_t flags, uint32_t& total) {
  const uint32_t before = (1u << warp_lane()) - 1;
  uint32_t rank = 0;
  total = 0;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const uint32_t votes = __ballot_sync(0xffffffff, flags >> i & 1);
    rank += __popc(votes & before);
    total += __popc(votes);
  }
  return rank;
}

// The neighbouring elements that a lane takes in one access, and the elements that a warp packs at
// once.
template <class T>
inline constexpr int select_width = 16 / sizeof(T);
template <class T>
inline constexpr int select_chunk = 2048 / sizeof(T) < kSelectTile ? 2048 / sizeof(T) : kSelectTile;

// Loads a lane's neighbours: by one access if `vectors`, else only those whose flag is set.
template <class T>
__device__ void load_neighbours(Vec<T, select_width<T>>& values, const T* source, uint32_t flags,
                                bool vectors) {
  if (vectors) {
    values = *reinterpret_cast<const Vec<T, select_width<T>>*>(source);
  } else {
#pragma unroll
    for (int i = 0; i < select_width<T>; ++i)
      if (flags >> i & 1) values.items[i] = source[i];
  }
}

// Copies the elements of the array whose flags are set to `packed`, in order. A warp packs them in
// shared memory, so that it writes neighbours.
template <class T>
__device__ void select_kernel(const SelectParams& p) {
  wait_for_previous_grid();
  constexpr int kWidth = select_width<T>;
  constexpr int kChunk = select_chunk<T>;
  constexpr int kRounds = kChunk / (32 * kWidth);
  __shared__ T packed[kSelectBlock / 32][kChunk];
  T* const own = packed[threadIdx.x >> 5];
  const int64_t tile = warp_tile();
  if (tile * kSelectTile >= p.size) return;
  T* target = static_cast<T*>(p.packed) + (tile > 0 ? p.sums[tile - 1] : 0);
  for (int chunk = 0; chunk < kSelectTile; chunk += kChunk) {
    const int64_t first = tile * kSelectTile + chunk + warp_lane() * kWidth;
    uint32_t flags[kRounds];
    Vec<T, kWidth> values[kRounds];
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
      flags[round] = load_flags<kWidth>(p.flags, first + round * 32 * kWidth);
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const int64_t at = first + round * 32 * kWidth;
      if (flags[round] != 0)
        load_neighbours(values[round], static_cast<const T*>(p.array) + at, flags[round],
                        p.vectors && at + kWidth <= p.size);
    }
    uint32_t count = 0;
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      uint32_t total;
      uint32_t place = count + rank_flags<kWidth>(flags[round], total);
#pragma unroll
      for (int i = 0; i < kWidth; ++i)
        if (flags[round] >> i & 1) own[place++] = values[round].items[i];
      count += total;
    }
    __syncwarp();
    for (uint32_t i = warp_lane(); i < count; i += 32) target[i] = own[i];
    __syncwarp();
    target += count;
  }
}

// Sets the elements of the array whose flags are set to the elements of `packed`, in order.
template <class T>
__device__ void spread_kernel(const SelectParams& p) {
  wait_for_previous_grid();
  constexpr int kWidth = select_width<T>;
  constexpr int kChunk = select_chunk<T>;
  constexpr int kRounds = kChunk / (32 * kWidth) < 4 ? kChunk / (32 * kWidth) : 4;
  const int64_t tile = warp_tile();
  if (tile * kSelectTile >= p.size) return;
  const T* source = static_cast<const T*>(p.packed) + (tile > 0 ? p.sums[tile - 1] : 0);
  T* const array = static_cast<T*>(p.array);
  for (int begin = 0; begin < kSelectTile; begin += kRounds * 32 * kWidth) {
    const int64_t first = tile * kSelectTile + begin + warp_lane() * kWidth;
    uint32_t flags[kRounds];
    Vec<T, kWidth> values[kRounds];
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
      flags[round] = load_flags<kWidth>(p.flags, first + round * 32 * kWidth);
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      uint32_t total;
      uint32_t place = rank_flags<kWidth>(flags[round], total);
#pragma unroll
      for (int i = 0; i < kWidth; ++i)
        if (flags[round] >> i & 1) values[round].items[i] = source[place++];
      source += total;
    }
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
#pragma unroll
      for (int i = 0; i < kWidth; ++i)
        if (flags[round] >> i & 1) array[first + round * 32 * kWidth + i] = values[round].items[i];
  }
}

// Writes the indices along each axis of the elements whose flags are set, in C order.
__device__ inline void nonzero_kernel(const NonzeroParams& p) {
  wait_for_previous_grid();
  constexpr int kWidth = kFlagBits;
  __shared__ uint16_t packed[kSelectBlock / 32][kSelectTile];
  uint16_t* const own = packed[threadIdx.x >> 5];
  const int64_t tile = warp_tile();
  if (tile * kSelectTile >= p.size) return;
  uint32_t count = 0;
#pragma unroll
  for (int round = 0; round < kSelectTile / (32 * kWidth); ++round) {
    const uint32_t in_tile = (round * 32 + warp_lane()) * kWidth;
    const uint32_t flags = load_flags<kWidth>(p.flags, tile * kSelectTile + in_tile);
    uint32_t total;
    uint32_t place = count + rank_flags<kWidth>(flags, total);
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      if (flags >> i & 1) own[place++] = uint16_t(in_tile + i);
    count += total;
  }
  __syncwarp();
  const bool narrow = p.size <= 0xffffffff;
  int64_t* const target = p.indices + (tile > 0 ? p.sums[tile - 1] : 0);
  for (uint32_t i = warp_lane(); i < count; i += 32) {
    int64_t rest = tile * kSelectTile + own[i];
    for (int axis = p.ndim - 1; axis > 0; --axis) {
      const int64_t outer =
          narrow ? uint32_t(rest) / uint32_t(p.shape[axis]) : rest / p.shape[axis];
      target[axis * p.pitch + i] = rest - outer * p.shape[axis];
      rest = outer;
    }
    target[i] = rest;
  }
}

}  // namespace gpuarray
