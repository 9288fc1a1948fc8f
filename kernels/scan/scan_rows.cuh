// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Scans along rows in one pass over memory. A block takes many short rows, or one tile of a long
// row, and blocks look back at the totals of the tiles before them (decoupled look-back: Merrill
// and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). So that every
// run gives the same bits, the tiles of a group of 32 combine by one fixed tree, whichever is ready
// first, and groups combine from the left.
#pragma once

#include "kernels/scan/scan.cuh"

namespace gpuarray {

inline constexpr uint32_t kScanGroup = 32;  // tiles: one for each lane of the warp that looks back

// Returns the total of all groups of the row before `group`, which is not the first; waits until
// they are published. The first warp of the block calls it.
template <class Scanner>
__device__ Stretch<Scanner> earlier_groups(const Slots<typename Scanner::accumulator>& groups,
                                           int64_t group) {
  const int64_t mine = group - 1 - threadIdx.x;
  typename Scanner::accumulator value{};
  int nearest;
  while (true) {
    const uint32_t flag = mine >= 0 ? groups.look(mine, value) : kSlotEmpty;
    const uint32_t prefixes = __ballot_sync(0xffffffffu, flag == kSlotPrefix);
    const uint32_t ready = __ballot_sync(0xffffffffu, flag != kSlotEmpty);
    nearest = __ffs(int(prefixes)) - 1;
    if (nearest >= 0 && (~ready & ((1u << nearest) - 1)) == 0) break;
  }
  auto total = shuffle(value, nearest);
  for (int lane = nearest - 1; lane >= 0; --lane)
    total = Scanner::combine(total, shuffle(value, lane));
  return {total, true};
}

// Publishes `aggregate`, the total of `tile`, and returns the total of all tiles of the row before
// it; waits until they are published. The first warp of the block calls it, and every lane
// gets the total.
template <class Scanner>
__device__ Stretch<Scanner> earlier_tiles(const ScanParams& p, int64_t row, uint32_t tile,
                                          const typename Scanner::accumulator& aggregate) {
  using Part = Stretch<Scanner>;
  using Table = Slots<typename Scanner::accumulator>;
  const uint32_t lane = threadIdx.x;
  const uint32_t place = tile % kScanGroup;
  const uint32_t group = tile / kScanGroup;
  const uint32_t group_count = (p.tiles + kScanGroup - 1) / kScanGroup;
  const Table tiles{p.state + row * (p.tiles + group_count) * Table::size};
  const Table groups{tiles.first + p.tiles * Table::size};
  if (lane == 0) tiles.publish(tile, aggregate, kSlotAggregate);

  Part part{{}, lane < place};
  if (part.any) tiles.await(tile - place + lane, part.total);
#pragma unroll
  for (uint32_t distance = 1; distance < kScanGroup; distance *= 2)
    part = part.then({shuffle(part.total, int(lane + distance)), lane + distance < place});
  part = {shuffle(part.total, 0), place > 0};

  const Part whole = part.then({aggregate, true});  // in the last tile: the total of its group
  const bool last = lane == 0 && place == kScanGroup - 1;
  if (group == 0) {
    if (last) groups.publish(group, whole.total, kSlotPrefix);
    return part;
  }
  if (last) groups.publish(group, whole.total, kSlotAggregate);
  const Part before = earlier_groups<Scanner>(groups, group);
  if (last) groups.publish(group, before.then(whole).total, kSlotPrefix);
  return before.then(part);
}

// The blocks to keep resident on a multiprocessor, which bounds the registers of a thread.
template <class Scanner>
inline constexpr int scan_rows_resident =
    sizeof(typename Scanner::accumulator) < 16 ? kScanResidentBlocks : kScanWideResidentBlocks;

// Loads a thread's neighbouring elements, of which the first `left` are in the row; the others are
// zero.
template <class Scanner, class Source>
__device__ auto load_items(const ScanParams& p, const Source& source, int left) {
  constexpr int items = scan_items<Scanner>;
  using Vector = Vec<stored_t<typename Scanner::value>, items>;
  if constexpr (is_memory<Source>)
    if ((p.vectors & 1) != 0 && left >= items)
      return Words<Vector>(*reinterpret_cast<const Vector*>(source));
  Vector vector{};
  int64_t offset = 0;
#pragma unroll
  for (int k = 0; k < items; ++k, offset += p.source_step)
    if (k < left) vector.items[k] = source[offset];
  return Words<Vector>(vector);
}

// Stores those of a thread's results that are in the row.
template <class Scanner, class Vector>
__device__ void store_items(const ScanParams& p, typename Scanner::result* target, int left,
                            const Vector& vector) {
  constexpr int items = scan_items<Scanner>;
  if ((p.vectors & 2) != 0 && left >= items) return store(target, vector);
  int64_t offset = 0;
#pragma unroll
  for (int k = 0; k < items; ++k, offset += p.target_step)
    if (k < left) target[offset] = vector.items[k];
}

// Says which elements a thread takes: kScanRounds vectors, `step` elements apart.
template <class Scanner>
struct ScanRowsThread {
  static constexpr int items = scan_items<Scanner>;
  static constexpr uint32_t warps = kScanBlock / 32;

  uint32_t tile;
  int64_t row;
  uint32_t width;  // threads of a warp that share a row: their vectors of a round are neighbours
  uint32_t lane;   // among these
  uint32_t warp;   // in the block
  uint32_t first_warp;  // first of the row
  int step;
  int64_t begin;  // the thread's first element in the row
  int inside;     // elements of the row from `begin` on, or more than the thread takes

  // Blocks start in the order of their indices, so that the tiles that one looks back at have
  // started.
  __device__ explicit ScanRowsThread(const ScanParams& p) {
    tile = blockIdx.x / p.row_blocks;
    const uint32_t block = blockIdx.x - tile * p.row_blocks;
    row = int64_t(block) * (kScanBlock / p.lanes) + threadIdx.x / p.lanes;
    width = p.lanes < 32 ? p.lanes : 32;
    lane = threadIdx.x & (width - 1);
    warp = threadIdx.x / 32;
    first_warp = warp & ~((p.lanes - 1) / 32);
    step = int(width) * items;
    begin = (int64_t(tile) * warps + (warp - first_warp)) * (step * kScanRounds) + lane * items;
    const int64_t left = row < p.rows ? p.length - begin : 0;
    inside = left < kScanBlock * kScanRounds * items ? int(left) : max_integer<int32_t>;
  }
  // Returns the thread of the block that has the last elements of each round.
  __device__ uint32_t last() const { return threadIdx.x - lane + width - 1; }
};

// Holds the elements that a thread has loaded, by rounds.
template <class Scanner>
using ScanRounds = Words<Vec<stored_t<typename Scanner::value>, scan_items<Scanner>>>[kScanRounds];

// Holds the total of each round up to and including each thread. It is shared by the block, to
// spare registers.
template <class Scanner>
using ScanTotals = typename Scanner::accumulator[kScanRounds][kScanBlock];

// Loads the elements of all rounds before any is used, so that the loads overlap.
template <class Scanner, class Source>
__device__ void load_rounds(const ScanParams& p, const ScanRowsThread<Scanner>& thread,
                            const Source& source, ScanRounds<Scanner>& loaded) {
#pragma unroll
  for (int round = 0; round < kScanRounds; ++round) {
    const int at = round * thread.step;
    loaded[round] = load_items<Scanner>(p, source + at * p.source_step, thread.inside - at);
  }
}

// Writes the totals of the elements up to and including those of each thread, by rounds. The other
// threads of the warp may read them afterwards.
template <class Scanner>
__device__ void total_rounds(const ScanRowsThread<Scanner>& thread, ScanRounds<Scanner>& loaded,
                             ScanTotals<Scanner>& up_to) {
  using Accumulator = typename Scanner::accumulator;
  Accumulator totals[kScanRounds];
#pragma unroll
  for (int round = 0; round < kScanRounds; ++round) {
    const auto vector = loaded[round].value();
    totals[round] = Scanner::lift(vector.items[0]);
#pragma unroll
    for (int k = 1; k < scan_items<Scanner>; ++k)
      totals[round] = Scanner::combine(totals[round], Scanner::lift(vector.items[k]));
    loaded[round].forget_uses();
  }
  for (uint32_t distance = 1; distance < thread.width; distance *= 2) {
#pragma unroll
    for (int round = 0; round < kScanRounds; ++round) {
      const Accumulator before = shuffle_up(totals[round], distance, thread.width);
      if (thread.lane >= distance) totals[round] = Scanner::combine(before, totals[round]);
    }
  }
#pragma unroll
  for (int round = 0; round < kScanRounds; ++round) up_to[round][threadIdx.x] = totals[round];
  __syncwarp();
}

// Returns the total of all elements of the row that earlier warps and blocks take. `shared` has
// room for the total of each warp and one more.
template <class Scanner>
__device__ Stretch<Scanner> total_before(const ScanParams& p, const ScanRowsThread<Scanner>& thread,
                                         const ScanTotals<Scanner>& up_to,
                                         typename Scanner::accumulator* shared) {
  using Accumulator = typename Scanner::accumulator;
  using Part = Stretch<Scanner>;
  Part before{{}, false};
  if (p.lanes > 32) {
    if (thread.lane == 0) {
      Accumulator total = up_to[0][thread.last()];
      for (int round = 1; round < kScanRounds; ++round)
        total = Scanner::combine(total, up_to[round][thread.last()]);
      shared[thread.warp] = total;
    }
    __syncthreads();
    for (uint32_t k = thread.first_warp; k < thread.warp; ++k)
      before = before.then({shared[k], true});
  }
  if (p.tiles > 1) {
    constexpr uint32_t warps = ScanRowsThread<Scanner>::warps;
    if (thread.warp == 0) {
      Accumulator aggregate = shared[0];
      for (uint32_t k = 1; k < warps; ++k) aggregate = Scanner::combine(aggregate, shared[k]);
      const Part earlier = earlier_tiles<Scanner>(p, thread.row, thread.tile, aggregate);
      if (thread.lane == 0 && earlier.any) shared[warps] = earlier.total;
    }
    __syncthreads();
    if (thread.tile > 0) before = Part{shared[warps], true}.then(before);
  }
  return before;
}

// Stores the results of all rounds. `before` is the total of all elements before the first round.
template <class Scanner>
__device__ void store_rounds(const ScanParams& p, const ScanRowsThread<Scanner>& thread,
                             const ScanRounds<Scanner>& loaded, const ScanTotals<Scanner>& up_to,
                             Stretch<Scanner> before, typename Scanner::result* target) {
#pragma unroll
  for (int round = 0; round < kScanRounds; ++round) {
    Stretch<Scanner> running = before;
    if (thread.lane > 0) running = before.then({up_to[round][threadIdx.x - 1], true});
    const auto vector = loaded[round].value();
    Vec<typename Scanner::result, scan_items<Scanner>> results;
#pragma unroll
    for (int k = 0; k < scan_items<Scanner>; ++k) results.items[k] = running.step(vector.items[k]);
    before = before.then({up_to[round][thread.last()], true});
    const int at = round * thread.step;
    store_items<Scanner>(p, target + at * p.target_step, thread.inside - at, results);
  }
}

// Scans rows, or a tile of one: each thread loads kScanRounds vectors, and those of one round lie
// side by side over the threads of a warp that share a row. Blocks have kScanBlock threads; the
// grid has p.tiles x p.row_blocks of them, and blocks of later tiles wait for earlier ones, which
// start first. `elements` is a pointer, or an object with its + and [] that makes elements, as for
// reduce_kernel.
template <class Scanner, class Source>
__device__ void scan_rows_kernel(const ScanParams& p, const Source& elements) {
  using Accumulator = typename Scanner::accumulator;
  using Thread = ScanRowsThread<Scanner>;
  alignas(16) __shared__ unsigned char storage[(Thread::warps + 1) * sizeof(Accumulator)];
  auto* shared = reinterpret_cast<Accumulator*>(storage);
  alignas(16) __shared__ unsigned char lane_storage[sizeof(ScanTotals<Scanner>)];
  auto& up_to = reinterpret_cast<ScanTotals<Scanner>&>(lane_storage);
  wait_for_previous_grid();

  const Thread thread(p);
  const ScanPlace place(p, thread.row < p.rows ? thread.row : 0, thread.begin);
  const Source source = elements + place.offsets[0];
  auto* target = place.in_target<typename Scanner::result>(p);
  ScanRounds<Scanner> loaded;
  load_rounds(p, thread, source, loaded);
  total_rounds(thread, loaded, up_to);
  const Stretch<Scanner> before = total_before(p, thread, up_to, shared);
  store_rounds(p, thread, loaded, up_to, before, target);
}

// Does the same over elements in memory, at p.source.
template <class Scanner>
__device__ void scan_rows_kernel(const ScanParams& p) {
  scan_rows_kernel<Scanner>(p, static_cast<const stored_t<typename Scanner::value>*>(p.source));
}

}  // namespace gpuarray
