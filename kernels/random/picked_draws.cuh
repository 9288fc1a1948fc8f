// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of which some units make no result: they are found for a whole tile at once, and those that
// make results are compacted. Tiles learn from the ones before how many results these make
// (decoupled look-back: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", 2016) and, of chained draws, how far the last one reaches.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/random/ziggurat.cuh"
#include "kernels/scan/scan_state.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

inline constexpr int kRandomWarps = kRandomBlock / 32;

// The units of a tile in groups of 32, a bit for each.
struct alignas(8) UnitGroup {
  uint32_t skipped;  // the units that begin no result
  int before;        // skipped units of earlier groups
};
// The same for chained draws.
struct alignas(16) ChainedGroup {
  uint32_t skipped;
  int before;
  uint32_t hard;  // the units that may take further ones
  int first;      // the place of the first of these among all hard units of the tile
};
template <int bits>
inline constexpr int tile_groups = kRandomTile * 64 / bits / 32;

// Sums up what the threads of the block give, in their order. Returns the sum of those before.
struct BlockSum {
  int warps[kRandomWarps];
  int total;

  __device__ int before(int mine) {
    int sum = mine;
    for (int distance = 1; distance < 32; distance *= 2) {
      const int other = __shfl_up_sync(0xffffffffu, sum, unsigned(distance));
      if (int(threadIdx.x % 32) >= distance) sum += other;
    }
    if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    int earlier = 0, all = 0;
    for (int k = 0; k < kRandomWarps; ++k) {
      if (k < int(threadIdx.x / 32)) earlier += warps[k];
      all += warps[k];
    }
    if (threadIdx.x == 0) total = all;
    __syncthreads();
    return earlier + sum - mine;
  }
};

// Sets `before` of all groups; sums.total becomes the number of all skipped units.
template <class Group, int count>
__device__ void count_skipped(Group (&groups)[count], BlockSum& sums) {
  constexpr int each = (count + kRandomBlock - 1) / kRandomBlock;
  const int first = int(threadIdx.x) * each;
  int mine = 0;
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (first + k < count) mine += __popc(groups[first + k].skipped);
  int sum = sums.before(mine);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (first + k >= count) break;
    groups[first + k].before = sum;
    sum += __popc(groups[first + k].skipped);
  }
  __syncthreads();
}

// Sums up the numbers of results of earlier tiles, for all threads of a block.
struct LookBack {
  uint32_t prefixes[kRandomWarps];  // of which of 32 tiles each warp knows the sum up to them
  int64_t sums[kRandomWarps];

  // Publishes the number of results of tile blockIdx.x, and returns the number of those of all
  // tiles before; waits for them. Each thread looks at one tile at a time.
  __device__ int64_t before(uint64_t* totals, int64_t mine) {
    const int64_t tile = blockIdx.x;
    const int thread = int(threadIdx.x), warp = thread / 32;
    const uint64_t first_flag = tile == 0 ? kRandomPrefix : kRandomAggregate;
    if (thread == 0) store_relaxed(totals + tile, first_flag | uint64_t(mine));
    if (tile == 0) return 0;
    int64_t total = 0;
    for (int64_t nearest = tile - 1;; nearest -= kRandomBlock) {
      uint64_t found = kRandomPrefix;
      if (nearest - thread >= 0) do
          found = load_relaxed(totals + nearest - thread);
        while (found <= kRandomValue);
      const uint32_t ready = __ballot_sync(0xffffffffu, (found & kRandomPrefix) != 0);
      const int last = ready == 0 ? 31 : __ffs(int(ready)) - 1;
      int64_t sum = thread % 32 <= last ? int64_t(found & kRandomValue) : 0;
      for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      if (thread % 32 == 0) {
        prefixes[warp] = ready;
        sums[warp] = sum;
      }
      __syncthreads();
      bool is_known = false;
      for (int k = 0; k < kRandomWarps && !is_known; ++k) {
        total += sums[k];
        is_known = prefixes[k] != 0;
      }
      if (is_known) break;
      __syncthreads();
    }
    if (thread == 0) store_relaxed(totals + tile, kRandomPrefix | uint64_t(total + mine));
    return total;
  }
};

// What a block knows of its tile, in shared memory.
template <class Stream, int bits, class Group>
struct PickedTile {
  TileWords words;
  typename Stream::Shared place;
  Group groups[tile_groups<bits>];
  BlockSum sums;
  LookBack look_back;
};

// Returns how many units of the tile before the lane's begin results, if `group` is its group.
template <class Group>
__device__ int rank_of(const Group& group, int unit) {
  const uint32_t lower = (1u << (unit % 32)) - 1;
  return unit - group.before - __popc(group.skipped & lower);
}

// The rest of a kernel whose tiles know their skipped units: stores p.count results over all tiles.
// `Pick` has
//   mark(tile, neighbours)  finds the units that begin no result; every thread calls it
//   skipped()               returns their number
//   store(tile, begin)      stores the tile's results, which are the draw's from `begin` on
//   end_of(rank)            returns the unit behind the tile's result of this rank if this thread
//                           knows it, else 0
template <class Stream, class Draw, class Group, class Pick>
__device__ void picked_draws(const RandomParams& p, PickedTile<Stream, Draw::bits, Group>& shared,
                             Pick& pick) {
  constexpr int bits = Draw::bits;
  constexpr int units = kRandomTile * 64 / bits;
  const Stream stream(*p.state);
  const PendingHalf pending{p.state->words[7]};
  const bool alone = gridDim.x == 1;
  Tile<Stream> tile{stream, shared.words.words(), uint64_t{blockIdx.x} * kRandomTile,
                    bits < 64 && pending.any()};
  if (blockIdx.x == 0 && threadIdx.x == 0) shared.words.words()[0] = pending.word << 32;

  int64_t begin = 0;
  // The last block goes on with the tiles behind its own until all results are there.
  for (bool first = true;; first = false) {
    stream.fill(tile.first, shared.words.words(), shared.place);
    __syncthreads();
    pick.mark(tile, first && !alone);
    const int64_t mine = units - pick.skipped();
    if (first && !alone) begin = shared.look_back.before(p.slots, mine);
    const int64_t left = p.count - begin;
    if (left <= 0) return;
    pick.store(tile, begin);
    if (left <= mine) {
      const int last = pick.end_of(int(left) - 1);
      if (last != 0)
        advance_state<bits>(stream, pending, *p.state, int64_t(tile.first) * (64 / bits) + last);
      return;
    }
    if (blockIdx.x + 1 < gridDim.x) return;
    begin += mine;
    tile.first += kRandomTile;
    __syncthreads();
  }
}

// Makes p.count results of those units that the draw accepts.
template <class Stream, class Draw>
struct SelectedPick {
  static constexpr int bits = Draw::bits;
  static constexpr int units = kRandomTile * 64 / bits;

  const RandomParams& p;
  PickedTile<Stream, bits, UnitGroup>& shared;
  bool all_accepted = false;

  __device__ void mark(const Tile<Stream>& tile, bool) {
    bool refused = false;
#pragma unroll 4
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock)
      refused |= !Draw::accepts(p, tile.template unit<bits>(at));
    all_accepted = __syncthreads_or(refused) == 0;
    if (all_accepted) return;
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const bool accepted = Draw::accepts(p, tile.template unit<bits>(at));
      const uint32_t mask = __ballot_sync(0xffffffffu, !accepted);
      if (at % 32 == 0) shared.groups[at / 32].skipped = mask;
    }
    __syncthreads();
  }

  __device__ int skipped() {
    if (all_accepted) return 0;
    count_skipped(shared.groups, shared.sums);
    return shared.sums.total;
  }

  __device__ void store(const Tile<Stream>& tile, int64_t begin) {
    auto* const out = static_cast<typename Draw::result*>(p.out) + begin;
    const int limit = int(p.count - begin < units ? p.count - begin : units);
    if (all_accepted) {
#pragma unroll 4
      for (int at = int(threadIdx.x); at < units; at += kRandomBlock)
        if (at < limit) out[at] = Draw::value(p, tile.template unit<bits>(at));
      return;
    }
#pragma unroll 2
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const UnitGroup group = shared.groups[at / 32];
      const int rank = rank_of(group, at);
      if ((group.skipped >> (at % 32) & 1) == 0 && rank < limit)
        out[rank] = Draw::value(p, tile.template unit<bits>(at));
    }
  }

  __device__ int end_of(int rank) const {
    if (all_accepted) return threadIdx.x == 0 ? rank + 1 : 0;
    for (int at = int(threadIdx.x); at < units; at += kRandomBlock) {
      const UnitGroup group = shared.groups[at / 32];
      if ((group.skipped >> (at % 32) & 1) == 0 && rank_of(group, at) == rank) return at + 1;
    }
    return 0;
  }
};

template <class Stream, class Draw>
__device__ void selected_draws(const RandomParams& p) {
  __shared__ PickedTile<Stream, Draw::bits, UnitGroup> shared;
  wait_for_previous_grid();
  SelectedPick<Stream, Draw> pick{p, shared};
  picked_draws<Stream, Draw>(p, shared, pick);
}

}  // namespace gpuarray
