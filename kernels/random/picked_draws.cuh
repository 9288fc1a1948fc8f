// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of which some units make no result, by two kernels: the first finds them, and the last of
// its blocks sums up and writes the new state; the second one makes the numbers again and stores
// them where they belong. That takes less than to keep the numbers while blocks wait for each
// other.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/random/warp_draws.cuh"

namespace gpuarray {

// What comes of the pending half, before the first part.
struct Head {
  int results;
  int entry;  // units of the first part that a draw takes
  int end;    // the unit behind the draw's last result, if this one is the draw's last
};

template <class Stream, class Draw>
struct BlockMemory {
  WarpPart<Stream, Draw> parts[kRandomWarps];
  typename Draw::Tables tables;
  Head head;
  int64_t sums[kRandomWarps];
  bool is_last_block;
};

template <class Stream, class Draw>
struct PickedBlock {
  static constexpr int bits = Draw::bits;
  using Warp = WarpDraws<Stream, Draw>;
  using Result = typename Draw::result;
  using Staged = typename Draw::staged;

  const RandomParams& p;
  BlockMemory<Stream, Draw>& shared;
  const Stream stream;
  const PendingHalf pending;
  const int warp = int(threadIdx.x / 32);
  const int lane = int(threadIdx.x % 32);
  const int64_t first = int64_t{blockIdx.x} * p.work.block_parts;
  const int64_t end =
      first + p.work.block_parts < p.work.parts ? first + p.work.block_parts : p.work.parts;

  __device__ PickedBlock(const RandomParams& params, BlockMemory<Stream, Draw>& memory,
                         const RandomState& state)
      : p(params), shared(memory), stream(state), pending{state.words[7]} {
    for (int k = int(threadIdx.x); k < Draw::Tables::size; k += kRandomPartBlock)
      Draw::load(shared.tables, k);
  }

  __device__ Warp draws() const { return {p, stream, shared.tables, shared.parts[warp]}; }
  __device__ Result* out() const { return static_cast<Result*>(p.out); }
  // Returns the places of the warp's parts.
  __device__ typename Stream::Places places(bool behind) const {
    const auto place = stream.place(uint64_t((first + warp) * p.work.part_words));
    return {stream, behind ? stream.before(place) : place,
            int64_t{kRandomWarps} * p.work.part_words};
  }

  // Finds the results of the block's parts, and returns how many this warp's have.
  __device__ int64_t find_parts() const {
    int first_entry = 0;
    if (blockIdx.x == 0 && warp == 0) {
      const Head made = draw_pending();
      if (lane == 0) shared.head = made;
      first_entry = Warp::units_behind + made.entry;
    }
    const Warp mine = draws();
    auto own = places(Draw::is_chained);
    int64_t results = 0;
    for (int64_t part = first + warp; part < end; part += kRandomWarps) {
      const int found = mine.find(own.take(), part == 0 ? first_entry : 0);
      results += found;
      if (gridDim.x == 1) continue;
      if (lane == 0) p.work.counts[part] = uint32_t(found);
      save(mine, part);
    }
    return results;
  }

  // The first kernel, of several blocks.
  __device__ void find() const {
    const int64_t results = find_parts();
    if (lane == 0) shared.sums[warp] = results;
    __syncthreads();
    if (threadIdx.x == 0) {
      int64_t total = 0;
      for (int k = 0; k < kRandomWarps; ++k) total += shared.sums[k];
      p.work.bases[blockIdx.x] = total;
      if (blockIdx.x == 0) p.work.bases[gridDim.x] = shared.head.results;
      for (int k = 0; blockIdx.x == 0 && k < 8; ++k) p.work.begun->words[k] = p.state->words[k];
      __threadfence();
      shared.is_last_block = atomicAdd(&p.state->readers, 1u) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!shared.is_last_block || warp != 0) return;
    __threadfence();
    sum_up();
  }

  // The second kernel.
  __device__ void store() const {
    int64_t base = p.work.bases[blockIdx.x];
    const Warp mine = draws();
    auto own = places(false);
    for (int64_t from = first; from < end && base < p.count; from += kRandomWarps) {
      const int64_t counted = from + lane;
      const bool counts = lane < kRandomWarps && counted < end;
      int all;
      const int before = warp_sum_before(counts ? int(p.work.counts[counted]) : 0, all);
      const int64_t begin = base + __shfl_sync(0xffffffffu, before, warp);
      const auto place = own.take();
      if (from + warp < end && begin < p.count) {
        load(mine, from + warp);
        mine.store(place, out() + begin, p.count - begin);
      }
      base += all;
    }
  }

  // Does all of it in the first kernel. Each warp has at most one part.
  __device__ void draw_alone() const {
    const int64_t results = find_parts();
    if (lane == 0) shared.sums[warp] = results;
    __syncthreads();
    int64_t begin = shared.head.results;
    for (int k = 0; k < warp; ++k) begin += shared.sums[k];
    const int64_t left = p.count - begin;
    const Warp mine = draws();
    if (first + warp < end && left > 0) mine.store(places(false).take(), out() + begin, left);
    __syncthreads();
    const bool is_last = first + warp < end && left > 0 && left <= results;
    if (is_last) return end_in(mine, first + warp, left - 1, 0);
    if (warp == 0 && p.count <= shared.head.results) return end_in_head();
    // Too few parts, which hardly ever happens.
    if (first + warp + 1 == end && left > results)
      end_in(mine, first + warp, results - 1, left - results);
  }

 private:
  // Copies what is known of a part to the memory of the second kernel.
  __device__ void save(const Warp& mine, int64_t part) const {
    uint32_t* const skipped = p.work.skipped + part * mine.own_count();
    for (int k = lane; k < mine.own_count(); k += 32) skipped[k] = mine.own_groups()[k].skipped;
    if constexpr (Draw::is_chained) {
      const auto& hard = mine.part.hard;
      int all = 0;
      for (int from = 0; from < hard.count; from += 32)
        all += __popc(__ballot_sync(0xffffffffu, is_result(mine, from + lane)));
      uint32_t slot = 0;
      if (lane == 0) slot = atomicAdd(&p.state->listed, uint32_t(all));
      slot = __shfl_sync(0xffffffffu, slot, 0);
      if (lane == 0) p.work.lists[part] = uint64_t(slot) << 8 | uint64_t(all);
      for (int from = 0; from < hard.count; from += 32) {
        const uint32_t mask = __ballot_sync(0xffffffffu, is_result(mine, from + lane));
        const int64_t at = int64_t(slot) + __popc(mask & ((1u << lane) - 1));
        if ((mask >> lane & 1) != 0 && at < p.work.hard_capacity) {
          static_cast<Staged*>(p.work.hard_values)[at] = hard.value[from + lane];
          p.work.hard_units[at] = uint32_t(hard.at[from + lane] - Warp::units_behind) |
                                  uint32_t(hard.taken[from + lane]) << 16;
        }
        slot += uint32_t(__popc(mask));
      }
    }
  }
  __device__ static bool is_result(const Warp& mine, int k) {
    if (k >= mine.part.hard.count) return false;
    const int at = mine.part.hard.at[k];
    return at >= Warp::units_behind && (mine.part.groups[at / 32].skipped >> (at % 32) & 1) == 0;
  }
  __device__ void load(const Warp& mine, int64_t part) const {
    const uint32_t* const skipped = p.work.skipped + part * mine.own_count();
    for (int k = lane; k < mine.own_count(); k += 32) mine.own_groups()[k].skipped = skipped[k];
    if constexpr (Draw::is_chained) {
      auto& hard = mine.part.hard;
      const uint64_t list = p.work.lists[part];
      const int64_t slot = int64_t(list >> 8);
      if (lane == 0) hard.count = int(list & 0xff);
      __syncwarp();
      for (int k = lane; k < hard.count && slot + k < p.work.hard_capacity; k += 32) {
        hard.value[k] = static_cast<const Staged*>(p.work.hard_values)[slot + k];
        const uint32_t unit = p.work.hard_units[slot + k];
        hard.at[k] = uint16_t((unit & 0xffff) + Warp::units_behind);
        hard.taken[k] = uint8_t(unit >> 16);
      }
    }
    __syncwarp();
    mine.number();
  }

  // Makes and stores the results of the pending half.
  __device__ Head draw_pending() const {
    const int units = pending.units<bits>();
    if (units == 0) return {};
    if constexpr (Draw::is_chained) {
      const auto unit = pending.half();
      Staged value = Draw::number(p, shared.tables, unit);
      Taken taken{1, true};
      if (!Draw::accepts(p, shared.tables, unit)) {
        UnitWalk<bits, Stream> walk(stream, pending);
        taken = draw_slowly<Draw>(walk, value);
      }
      if (lane == 0 && taken.is_result) out()[0] = Draw::finish(p, value);
      return {taken.is_result, taken.units - 1, taken.units};
    } else {
      const uint64_t word[] = {pending.half()};
      const auto unit = unit_of<bits>(word, lane < units ? lane : 0);
      const bool accepted = lane < units && Draw::accepts(p, shared.tables, unit);
      const uint32_t mask = __ballot_sync(0xffffffffu, accepted);
      const int rank = __popc(mask & ((1u << lane) - 1));
      if (accepted && rank < p.count)
        out()[rank] = Draw::finish(p, Draw::number(p, shared.tables, unit));
      const uint32_t last = __ballot_sync(0xffffffffu, accepted && rank + 1 == p.count);
      return {__popc(mask), 0, __ffs(int(last))};
    }
  }

  // Turns the blocks' numbers of results into sums of those before, and sets the new state. The
  // first warp of the last block calls it.
  __device__ void sum_up() const {
    const int blocks = int(gridDim.x);
    const int64_t head = p.work.bases[blocks];
    int64_t base = head;
    int64_t holder = -1, holder_base = 0;  // the block that has the last result
    for (int from = 0; from < blocks; from += 32) {
      const bool is_block = from + lane < blocks;
      const int64_t mine = is_block ? p.work.bases[from + lane] : 0;
      int64_t all;
      const int64_t before = base + warp_sum_before(mine, all);
      if (is_block) p.work.bases[from + lane] = before;
      const uint32_t has =
          __ballot_sync(0xffffffffu, is_block && before < p.count && p.count <= before + mine);
      if (has != 0) {
        holder = from + __ffs(int(has)) - 1;
        holder_base = __shfl_sync(0xffffffffu, before, __ffs(int(has)) - 1);
      }
      base += all;
    }
    if (lane == 0) p.state->readers = p.state->listed = 0;
    if (holder < 0) {  // too few parts, which hardly ever happens
      const int64_t part = p.work.parts - 1;
      load(draws(), part);
      return end_in(draws(), part, int64_t{p.work.counts[part]} - 1, p.count - base);
    }
    int64_t rank = p.count - 1 - holder_base;
    for (int64_t from = holder * p.work.block_parts;; from += 32) {
      const int64_t part = from + lane;
      const bool is_part = part < p.work.parts && part < (holder + 1) * p.work.block_parts;
      const int64_t mine = is_part ? p.work.counts[part] : 0;
      int64_t all;
      const int64_t before = warp_sum_before(mine, all);
      const uint32_t has = __ballot_sync(0xffffffffu, before <= rank && rank < before + mine);
      if (has == 0) {
        rank -= all;
        continue;
      }
      const int owner = __ffs(int(has)) - 1;
      rank -= __shfl_sync(0xffffffffu, before, owner);
      load(draws(), from + owner);
      return end_in(draws(), from + owner, rank, 0);
    }
  }

  // Sets the state behind the result of a rank of a part, and draws so many more behind it first.
  __device__ void end_in(const Warp& mine, int64_t part, int64_t rank, int64_t more) const {
    const int unit = mine.end_of(rank);
    if (unit == 0) return;
    int64_t taken = part * p.work.part_words * (64 / bits) + unit;
    if (more > 0) {
      const auto place = stream.place(uint64_t(taken / (64 / bits)));
      UnitWalk<bits, Stream> walk(stream, place, int(taken % (64 / bits)));
      for (int64_t at = p.count - more; at < p.count;) {
        const auto next = walk;
        const auto drawn = walk.take();
        Staged value = Draw::number(p, shared.tables, drawn);
        Taken used{1, Draw::accepts(p, shared.tables, drawn)};
        if constexpr (Draw::is_chained) {
          if (!used.is_result) {
            walk = next;
            used = draw_slowly<Draw>(walk, value);
          }
        }
        taken += used.units;
        if (used.is_result) out()[at++] = Draw::finish(p, value);
      }
    }
    advance_state<bits>(stream, pending, *p.state, pending.units<bits>() + taken);
  }
  __device__ void end_in_head() const {
    if (lane == 0) advance_state<bits>(stream, pending, *p.state, shared.head.end);
  }
};

// Finds p.count results, and draws them if the block is the only one.
template <class Stream, class Draw>
__device__ void picked_draws(const RandomParams& p) {
  static_assert(sizeof(BlockMemory<Stream, Draw>) <= 48 << 10);
  __shared__ BlockMemory<Stream, Draw> shared;
  wait_for_previous_grid();
  const PickedBlock<Stream, Draw> block(p, shared, *p.state);
  __syncthreads();
  if (gridDim.x == 1)
    block.draw_alone();
  else
    block.find();
}

// Stores what picked_draws has found.
template <class Stream, class Draw>
__device__ void picked_results(const RandomParams& p) {
  __shared__ BlockMemory<Stream, Draw> shared;
  wait_for_previous_grid();
  const PickedBlock<Stream, Draw> block(p, shared, *p.work.begun);
  __syncthreads();
  block.store();
}

}  // namespace gpuarray
