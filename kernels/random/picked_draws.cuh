// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of which some units make no result. Blocks take tiles of the stream in order; those learn
// from the ones before how many results these make (decoupled look-back: Merrill and Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/random/warp_draws.cuh"
#include "kernels/scan/scan_state.cuh"

namespace gpuarray {

// What the warps of a block tell each other of a tile.
struct TileTurn {
  int results[kRandomWarps];
  int64_t begin;  // the rank of the tile's first result

  __device__ int64_t sum(int warps) const {
    int64_t all = 0;
    for (int k = 0; k < warps; ++k) all += results[k];
    return all;
  }
};

// What comes of the pending half, before the first tile.
struct Head {
  int results;
  int entry;  // units of the first tile that a draw takes
  int end;    // the unit behind the draw's last result, if this one is the draw's last
};

// A block's shared memory. It makes the values of a tile before it stores those of the one before,
// so that it seldom waits for other blocks.
template <class Stream, class Draw>
struct TileMemory {
  WarpPart<Stream, Draw> parts[2][kRandomWarps];
  TileTurn turns[3];  // those of a tile are written before all warps have read the last but one's
  typename Stream::Scratch scratch[kRandomWarps];
  // The tile to make next, and where each warp's part begins.
  int64_t next;
  typename Stream::Place places[kRandomWarps];
  typename Draw::Tables tables;
  Head head;
};

// The slots of all tiles in global memory.
struct TileSlots {
  uint64_t* totals;
  uint64_t* tickets;

  __device__ explicit TileSlots(const RandomParams& p)
      : totals(p.slots), tickets(p.slots + p.tiles) {}

  // Returns the next tile that no block has taken.
  __device__ int64_t take() const {
    return int64_t(atomicAdd(reinterpret_cast<unsigned long long*>(tickets), 1ull));
  }
  // Publishes that a tile is behind all results.
  __device__ void pass(int64_t tile, const RandomParams& p) const {
    store_relaxed(totals + tile, kRandomPrefix | uint64_t(p.count));
  }
  __device__ static uint64_t await(const uint64_t* slot) {
    uint64_t found;
    do found = load_relaxed(slot);
    while (found <= kRandomValue);
    return found;
  }
  __device__ void publish_total(int64_t tile, int64_t mine) const {
    store_relaxed(totals + tile, kRandomAggregate | uint64_t(mine));
  }
  // Returns how many results the tiles before a tile make, `head` of them before the first one, and
  // publishes the number up to it. All lanes of a warp call it; each looks at some tiles at a time.
  __device__ int64_t before(int64_t tile, int64_t mine, int64_t head) const {
    const int lane = int(threadIdx.x % 32);
    int64_t sum = tile == 0 && lane == 0 ? head : 0;
    for (int64_t nearest = tile - 1; nearest >= 0; nearest -= 32) {
      const int64_t other = nearest - lane;
      const uint64_t found = other < 0 ? kRandomPrefix : await(totals + other);
      const uint32_t known = __ballot_sync(0xffffffffu, (found & kRandomPrefix) != 0);
      const int end = known == 0 ? 31 : __ffs(int(known)) - 1;
      if (lane <= end) sum += int64_t(found & kRandomValue);
      if (known != 0) break;
    }
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0) store_relaxed(totals + tile, kRandomPrefix | uint64_t(sum + mine));
    return sum;
  }
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
    Taken taken{1, true};
    if (!Draw::make(p, tables, pending.half(), value)) {
      UnitWalk<bits, Stream> walk(stream, pending);
      taken = draw_slowly<Draw>(walk, value);
    }
    if (lane == 0 && taken.is_result) out[0] = Draw::finish(p, value);
    return {taken.is_result, taken.units - 1, taken.units};
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

template <class Stream, class Draw>
struct TileLoop {
  static constexpr int bits = Draw::bits;
  using Memory = TileMemory<Stream, Draw>;
  using Warp = WarpDraws<Stream, Draw>;

  const RandomParams& p;
  Memory& shared;
  const Stream stream{*p.state};
  const PendingHalf pending{p.state->words[7]};
  const TileSlots slots{p};
  const int warp = int(threadIdx.x / 32);
  const int lane = int(threadIdx.x % 32);

  __device__ TileLoop(const RandomParams& params, Memory& memory) : p(params), shared(memory) {}

  // The block's tiles have numbers, `turn`, from 1 on.
  __device__ Warp draws(int turn) const {
    return {p, stream, shared.tables, shared.parts[turn % 2][warp], shared.scratch[warp]};
  }
  __device__ TileTurn& of(int turn) const { return shared.turns[turn % 3]; }

  // Sets the tile to make next. All lanes of a warp call it.
  __device__ void set_next(int64_t tile) const {
    if (lane == 0) shared.next = tile;
    if (lane < kRandomWarps) {
      const int64_t first = (tile * kRandomWarps + lane) * (p.warp_words - Warp::words_behind);
      const auto place = stream.place(uint64_t(first));
      shared.places[lane] = Draw::is_chained ? stream.before(place) : place;
    }
  }

  // Makes the values of a tile, and sets the tile to make next.
  __device__ void make(int64_t tile, int turn, bool is_alone) const {
    int64_t next = tile + 1;
    if (next < p.tiles && threadIdx.x == 32) next = slots.take();
    Warp mine = draws(turn);
    TileTurn& now = of(turn);
    mine.make(shared.places[warp]);
    if constexpr (Draw::is_chained) {
      const bool is_first = tile == 0 && warp == 0;
      mine.link(is_first ? mine.behind() + shared.head.entry : 0);
    }
    const int results = mine.count();
    if (lane == 0) now.results[warp] = results;
    __syncthreads();
    if (threadIdx.x == 0 && !is_alone) slots.publish_total(tile, now.sum(kRandomWarps));
    if (warp == 1) set_next(__shfl_sync(0xffffffffu, next, 0));
  }

  // Stores the results of a tile. Returns whether the draw's last one is among them.
  __device__ bool finish(int64_t tile, int turn, bool is_alone) const {
    Warp mine = draws(turn);
    TileTurn& now = of(turn);
    const TileTurn& earlier = of(turn - 1);
    if (warp == 0) {
      int64_t begin = shared.head.results;
      if (!is_alone)
        begin = slots.before(tile, now.sum(kRandomWarps), begin);
      else if (tile > 0)
        begin = earlier.begin + earlier.sum(kRandomWarps);
      if (lane == 0) now.begin = begin;
    }
    __syncthreads();
    const int64_t begin = now.begin + now.sum(warp), end = now.begin + now.sum(kRandomWarps);
    const int64_t left = p.count - begin;
    if (left > 0) mine.store(static_cast<typename Draw::result*>(p.out) + begin, left);
    if (end < p.count) return false;

    // The draw's last result is of this tile, of an earlier one, or of the pending half.
    const int64_t part = tile * kRandomWarps + warp;
    const int64_t first = pending.units<bits>() + part * (mine.units() - mine.behind());
    const int taken = left > 0 && left <= now.results[warp] ? mine.end_of(left - 1) : 0;
    if (taken != 0) advance_state<bits>(stream, pending, *p.state, first + taken);
    if (tile == 0 && p.count <= shared.head.results && threadIdx.x == 0)
      advance_state<bits>(stream, pending, *p.state, shared.head.end);
    return true;
  }

  __device__ void run() const {
    for (int k = int(threadIdx.x); k < Draw::Tables::size; k += kRandomTileBlock)
      Draw::load(shared.tables, k);
    if (warp == 1) {
      const int64_t taken = lane == 0 && p.tiles > 1 ? slots.take() : 0;
      set_next(__shfl_sync(0xffffffffu, taken, 0));
    }
    __syncthreads();
    int64_t tile = shared.next;
    if (tile >= p.tiles) return;
    if (warp == 0) {
      // Blocks that begin late may find the state of the next draw.
      const Head made =
          tile == 0 ? draw_pending<Stream, Draw>(p, stream, pending, shared.tables) : Head{};
      if (lane == 0) shared.head = made;
      __syncwarp();
    }

    bool is_alone = p.tiles == 1;
    make(tile, 1, is_alone);
    __syncthreads();
    for (int turn = 1;; ++turn) {
      // The block of the last tile goes on with those behind it until all results are there.
      const int64_t next = shared.next;
      const bool goes_on = tile + 1 >= p.tiles;
      const bool makes = !goes_on && next < p.tiles;
      if (makes) make(next, turn + 1, false);
      if (finish(tile, turn, is_alone)) {
        // The tile that was taken last makes nothing; those behind it wait for its slots.
        if (makes && shared.next < p.tiles && threadIdx.x == 0) slots.pass(shared.next, p);
        return;
      }
      if (!makes && !goes_on) return;
      tile = next;
      if (goes_on) {
        is_alone = true;
        make(tile, turn + 1, is_alone);
        __syncthreads();
      }
    }
  }
};

// Makes p.count results.
template <class Stream, class Draw>
__device__ void picked_draws(const RandomParams& p) {
  __shared__ TileMemory<Stream, Draw> shared;
  wait_for_previous_grid();
  TileLoop<Stream, Draw>(p, shared).run();
}

}  // namespace gpuarray
