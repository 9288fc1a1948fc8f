// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of which some units make no result. Blocks take tiles of the stream in order; those learn
// from the ones before how many results these make (decoupled look-back: Merrill and Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016) and, of chained draws, how far
// the last one reaches.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/random/warp_draws.cuh"
#include "kernels/scan/scan_state.cuh"

namespace gpuarray {

// What the warps of a block tell each other of a tile. Two tiles take turns.
template <class Stream>
struct TileTurn {
  int64_t tile;
  typename Stream::Place places[kRandomWarps];  // where each warp's part begins
  int results[kRandomWarps];
  int exits[kRandomWarps];
  int entry;      // units that a draw of the tile before takes
  int64_t begin;  // the rank of the tile's first result
};

// The slots of all tiles in global memory.
struct TileSlots {
  uint64_t* totals;
  uint64_t* exits;
  uint64_t* tickets;

  __device__ explicit TileSlots(const RandomParams& p)
      : totals(p.slots), exits(p.slots + p.tiles), tickets(p.slots + 2 * p.tiles) {}

  // Returns the next tile that no block has taken.
  __device__ int64_t take() const {
    return int64_t(atomicAdd(reinterpret_cast<unsigned long long*>(tickets), 1ull));
  }
  __device__ void publish_exit(int64_t tile, int exit) const {
    store_relaxed(exits + tile, kRandomAggregate | uint64_t(exit));
  }
  // Publishes that a tile is behind all results.
  __device__ void pass(int64_t tile, const RandomParams& p) const {
    publish_exit(tile, 0);
    store_relaxed(totals + tile, kRandomPrefix | uint64_t(p.count));
  }
  __device__ static uint64_t await(const uint64_t* slot) {
    uint64_t found;
    do found = load_relaxed(slot);
    while (found <= kRandomValue);
    return found;
  }
  __device__ int exit(int64_t tile) const { return int(await(exits + tile) & kRandomValue); }

  // Publishes the number of results of a tile, and returns how many all tiles before make, `head`
  // of them before the first one. All lanes of a warp call it; each looks at some tiles at a time.
  __device__ int64_t before(int64_t tile, int64_t mine, int64_t head) const {
    const int lane = int(threadIdx.x % 32);
    if (tile == 0) {
      if (lane == 0) store_relaxed(totals, kRandomPrefix | uint64_t(head + mine));
      return head;
    }
    if (lane == 0) store_relaxed(totals + tile, kRandomAggregate | uint64_t(mine));
    int64_t sum = 0;
    for (int64_t nearest = tile - 1;; nearest -= 32 * kRandomLook) {
      uint64_t found[kRandomLook];
#pragma unroll
      for (int k = 0; k < kRandomLook; ++k) {
        const int64_t other = nearest - k * 32 - lane;
        found[k] = other < 0 ? kRandomPrefix : load_relaxed(totals + other);
      }
      bool is_known = false;
#pragma unroll
      for (int k = 0; k < kRandomLook; ++k) {
        if (is_known) break;
        if (found[k] <= kRandomValue) found[k] = await(totals + nearest - k * 32 - lane);
        const uint32_t known = __ballot_sync(0xffffffffu, (found[k] & kRandomPrefix) != 0);
        const int end = known == 0 ? 31 : __ffs(int(known)) - 1;
        if (lane <= end) sum += int64_t(found[k] & kRandomValue);
        is_known = known != 0;
      }
      if (is_known) break;
    }
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0) store_relaxed(totals + tile, kRandomPrefix | uint64_t(sum + mine));
    return sum;
  }
};

// What comes of the pending half, before the first tile.
struct Head {
  int results;
  int entry;  // units of the first tile that a draw takes
  int end;    // the unit behind the draw's last result, if this one is the draw's last
};

// Makes the results of the pending half and stores them. All lanes of a warp call it.
template <class Stream, class Draw>
__device__ Head draw_pending(const RandomParams& p, const Stream& stream, PendingHalf pending,
                             const typename Draw::Tables& tables) {
  constexpr int bits = Draw::bits;
  const int lane = int(threadIdx.x % 32);
  auto* const out = static_cast<typename Draw::result*>(p.out);
  if constexpr (Draw::is_chained && bits < 64) {
    if (!pending.any()) return {};
    typename Draw::staged value;
    int length = 1;
    if (!Draw::make(p, tables, pending.half(), value)) {
      UnitWalk<bits, Stream> walk(stream, pending);
      length = draw_slowly<Draw>(walk, value);
    }
    if (lane == 0) out[0] = Draw::finish(p, value);
    return {1, length - 1, length};
  } else {
    const uint64_t word[] = {pending.half()};
    typename Draw::staged value{};
    const bool accepted = lane < pending.units<bits>() &&
                          Draw::make(p, tables, unit_of<bits>(word, bits == 64 ? 0 : lane), value);
    const uint32_t mask = __ballot_sync(0xffffffffu, accepted);
    const int rank = __popc(mask & ((1u << lane) - 1));
    if (accepted && rank < p.count) out[rank] = Draw::finish(p, value);
    const uint32_t last = __ballot_sync(0xffffffffu, accepted && rank + 1 == p.count);
    return {__popc(mask), 0, __ffs(int(last))};
  }
}

// Makes p.count results.
template <class Stream, class Draw>
__device__ void picked_draws(const RandomParams& p) {
  constexpr int bits = Draw::bits;
  __shared__ WarpPart<Stream, Draw> parts[kRandomWarps];
  __shared__ TileTurn<Stream> turns[2];
  __shared__ typename Draw::Tables tables;
  __shared__ Head head;
  wait_for_previous_grid();

  const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
  const Stream stream(*p.state);
  const PendingHalf pending{p.state->words[7]};
  const TileSlots slots(p);
  const bool alone = p.tiles == 1;
  WarpDraws<Stream, Draw> draws{p, stream, tables, parts[warp]};
  for (int k = int(threadIdx.x); k < Draw::Tables::size; k += 32 * kRandomWarps)
    Draw::load(tables, k);
  // All lanes of a warp call it.
  const auto begin_turn = [&](TileTurn<Stream>& turn, int64_t tile) {
    if (lane == 0) turn.tile = tile;
    if (lane < kRandomWarps)
      turn.places[lane] =
          stream.place(uint64_t(tile * kRandomWarps + lane) * uint64_t(p.warp_words));
  };
  if (warp == 1) {
    const int64_t taken = alone || lane != 0 ? 0 : slots.take();
    begin_turn(turns[0], __shfl_sync(0xffffffffu, taken, 0));
  }
  __syncthreads();
  if (warp == 0) {
    // Blocks that begin late may find the state of the next draw, and no tile.
    const bool has_first = turns[0].tile == 0;
    const Head made = has_first ? draw_pending<Stream, Draw>(p, stream, pending, tables) : Head{};
    if (lane == 0) head = made;
  }

  // The block of the last tile goes on with those behind it until all results are there.
  bool on_its_own = alone;
  for (int at = 0;; at ^= 1) {
    TileTurn<Stream>& turn = turns[at];
    TileTurn<Stream>& following = turns[at ^ 1];
    const int64_t tile = turn.tile;
    if (tile >= p.tiles && !on_its_own) return;
    const bool is_first = tile == 0, goes_on = tile + 1 >= p.tiles;
    const bool was_on_its_own = on_its_own;
    on_its_own = goes_on;
    int64_t taken = 0;
    if (warp == 1 && lane == 0) taken = goes_on ? tile + 1 : slots.take();

    draws.make(turn.places[warp]);
    if constexpr (Draw::is_chained) {
      const PartEnd end = draws.link(0);
      if (lane == 0) turn.exits[warp] = end.exit;
      const bool publishes = warp + 1 == kRandomWarps && lane == 0 && tile < p.tiles && !alone;
      if (publishes && end.settled) slots.publish_exit(tile, end.exit);
      if (threadIdx.x == 0) {
        turn.entry = is_first         ? head.entry
                     : was_on_its_own ? following.exits[kRandomWarps - 1]
                                      : slots.exit(tile - 1);
      }
      const int results = draws.count();
      if (lane == 0) turn.results[warp] = results;
      __syncthreads();
      int entry = turn.entry;
      int any = entry;
      for (int k = 0; k + 1 < kRandomWarps; ++k) any |= turn.exits[k];
      for (int k = 0; any != 0 && k < kRandomWarps; ++k) {
        if (warp == k && entry != 0) {
          const int exit = draws.link(entry).exit;
          const int left = draws.count();
          if (lane == 0) {
            turn.exits[warp] = exit;
            turn.results[warp] = left;
          }
        }
        __syncthreads();
        entry = turn.exits[k];
      }
      if (publishes && !end.settled) slots.publish_exit(tile, turn.exits[warp]);
    } else {
      const int results = draws.count();
      if (lane == 0) turn.results[warp] = results;
      __syncthreads();
    }

    int64_t mine = 0, earlier = 0;
    for (int k = 0; k < kRandomWarps; ++k) {
      if (k < warp) earlier += turn.results[k];
      mine += turn.results[k];
    }
    if (warp == 0) {
      int64_t begin = head.results;
      if (was_on_its_own && !is_first) {
        begin = following.begin;
        for (int k = 0; k < kRandomWarps; ++k) begin += following.results[k];
      } else if (!alone) {
        begin = slots.before(tile, mine, head.results);
      }
      if (lane == 0) turn.begin = begin;
    }
    if (warp == 1) begin_turn(following, __shfl_sync(0xffffffffu, taken, 0));
    __syncthreads();

    const int64_t begin = turn.begin + earlier;
    const int64_t left = p.count - begin;
    if (left > 0) draws.store(static_cast<typename Draw::result*>(p.out) + begin, left);
    if (p.count <= turn.begin + mine) {
      // The tile that was taken ahead makes nothing; those behind it wait for its slots.
      if (!goes_on && following.tile < p.tiles && threadIdx.x == 0) slots.pass(following.tile, p);
      // The draw's last result is of this tile, of an earlier one, or of the pending half.
      const int64_t first =
          pending.units<bits>() + (tile * kRandomWarps + warp) * int64_t{draws.units()};
      const int end = left > 0 && left <= turn.results[warp] ? draws.end_of(left - 1) : 0;
      if (end != 0) advance_state<bits>(stream, pending, *p.state, first + end);
      if (is_first && p.count <= head.results && threadIdx.x == 0)
        advance_state<bits>(stream, pending, *p.state, head.end);
      return;
    }
  }
}

}  // namespace gpuarray
