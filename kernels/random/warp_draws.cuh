// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A warp's part of a stream. Each unit is taken to begin a draw, and hard ones draw on at once;
// then those units are left out that make no result, or that a draw before them has taken. Parts of
// chained draws begin with some words of the part before, in which draws come in step wherever they
// begin: after few units, since two hard ones in a row are rare.
#pragma once

#include "kernels/element/inputs.cuh"
#include "kernels/random/ziggurat.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The most hard units of a part of one of the generators' streams, with room to spare: of 3584
// units about 80 are hard at the most, with a deviation of 9.
inline constexpr int kMostHard = 192;
static_assert(kMostHard < 256);  // lists have 8 bits for a count

// 32 units, a bit for each.
struct alignas(8) UnitGroup {
  uint32_t skipped;  // the units that begin no result
  int first;         // results of the groups before
};

// The hard units of a part, counted from its begin with the words of the part before.
template <class T>
struct HardUnits {
  int count;
  uint16_t at[kMostHard];
  uint8_t taken[kMostHard];  // how many units each takes if a draw begins there
  uint8_t made[kMostHard];   // whether they make a result
  T value[kMostHard];
};
struct NoHardUnits {
  int count;
};

// The words that a lane makes together.
template <int each>
inline constexpr int kRandomBatch = kRandomUnroll > each ? kRandomUnroll / each : 1;

// What a warp knows of a part, in shared memory.
template <class Stream, class Draw>
struct WarpPart {
  static constexpr int each = 64 / Draw::bits;  // units of a word
  static constexpr int words_behind = Draw::is_chained ? kRandomWordsBehind : 0;
  using Staged = typename Draw::staged;

  static_assert(kRandomPartWords % kRandomFewestWords == 0);
  UnitGroup groups[(kRandomPartWords + words_behind) * each / 32];
  typename Draw::template Hard<HardUnits<Staged>, NoHardUnits> hard;
  // Numbers on their way between lanes, where a word has several.
  alignas(16) Staged rows[each == 1 ? 1 : kRandomBatch<each> * 32 * each];
  typename Stream::Scratch scratch;
};

// Returns the sum of what the lanes before give; `total` becomes that of all.
template <class T>
__device__ T warp_sum_before(T mine, T& total) {
  __syncwarp();  // lanes that are apart take a slow way through the exchange
  T sum = mine;
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, sum, unsigned(distance));
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

// Moves the lowest 32 / each bits apart, each bit to a place that is so many times as high.
template <int each>
__device__ uint32_t spread(uint32_t bits) {
#pragma unroll
  for (int run = 16 / each; run >= 1; run /= 2) {
    uint32_t kept = 0;  // runs of so many bits
#pragma unroll
    for (int k = 0; k < 32; ++k) kept |= uint32_t(k / run % each == 0) << k;
    bits = (bits | bits << (run * (each - 1))) & kept;
  }
  return bits;
}

// Stores a value on a condition, for which compilers would branch: numbers that follow each other
// are then no longer computed side by side.
template <class T>
__device__ void store_if(bool condition, T* at, T value) {
#ifdef __CUDA_ARCH__
#define GPUARRAY_STORE_IF(type, constraint, bits)                         \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global." type \
               " [%1], %2; }" ::"r"(int(condition)),                      \
               "l"(at), constraint(bits)                                  \
               : "memory")
  if constexpr (sizeof(T) == 8)
    GPUARRAY_STORE_IF("b64", "l", __builtin_bit_cast(uint64_t, value));
  else if constexpr (sizeof(T) == 4)
    GPUARRAY_STORE_IF("b32", "r", __builtin_bit_cast(uint32_t, value));
  else if constexpr (sizeof(T) == 2)
    GPUARRAY_STORE_IF("b16", "h", __builtin_bit_cast(uint16_t, value));
  else
    GPUARRAY_STORE_IF("b8", "r", uint32_t(__builtin_bit_cast(uint8_t, value)));
#undef GPUARRAY_STORE_IF
#else
  if (condition) *at = value;
#endif
}

template <class Stream, class Draw>
struct WarpDraws {
  static constexpr int bits = Draw::bits;
  static constexpr int each = 64 / bits;
  static constexpr int batch = kRandomBatch<each>;
  using Part = WarpPart<Stream, Draw>;
  using Place = typename Stream::Place;
  using Staged = typename Draw::staged;
  static constexpr int units_behind = Part::words_behind * each;
  static constexpr int groups_behind = units_behind / 32;

  const RandomParams& p;
  const Stream& stream;
  const typename Draw::Tables& tables;
  Part& part;

  __device__ static int lane() { return int(threadIdx.x % 32); }
  __device__ int units() const { return units_behind + p.work.part_words * each; }
  __device__ int groups() const { return units() / 32; }
  // The groups that are not of the part before, and how many these are.
  __device__ UnitGroup* own_groups() const { return part.groups + groups_behind; }
  __device__ int own_count() const { return groups() - groups_behind; }

  // Marks the units that begin no result, if draws begin at unit `entry`, counted with those of the
  // part before, which `place` is the begin of. Returns the number of results.
  __device__ int find(Place place, int entry) const {
    __syncwarp();  // lanes may still read what is known of another part
    typename Stream::WarpWords words(stream, place, part.scratch);
    uint32_t masks[each] = {};
    if constexpr (Draw::is_chained) {
      static_assert(Part::words_behind == 32);
      mark(words, masks, true);
      if (lane() == 0) put(part.groups, masks);
    }
    const int count = p.work.part_words / 32;
#pragma unroll 1
    for (int first = 0; first < count; first += 32) {
      const int end = first + 32 < count ? first + 32 : count;
#pragma unroll 1
      for (int at = first; at < end; at += batch)
#pragma unroll
        for (int i = 0; i < batch; ++i) mark(words, masks, first + lane() == at + i);
      if (first + lane() < end) put(own_groups() + (first + lane()) * each, masks);
    }
    __syncwarp();
    if constexpr (Draw::is_chained) {
      draw_hard(place);
      link(entry);
    }
    return number();
  }

  // Numbers the results by groups. Returns how many there are.
  __device__ int number() const {
    const int mine = (own_count() + 31) / 32, first = lane() * mine;
    int skipped = 0, all;
    for (int k = first; k < first + mine && k < own_count(); ++k)
      skipped += __popc(own_groups()[k].skipped);
    skipped = warp_sum_before(skipped, all);
    for (int k = first; k < first + mine && k < own_count(); ++k) {
      own_groups()[k].first = k * 32 - skipped;
      skipped += __popc(own_groups()[k].skipped);
    }
    __syncwarp();
    return units() - units_behind - all;
  }

  // Makes the numbers again and stores the first `limit` results; `place` is the part's own begin.
  __device__ void store(Place place, typename Draw::result* out, int64_t limit) const {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+l"(out));  // one address, to which ranks are added
#endif
    typename Stream::WarpWords words(stream, place, part.scratch);
    const int most = limit < units() ? int(limit) : units();
    const uint32_t mine = 1u << lane();
    for (int at = 0; at < p.work.part_words; at += 32 * batch) {
      Staged values[batch * each];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const uint64_t word[] = {words.take()};
        Vec<Staged, each> made;
#pragma unroll
        for (int k = 0; k < each; ++k)
          made.items[k] = Draw::number(p, tables, unit_of<bits>(word, k));
        if constexpr (each == 1)
          values[i] = made.items[0];
        else
          *reinterpret_cast<Vec<Staged, each>*>(part.rows + (i * 32 + lane()) * each) = made;
      }
      if constexpr (each > 1) {
        __syncwarp();
#pragma unroll
        for (int i = 0; i < batch * each; ++i) values[i] = part.rows[i * 32 + lane()];
        __syncwarp();
      }
#pragma unroll
      for (int i = 0; i < batch * each; ++i) {
        const UnitGroup group = own_groups()[at / 32 * each + i];
        const int rank = group.first + lane() - __popc(group.skipped & (mine - 1));
        store_if((group.skipped & mine) == 0 && rank < most, out + rank,
                 Draw::finish(p, values[i]));
      }
    }
    __syncwarp();  // of hard units, what was stored is replaced
    if constexpr (Draw::is_chained)
      for (int k = lane(); k < part.hard.count; k += 32) {
        const int at = part.hard.at[k] - units_behind;
        if (at < 0) continue;
        const UnitGroup group = own_groups()[at / 32];
        const uint32_t bit = 1u << (at % 32);
        const int rank = group.first + at % 32 - __popc(group.skipped & (bit - 1));
        if ((group.skipped & bit) == 0 && rank < most)
          out[rank] = Draw::finish(p, part.hard.value[k]);
      }
    __syncwarp();
  }

  // Returns the unit behind the result of a rank to the lane that finds it, else 0. Units count
  // from the part's own begin.
  __device__ int end_of(int64_t rank) const {
    for (int k = 0; k < own_count(); ++k) {
      const UnitGroup group = own_groups()[k];
      const uint32_t before = (1u << lane()) - 1;
      if ((group.skipped >> lane() & 1) != 0) continue;
      if (group.first + lane() - __popc(group.skipped & before) != rank) continue;
      const int unit = k * 32 + lane();
      if constexpr (Draw::is_chained)
        for (int other = 0; other < part.hard.count; ++other)
          if (part.hard.at[other] == unit + units_behind) return unit + part.hard.taken[other];
      return unit + 1;
    }
    return 0;
  }

 private:
  __device__ static int last(int value) { return __shfl_sync(0xffffffffu, value, 31); }

  // Finds the units of a word of each lane that are hard or make no result: bit k of masks[i] is
  // that of unit i of lane k, in lanes that keep it.
  __device__ void mark(typename Stream::WarpWords& words, uint32_t (&masks)[each],
                       bool keeps) const {
    const uint64_t word[] = {words.take()};
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const bool none = !Draw::accepts(p, tables, unit_of<bits>(word, k));
      const uint32_t mask = __ballot_sync(0xffffffffu, none);
      masks[k] = keeps ? mask : masks[k];
    }
  }
  // Writes them in the order of units.
  __device__ static void put(UnitGroup* to, const uint32_t (&masks)[each]) {
#pragma unroll
    for (int group = 0; group < each; ++group) {
      uint32_t skipped = 0;
#pragma unroll
      for (int k = 0; k < each; ++k)
        skipped |= spread<each>(masks[k] >> (group * (32 / each)) & (~0u >> (32 - 32 / each))) << k;
      to[group].skipped = skipped;
    }
  }

  // Lists the hard units, which are marked, and draws from each.
  __device__ void draw_hard(Place place) const {
    const int mine = (groups() + 31) / 32, begin = lane() * mine;
    int found = 0, all;
    for (int k = begin; k < begin + mine && k < groups(); ++k)
      found += __popc(part.groups[k].skipped);
    int slot = warp_sum_before(found, all);
    for (int k = begin; k < begin + mine && k < groups(); ++k)
      for (uint32_t mask = part.groups[k].skipped; mask != 0; mask &= mask - 1, ++slot)
        if (slot < kMostHard) part.hard.at[slot] = uint16_t(k * 32 + __ffs(int(mask)) - 1);
    if (lane() == 0) part.hard.count = all < kMostHard ? all : kMostHard;
    __syncwarp();
    for (int k = lane(); k < part.hard.count; k += 32) {
      UnitWalk<bits, Stream> walk(stream, place, part.hard.at[k]);
      const Taken taken = draw_slowly<Draw>(walk, part.hard.value[k]);
      part.hard.taken[k] = uint8_t(taken.units);
      part.hard.made[k] = uint8_t(taken.is_result);
    }
    __syncwarp();
  }

  // Marks what draws take instead, if they begin at unit `entry`.
  __device__ void link(int entry) const {
    for (int k = lane(); k < groups(); k += 32) {
      const int taken = entry - k * 32;
      part.groups[k].skipped = taken <= 0 ? 0 : taken >= 32 ? ~0u : (1u << taken) - 1;
    }
    __syncwarp();
    int next = entry;  // the unit behind all draws so far
    for (int first = 0; first < part.hard.count; first += 32) {
      const int mine = first + lane();
      const bool is_hard = mine < part.hard.count;
      const int at = is_hard ? part.hard.at[mine] : 0;
      const int end = is_hard ? at + part.hard.taken[mine] : 0;
      const int made = is_hard ? part.hard.made[mine] : 0;
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
};

}  // namespace gpuarray
