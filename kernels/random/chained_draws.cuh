// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws by the ziggurat, in parallel. Every unit is taken to begin a draw, and hard ones draw on at
// once; then those are left out that a draw before them has taken.
#pragma once

#include "kernels/random/picked_draws.cuh"

namespace gpuarray {

// The hard units of a tile in order, each as if a draw began there.
template <class T>
struct HardUnits {
  T value[kMostHard];
  int at[kMostHard];
  int end[kMostHard];  // the unit behind the draw
  int count;
  int longest;  // units of the longest of these draws
  int exit;     // units behind the tile that its last draw takes
  int entry;    // units of the tile that a draw of an earlier tile takes

  // Returns whether a draw from a hard unit before `k` on, wherever the tile is entered, might take
  // the unit.
  __device__ bool is_reached(int k) const {
    for (int j = k - 1; j >= 0 && at[j] + longest > at[k]; --j)
      if (end[j] > at[k]) return true;
    return false;
  }
  // Returns whether a draw begins at hard unit `k`, if the tile is entered at `entry`.
  __device__ bool begins(int k) const {
    int j = k;
    while (is_reached(j)) --j;
    for (int next = entry; j <= k; ++j) {
      if (at[j] < next) continue;
      if (j == k) return true;
      next = end[j];
    }
    return false;
  }
};

// Makes the results of draws that may take several units.
template <class Stream, class Draw>
struct ChainedPick {
  using T = typename Draw::result;
  static constexpr int bits = Draw::bits;
  static constexpr int units = kRandomTile * 64 / bits;
  static constexpr int masks = tile_masks<bits>;
  static_assert(kLongestDraw <= units / 2);

  const RandomParams& p;
  PickedTile<Stream, bits>& shared;
  ZigguratTables<T>& tables;
  HardUnits<T>& hard;
  uint32_t (&hard_masks)[masks];

  __device__ void load_tables() const {
    for (int k = int(threadIdx.x); k < kZigguratLayers; k += kRandomBlock) {
      tables.accept[k] = uint32_t(Draw::accept(k) >> Draw::dropped);
      tables.width[k] = Draw::width(k);
    }
  }

  __device__ void mark(const Tile<Stream>& tile, bool has_neighbours) {
    find_hard(tile);
    draw_hard(tile);
    const int lane = int(threadIdx.x);
    if (!has_neighbours) {
      if (lane == 0) {
        hard.entry = hard.exit;  // of the tile before, which this block has drawn from
        hard.exit = 0;
      }
      __syncthreads();
      skip_taken();
      return;
    }
    if (lane == 0) hard.entry = hard.exit = 0;
    __syncthreads();
    skip_taken();
    uint64_t* const exits = p.slots + gridDim.x;
    // The exit does not depend on the entry if some draw begins in the tile's second half wherever
    // the tile is entered, or if none reaches its end.
    bool fixed = false, reaches_end = false;
    for (int k = lane; k < hard.count; k += kRandomBlock) {
      fixed |= hard.at[k] >= units / 2 && !hard.is_reached(k);
      reaches_end |= hard.end[k] > units;
    }
    const bool is_settled = __syncthreads_or(fixed) != 0 || __syncthreads_or(reaches_end) == 0;
    if (is_settled && lane == 0) publish_exit(exits);
    if (blockIdx.x > 0 && lane == 0) {
      uint64_t found;
      do found = load_relaxed(exits + blockIdx.x - 1);
      while (found <= kRandomValue);
      hard.entry = int(found & kRandomValue);
      if (hard.entry > 0) hard.exit = 0;
    }
    __syncthreads();
    if (hard.entry > 0) skip_taken();
    if (!is_settled && lane == 0) publish_exit(exits);
  }

  __device__ int skipped() {
    count_before(shared.skipped, shared.skipped_before, shared.sums);
    // From now on the masks of hard units are those of all units that are not easy.
    for (int k = int(threadIdx.x); k < masks; k += kRandomBlock) hard_masks[k] |= shared.skipped[k];
    __syncthreads();
    return shared.sums.total;
  }

  __device__ int store(const Tile<Stream>& tile, int64_t begin) {
    T* const out = static_cast<T*>(p.out) + begin;
    const int64_t left = p.count - begin;
    int last = 0;
    auto put = [&](int at, int end, T value) {
      const int rank = rank_of(shared, at);
      if (rank >= left) return;
      out[rank] = placed(value);
      if (rank == left - 1) last = end;
    };
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      if ((hard_masks[at / 32] >> (at % 32) & 1) != 0) continue;
      const auto unit = tile.template unit<bits>(at);
      put(at, at + 1, Draw::scaled(unit, tables.width[Draw::layer(unit)]));
    }
    for (int k = int(threadIdx.x); k < hard.count; k += kRandomBlock) {
      const int at = hard.at[k];
      if ((shared.skipped[at / 32] >> (at % 32) & 1) == 0) put(at, hard.end[k], hard.value[k]);
    }
    return last;
  }

 private:
  __device__ T placed(T value) const {
    if constexpr (sizeof(T) == 8)
      return in_place(p, value);
    else
      return value;
  }

  __device__ void publish_exit(uint64_t* exits) const {
    store_relaxed(exits + blockIdx.x, kRandomAggregate | uint64_t(hard.exit));
  }

  // Lists the hard units.
  __device__ void find_hard(const Tile<Stream>& tile) {
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const auto unit = tile.template unit<bits>(at);
      const bool easy =
          uint32_t(Draw::fraction(unit) >> Draw::dropped) < tables.accept[Draw::layer(unit)];
      const uint32_t mask = __ballot_sync(0xffffffffu, !easy);
      if (at % 32 == 0) hard_masks[at / 32] = mask;
    }
    __syncthreads();
    count_before(hard_masks, shared.skipped_before, shared.sums);
    for (int k = int(threadIdx.x); k < masks; k += kRandomBlock) {
      int next = shared.skipped_before[k];
      for (uint32_t left = hard_masks[k]; left != 0 && next < kMostHard; left &= left - 1)
        hard.at[next++] = k * 32 + __ffs(int(left)) - 1;
    }
    if (threadIdx.x == 0) {
      hard.count = shared.sums.total < kMostHard ? shared.sums.total : kMostHard;
      hard.longest = 0;
    }
    __syncthreads();
  }

  __device__ void draw_hard(const Tile<Stream>& tile) {
    for (int k = int(threadIdx.x); k < hard.count; k += kRandomBlock) {
      hard.end[k] = draw_slowly<Draw>(tile, hard.at[k], hard.value[k]);
      atomicMax(&hard.longest, hard.end[k] - hard.at[k]);
    }
    __syncthreads();
  }

  // Marks the units that are not the first of their draw, and finds the tile's exit.
  __device__ void skip_taken() {
    for (int k = int(threadIdx.x); k < masks; k += kRandomBlock) {
      const int taken = hard.entry - k * 32;
      shared.skipped[k] = taken <= 0 ? 0 : taken >= 32 ? ~0u : (1u << taken) - 1;
    }
    __syncthreads();
    for (int k = int(threadIdx.x); k < hard.count; k += kRandomBlock) {
      if (!hard.begins(k)) continue;
      for (int at = hard.at[k] + 1; at < hard.end[k] && at < units; ++at)
        atomicOr(&shared.skipped[at / 32], 1u << (at % 32));
      if (hard.end[k] > units) atomicMax(&hard.exit, hard.end[k] - units);
    }
    __syncthreads();
  }
};

template <class Stream, class Draw>
__device__ void chained_draws(const RandomParams& p) {
  using T = typename Draw::result;
  __shared__ PickedTile<Stream, Draw::bits> shared;
  __shared__ ZigguratTables<T> tables;
  __shared__ HardUnits<T> hard;
  __shared__ uint32_t hard_masks[tile_masks<Draw::bits>];
  wait_for_previous_grid();
  ChainedPick<Stream, Draw> pick{p, shared, tables, hard, hard_masks};
  pick.load_tables();
  if (threadIdx.x == 0) hard.exit = 0;
  picked_draws<Stream, Draw>(p, shared, pick);
}

}  // namespace gpuarray
