// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws by the ziggurat, in parallel. Every unit is taken to begin a draw, and hard ones draw on at
// once; then those are left out that a draw before them has taken.
#pragma once

#include "kernels/random/picked_draws.cuh"

namespace gpuarray {

// The most hard units of a tile of one of the generators' streams, with room to spare: of 8192
// units about 125 are hard, with a deviation of 11.
inline constexpr int kMostHard = 256;

// The hard units of a tile, each as if a draw began there: by groups, and in order within one.
template <class T>
struct HardUnits {
  T value[kMostHard];
  uint16_t at[kMostHard];
  uint16_t length[kMostHard];  // units that the draw takes
  int count;
  int longest;  // the greatest length
  int exit;     // units behind the tile that its last draw takes
  int entry;    // units of the tile that a draw of an earlier tile takes
};

// Finds which hard units begin draws.
template <class T>
struct Chain {
  const ChainedGroup* groups;
  const HardUnits<T>& hard;

  // Returns the hard unit before `unit` if a draw from there might take `unit`, else -1.
  __device__ int before(int unit) const {
    int group = unit / 32;
    uint32_t mask = groups[group].hard & ((1u << (unit % 32)) - 1);
    while (mask == 0) {
      if (group == 0 || group * 32 - 1 + hard.longest <= unit) return -1;
      mask = groups[--group].hard;
    }
    const int found = group * 32 + 31 - __clz(int(mask));
    return found + hard.longest > unit ? found : -1;
  }
  // Returns the first hard unit behind `unit`, of which there is one.
  __device__ int behind(int unit) const {
    int group = (unit + 1) / 32;
    uint32_t mask = groups[group].hard & ~0u << ((unit + 1) % 32);
    while (mask == 0) mask = groups[++group].hard;
    return group * 32 + __ffs(int(mask)) - 1;
  }
  // Returns the unit behind the draw from a hard unit.
  __device__ int end(int unit) const {
    const ChainedGroup& group = groups[unit / 32];
    return unit + hard.length[group.first + __popc(group.hard & ((1u << (unit % 32)) - 1))];
  }
  // Returns whether a draw from an earlier hard unit, wherever the tile is entered, might take
  // `unit`.
  __device__ bool is_reached(int unit) const {
    for (int other = before(unit); other >= 0;) {
      if (end(other) > unit) return true;
      const int next = before(other);
      other = next >= 0 && next + hard.longest > unit ? next : -1;
    }
    return false;
  }
  // Returns whether a draw begins at a hard unit, if the tile is entered at hard.entry.
  __device__ bool begins(int unit) const {
    int from = unit;
    while (is_reached(from)) from = before(from);
    for (int next = hard.entry;; from = behind(from)) {
      if (from >= next) {
        if (from == unit) return true;
        next = end(from);
      }
      if (from == unit) return false;
    }
  }
};

// Makes the results of draws that may take several units.
template <class Stream, class Draw>
struct ChainedPick {
  using T = typename Draw::result;
  static constexpr int bits = Draw::bits;
  static constexpr int units = kRandomTile * 64 / bits;
  static constexpr int groups = tile_groups<bits>;
  static_assert(kLongestDraw <= units / 2);

  const RandomParams& p;
  PickedTile<Stream, bits, ChainedGroup>& shared;
  ZigguratTables<T>& tables;
  HardUnits<T>& hard;

  __device__ void load_tables() const {
    for (int k = int(threadIdx.x); k < kZigguratLayers; k += kRandomBlock) {
      tables.accept[k] = uint32_t(Draw::accept(k) >> Draw::dropped);
      tables.width[k] = Draw::width(k);
    }
    if (threadIdx.x == 0) hard.count = hard.longest = hard.exit = 0;
  }

  __device__ void mark(const Tile<Stream>& tile, bool has_neighbours) {
    find_hard(tile);
    draw_hard(tile);
    // A block that goes on behind its own tile enters the next one where it has left.
    const int entry = has_neighbours ? 0 : hard.exit;
    __syncthreads();
    skip_taken(entry);
    if (!has_neighbours) return;

    uint64_t* const exits = p.slots + gridDim.x;
    const bool is_settled = exit_is_settled();
    if (is_settled && threadIdx.x == 0) publish_exit(exits);
    if (blockIdx.x > 0) {
      if (threadIdx.x == 0) {
        uint64_t found;
        do found = load_relaxed(exits + blockIdx.x - 1);
        while (found <= kRandomValue);
        hard.entry = int(found & kRandomValue);
      }
      __syncthreads();
      const int found = hard.entry;
      if (found > 0) {
        __syncthreads();
        skip_taken(found);
      }
    }
    if (!is_settled && threadIdx.x == 0) publish_exit(exits);
  }

  __device__ int skipped() {
    count_skipped(shared.groups, shared.sums);
    return shared.sums.total;
  }

  __device__ void store(const Tile<Stream>& tile, int64_t begin) {
    T* const out = static_cast<T*>(p.out) + begin;
    const int limit = int(p.count - begin < units ? p.count - begin : units);
#pragma unroll 4
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const ChainedGroup group = shared.groups[at / 32];
      const auto unit = tile.template unit<bits>(at);
      const T value = placed(Draw::scaled(unit, tables.width[Draw::layer(unit)]));
      const int rank = rank_of(group, at);
      if (((group.hard | group.skipped) >> (at % 32) & 1) == 0 && rank < limit) out[rank] = value;
    }
    for (int k = int(threadIdx.x); k < hard.count; k += kRandomBlock) {
      const int at = hard.at[k];
      const ChainedGroup group = shared.groups[at / 32];
      const int rank = rank_of(group, at);
      if ((group.skipped >> (at % 32) & 1) == 0 && rank < limit) out[rank] = placed(hard.value[k]);
    }
    if (blockIdx.x + 1 == gridDim.x) start_over();
  }

  __device__ int end_of(int rank) const {
    const Chain<T> chain{shared.groups, hard};
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const ChainedGroup group = shared.groups[at / 32];
      if ((group.skipped >> (at % 32) & 1) == 0 && rank_of(group, at) == rank)
        return (group.hard >> (at % 32) & 1) != 0 ? chain.end(at) : at + 1;
    }
    return 0;
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

  // Forgets the hard units, before the last block draws from a further tile.
  __device__ void start_over() {
    __syncthreads();
    if (threadIdx.x == 0) hard.count = 0;
  }

  // Lists the hard units.
  __device__ void find_hard(const Tile<Stream>& tile) {
    const int lane = int(threadIdx.x % 32);
#pragma unroll 4
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const auto unit = tile.template unit<bits>(at);
      const bool is_hard =
          uint32_t(Draw::fraction(unit) >> Draw::dropped) >= tables.accept[Draw::layer(unit)];
      const uint32_t mask = __ballot_sync(0xffffffffu, is_hard);
      int first = 0;
      if (mask != 0) {
        if (lane == 0) first = atomicAdd(&hard.count, __popc(mask));
        first = __shfl_sync(0xffffffffu, first, 0);
        const int place = first + __popc(mask & ((1u << lane) - 1));
        if (is_hard && place < kMostHard) hard.at[place] = uint16_t(at);
      }
      if (lane == 0) shared.groups[at / 32] = {0, 0, mask, first};
    }
    __syncthreads();
    if (threadIdx.x == 0 && hard.count > kMostHard) hard.count = kMostHard;
  }

  __device__ void draw_hard(const Tile<Stream>& tile) {
    const int count = hard.count < kMostHard ? hard.count : kMostHard;
    for (int k = int(threadIdx.x); k < count; k += kRandomBlock) {
      const int at = hard.at[k];
      const int length = draw_slowly<Draw>(tile, at, hard.value[k]) - at;
      hard.length[k] = uint16_t(length);
      atomicMax(&hard.longest, length);
    }
    __syncthreads();
  }

  // Marks the units that are not the first of their draw, and finds the tile's exit, if the tile is
  // entered at `entry`.
  __device__ void skip_taken(int entry) {
    for (int k = int(threadIdx.x); k < groups; k += kRandomBlock) {
      const int taken = entry - k * 32;
      shared.groups[k].skipped = taken <= 0 ? 0 : taken >= 32 ? ~0u : (1u << taken) - 1;
    }
    if (threadIdx.x == 0) {
      hard.entry = entry;
      hard.exit = 0;
    }
    __syncthreads();
    const Chain<T> chain{shared.groups, hard};
    for (int k = int(threadIdx.x); k < hard.count; k += kRandomBlock) {
      const int begin = hard.at[k];
      if (!chain.begins(begin)) continue;
      const int end = begin + hard.length[k];
      for (int at = begin + 1; at < end && at < units; ++at)
        atomicOr(&shared.groups[at / 32].skipped, 1u << (at % 32));
      if (end > units) atomicMax(&hard.exit, end - units);
    }
    __syncthreads();
  }

  // Returns whether the exit does not depend on the entry: some draw begins in the tile's second
  // half wherever the tile is entered, or none reaches its end.
  __device__ bool exit_is_settled() const {
    const Chain<T> chain{shared.groups, hard};
    bool is_fixed = false, reaches_end = false;
    for (int k = int(threadIdx.x); k < hard.count; k += kRandomBlock) {
      const int at = hard.at[k];
      is_fixed |= at >= units / 2 && !chain.is_reached(at);
      reaches_end |= at + hard.length[k] > units;
    }
    return __syncthreads_or(is_fixed) != 0 || __syncthreads_or(reaches_end) == 0;
  }
};

template <class Stream, class Draw>
__device__ void chained_draws(const RandomParams& p) {
  using T = typename Draw::result;
  __shared__ PickedTile<Stream, Draw::bits, ChainedGroup> shared;
  __shared__ ZigguratTables<T> tables;
  __shared__ HardUnits<T> hard;
  wait_for_previous_grid();
  ChainedPick<Stream, Draw> pick{p, shared, tables, hard};
  pick.load_tables();
  picked_draws<Stream, Draw>(p, shared, pick);
}

}  // namespace gpuarray
