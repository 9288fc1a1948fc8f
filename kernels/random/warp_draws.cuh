// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A warp's part of a tile: each unit is made into a value as if a result began there, hard ones by
// drawing on at once; then those are left out that make no result, or that a draw before them has
// taken. Parts of chained draws begin with some words of the part before, in which draws come in
// step wherever they begin: after few units, since two hard ones in a row are rare.
#pragma once

#include "kernels/element/inputs.cuh"
#include "kernels/random/ziggurat.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The most hard units of a warp's part of one of the generators' streams, with room to spare: of
// 1024 units about 16 are hard, with a deviation of 4.
inline constexpr int kMostHard = 64;

// 32 units, a bit for each.
struct alignas(8) UnitGroup {
  uint32_t skipped;  // the units that begin no result
  int first;         // results of the groups before
};

// What a warp knows of its part, in shared memory.
template <class Stream, class Draw>
struct WarpPart {
  static constexpr int each = 64 / Draw::bits;  // units of a word
  static constexpr int units = kRandomWarpWords * each;

  alignas(16) typename Draw::staged values[units];
  UnitGroup groups[units / 32];
  int hard_units;
  uint16_t hard[Draw::is_chained ? kMostHard : 1];  // the hard units, in order
  uint8_t taken[Draw::is_chained ? kMostHard : 1];  // how many units each takes if a draw begins
  uint8_t made[Draw::is_chained ? kMostHard : 1];   // whether they make a result
};

// Returns the sum of what the lanes before give; `total` becomes that of all.
__device__ inline int warp_sum_before(int mine, int& total) {
  __syncwarp();  // lanes that are apart take a slow way through the exchange
  int sum = mine;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, sum, unsigned(distance));
    if (int(threadIdx.x % 32) >= distance) sum += other;
  }
  total = __shfl_sync(0xffffffffu, sum, 31);
  return sum - mine;
}
// Returns the greatest of what the lanes up to this one give, or 0.
__device__ inline int warp_max_up_to(int mine) {
  __syncwarp();
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, mine, unsigned(distance));
    if (int(threadIdx.x % 32) >= distance && other > mine) mine = other;
  }
  return mine;
}

template <class Stream, class Draw>
struct WarpDraws {
  static constexpr int bits = Draw::bits;
  static constexpr int each = 64 / bits;
  static constexpr int words_behind = Draw::is_chained ? kRandomWordsBehind : 0;
  using Part = WarpPart<Stream, Draw>;
  using Place = typename Stream::Place;

  const RandomParams& p;
  const Stream& stream;
  const typename Draw::Tables& tables;
  Part& part;
  typename Stream::Scratch& scratch;

  __device__ static int lane() { return int(threadIdx.x % 32); }
  __device__ static constexpr int behind() { return words_behind * each; }
  __device__ int units() const { return p.warp_words * each; }
  __device__ int groups() const { return units() / 32; }

  // Makes the values of the part that begins at a place, and marks the units that are none.
  __device__ void make(Place place) {
    for (int k = lane(); k < groups(); k += 32) part.groups[k].skipped = 0;
    __syncwarp();
    typename Stream::WarpWords stream_words(stream, place, scratch);
#pragma unroll kRandomUnroll
    for (int at = lane(); at < p.warp_words; at += 32) {
      const uint64_t word[] = {stream_words.take()};
      Vec<typename Draw::staged, each> values;
      uint32_t none = 0;
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (!Draw::make(p, tables, unit_of<bits>(word, k), values.items[k])) none |= 1u << k;
      *reinterpret_cast<Vec<typename Draw::staged, each>*>(part.values + at * each) = values;
      skip(part.groups[at * each / 32], none << (at * each % 32));
    }
    __syncwarp();
    if constexpr (Draw::is_chained) draw_hard(place);
  }

  // Marks the units that begin no result, if draws begin at unit `entry`.
  __device__ void link(int entry) {
    for (int k = lane(); k < groups(); k += 32) {
      const int taken = entry - k * 32;
      part.groups[k].skipped = taken <= 0 ? 0 : taken >= 32 ? ~0u : (1u << taken) - 1;
    }
    __syncwarp();
    int next = entry;  // the unit behind all draws so far
    for (int first = 0; first < part.hard_units; first += 32) {
      const int mine = first + lane();
      const bool is_hard = mine < part.hard_units;
      const int at = is_hard ? part.hard[mine] : 0;
      const int end = is_hard ? at + part.taken[mine] : 0;
      const int made = is_hard ? part.made[mine] : 0;
      const int up_to = warp_max_up_to(end);
      const int before = __shfl_up_sync(0xffffffffu, up_to, 1);
      const bool is_free = (lane() == 0 || before <= at) && next <= at;
      uint32_t begun = __ballot_sync(0xffffffffu, is_hard && is_free);
      uint32_t doubtful = __ballot_sync(0xffffffffu, is_hard) & ~begun;
      for (; doubtful != 0; doubtful &= doubtful - 1) {
        const int other = __ffs(int(doubtful)) - 1;
        const bool counts = (begun >> lane() & 1) != 0 && lane() < other;
        const int taken = last(warp_max_up_to(counts ? end : 0));
        const int unit = __shfl_sync(0xffffffffu, at, other);
        if (taken <= unit && next <= unit) begun |= 1u << other;
      }
      const bool begins = (begun >> lane() & 1) != 0;
      for (int k = at + made; begins && k < end && k < units(); ++k)
        atomicOr(&part.groups[k / 32].skipped, 1u << (k % 32));
      const int reached = last(warp_max_up_to(begins ? end : 0));
      next = reached > next ? reached : next;
    }
    __syncwarp();
  }

  // Numbers the results, and returns how many there are.
  __device__ int count() {
    constexpr int begin = behind() / 32;
    const int mine = (groups() - begin + 31) / 32, first = begin + lane() * mine;
    int skipped = 0, all;
    for (int k = first; k < first + mine && k < groups(); ++k)
      skipped += __popc(part.groups[k].skipped);
    skipped = warp_sum_before(skipped, all);
    for (int k = first; k < first + mine && k < groups(); ++k) {
      part.groups[k].first = (k - begin) * 32 - skipped;
      skipped += __popc(part.groups[k].skipped);
    }
    __syncwarp();
    return units() - behind() - all;
  }

  // Stores the first `limit` results.
  __device__ void store(typename Draw::result* out, int64_t limit) const {
    const uint32_t mine = 1u << lane();
#pragma unroll kRandomUnroll
    for (int k = behind() / 32; k < groups(); ++k) {
      const UnitGroup group = part.groups[k];
      const int rank = group.first + lane() - __popc(group.skipped & (mine - 1));
      const auto value = part.values[k * 32 + lane()];
      if ((group.skipped & mine) == 0 && rank < limit) out[rank] = Draw::finish(p, value);
    }
    __syncwarp();
  }

  // Returns the unit behind the result of a rank to the lane that finds it, else 0. Units count
  // from the first that is not of the part before.
  __device__ int end_of(int64_t rank) const {
    for (int k = behind() / 32; k < groups(); ++k) {
      const UnitGroup group = part.groups[k];
      const uint32_t before = (1u << lane()) - 1;
      if ((group.skipped >> lane() & 1) != 0) continue;
      if (group.first + lane() - __popc(group.skipped & before) != rank) continue;
      const int unit = k * 32 + lane();
      for (int other = 0; Draw::is_chained && other < part.hard_units; ++other)
        if (part.hard[other] == unit) return unit + part.taken[other] - behind();
      return unit + 1 - behind();
    }
    return 0;
  }

 private:
  // Marks units of a group. As a predicated instruction; a branch would part the loads around it.
  __device__ static void skip(UnitGroup& group, uint32_t units) {
#ifdef __CUDA_ARCH__
    asm volatile(
        "{\n\t"
        ".reg .pred any;\n\t"
        "setp.ne.u32 any, %1, 0;\n\t"
        "@any red.shared.or.b32 [%0], %1;\n\t"
        "}" ::"r"(uint32_t(__cvta_generic_to_shared(&group.skipped))),
        "r"(units));
#else
    group.skipped |= units;
#endif
  }
  __device__ static int last(int value) { return __shfl_sync(0xffffffffu, value, 31); }

  // Lists the hard units, which make() has marked, and draws from each.
  __device__ void draw_hard(Place place) {
    const int mine = (groups() + 31) / 32, begin = lane() * mine;
    int found = 0;
    for (int k = begin; k < begin + mine && k < groups(); ++k)
      found += __popc(part.groups[k].skipped);
    int all;
    int slot = warp_sum_before(found, all);
    for (int k = begin; k < begin + mine && k < groups(); ++k)
      for (uint32_t mask = part.groups[k].skipped; mask != 0; mask &= mask - 1, ++slot)
        if (slot < kMostHard) part.hard[slot] = uint16_t(k * 32 + __ffs(int(mask)) - 1);
    if (all > kMostHard) all = kMostHard;
    if (lane() == 0) part.hard_units = all;
    __syncwarp();
    for (int k = lane(); k < all; k += 32) {
      const int at = part.hard[k];
      UnitWalk<bits, Stream> walk(stream, place, at);
      const Taken taken = draw_slowly<Draw>(walk, part.values[at]);
      part.taken[k] = uint8_t(taken.units);
      part.made[k] = uint8_t(taken.is_result);
    }
    __syncwarp();
  }
};

}  // namespace gpuarray
