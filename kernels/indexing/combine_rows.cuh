// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Atomic updates of rows by values of which several mean the same element: those that stand side by
// side are combined by their warp, and those of elements that a block meets often in its shared
// memory, so that fewer atomic operations reach the same word of global memory. Values that
// combine_moves.cuh has moved are combined a part of the array at a time, in shared memory.
#pragma once

#include "kernels/indexing/combine_at.cuh"
#include "kernels/reduce/reduce_extremes.cuh"
#include "kernels/scan/scan_words.cuh"

namespace gpuarray {

template <template <class> class Functor>
inline constexpr bool is_bitwise =
    is_same_functor<Functor, bitwise_or_functor> || is_same_functor<Functor, bitwise_xor_functor> ||
    is_same_functor<Functor, bitwise_and_functor>;

template <template <class> class Functor>
inline constexpr bool is_extreme =
    is_same_functor<Functor, maximum_functor> || is_same_functor<Functor, minimum_functor>;

// Whether values may be combined with each other, in any order, before they are with the element.
// Sums of 16-bit floats would overflow too often.
template <template <class> class Functor, class T>
inline constexpr bool has_partials =
    is_same_functor<Functor, add_functor>
        ? !(is_float_v<T> && sizeof(T) == 2)
        : is_bitwise<Functor> || (!is_complex_v<T> && is_extreme<Functor>);

// Returns the value that leaves every other as it is.
template <template <class> class Functor, class T>
__device__ T neutral_value() {
  if constexpr (is_same_functor<Functor, maximum_functor>)
    return extreme<T, false>();
  else if constexpr (is_same_functor<Functor, minimum_functor>)
    return extreme<T, true>();
  else if constexpr (is_same_functor<Functor, bitwise_and_functor>)
    return is_bool_v<T> ? T(true) : T(~T(0));
  else if constexpr (is_complex_v<T>)
    return {neutral_value<Functor, real_t<T>>(), neutral_value<Functor, real_t<T>>()};
  else if constexpr (is_float_v<T>)
    return from_bits<T>(FloatLayout<T>::sign);  // 0.0 would change -0.0
  else
    return T(0);
}

// Combines the values of neighbouring lanes that have the same offset, and returns whether this
// lane is the first of its run, which then holds the run's value. All lanes must call it.
template <template <class> class Functor, class T>
__device__ bool combine_run(int64_t offset, T& value) {
  const int lane = int(threadIdx.x & 31);
  const int64_t before = shuffle(offset, lane > 0 ? lane - 1 : 0);
  const bool begins = lane == 0 || before != offset;
  const uint32_t firsts = __ballot_sync(0xffffffffu, begins);
  if (firsts == 0xffffffffu) return true;
  const uint32_t later = firsts & (0xfffffffeu << lane);
  const int end = later != 0 ? __ffs(int(later)) - 1 : 32;  // of the run
  for (int step = 1; __any_sync(0xffffffffu, lane + step < end); step *= 2) {
    const T other = shuffle(value, lane + step < 32 ? lane + step : lane);
    if (lane + step < end) value = Functor<T>::apply(value, other);
  }
  return begins;
}

// Holds the partial results of some elements for a block, in shared memory: a hash table of their
// offsets, of which the first to come stay.
template <template <class> class Functor, class T>
struct PartialTable {
  static constexpr int kSlots = sizeof(T) > 8 ? kCombineSlots / 2 : kCombineSlots;
  int64_t offsets[kSlots];
  stored_t<T> partials[kSlots];
  uint32_t found;  // how often an offset was in the table already
  uint32_t asked;

  // All threads of the block must call it before the others.
  __device__ void clear() {
    for (int k = threadIdx.x; k < kSlots; k += kIndexedBlock) {
      offsets[k] = kNowhere;
      partials[k] = neutral_value<Functor, T>();
    }
    if (threadIdx.x == 0) found = asked = 0;
    __syncthreads();
  }
  // Combines the value with the element's partial result, and returns false if it has no room for
  // one. Sets `known` to whether the element had one already.
  __device__ bool combine(int64_t offset, T value, bool& known) {
    using Word = unsigned long long;
    // Fibonacci hashing, which spreads neighbouring offsets evenly.
    const uint32_t hash = uint32_t((uint64_t(offset) * 0x9e3779b97f4a7c15u) >> 32);
    for (int probe = 0; probe < kCombineProbes; ++probe) {
      const uint32_t slot = (hash + uint32_t(probe)) % kSlots;
      int64_t holder = *static_cast<volatile int64_t*>(offsets + slot);
      known = holder == offset;
      if (holder == kNowhere) {
        holder = int64_t(
            atomicCAS(reinterpret_cast<Word*>(offsets + slot), Word(kNowhere), Word(offset)));
        known = holder == offset;
        if (holder == kNowhere) holder = offset;
      }
      if (holder != offset) continue;
      combine_at<Functor, T>(partials + slot, value);
      return true;
    }
    known = false;
    return false;
  }
  // Returns whether enough of the offsets were known for the table to pay, from the counts of the
  // threads. All threads of the block must call it.
  __device__ bool pays(uint32_t known, uint32_t tried) {
    if (tried > 0) atomicAdd(&asked, tried);
    if (known > 0) atomicAdd(&found, known);
    __syncthreads();
    return found >= asked / kCombinePays;
  }
  // Combines the partial results with the array. All threads of the block must call it, last.
  __device__ void flush(stored_t<T>* array) {
    __syncthreads();
    for (int k = threadIdx.x; k < kSlots; k += kIndexedBlock)
      if (offsets[k] != kNowhere) combine_at<Functor, T>(array + offsets[k], partials[k]);
  }
};

// A thread's share of a tile: kCombineRounds words, kIndexedBlock apart.
template <class T>
struct CombineTile {
  int64_t offsets[kCombineRounds];  // of the elements in the array, or kNowhere
  T values[kCombineRounds];

  // Loads the share that begins at word `first`, and notes indices out of bounds.
  __device__ void load(const IndexedRowsParams& p, uint32_t first) {
    const auto at = [&](int round) { return first + round * kIndexedBlock; };
#pragma unroll
    for (int round = 0; round < kCombineRounds; ++round) {
      offsets[round] = 0;
      values[round] = T{};
      if (at(round) >= p.size) continue;
      const uint32_t plane = p.plane.divide(at(round));
      const uint32_t row = p.row.divide(at(round) - plane * p.plane.divisor);
      offsets[round] = static_cast<const int64_t*>(p.index)[plane * p.index_plane + row];
      values[round] = static_cast<const stored_t<T>*>(p.values)[int64_t(at(round)) * p.value_step];
    }
#pragma unroll
    for (int round = 0; round < kCombineRounds; ++round) {
      const int64_t index = offsets[round];
      offsets[round] = kNowhere;
      if (at(round) >= p.size) continue;
      int64_t offset;
      if (!p.axis.find<false>(index, offset)) {
        note_if_beyond(p.axis, index);
        continue;
      }
      const uint32_t plane = p.plane.divide(at(round));
      const uint32_t in_plane = at(round) - plane * p.plane.divisor;
      const uint32_t row = p.row.divide(in_plane);
      offsets[round] =
          plane * p.array_plane + row * p.array_step + offset + (in_plane - row * p.row.divisor);
    }
  }
  // Has the elements brought to the cache, where atomic instructions change them.
  __device__ void fetch(const IndexedRowsParams& p) const {
#pragma unroll
    for (int round = 0; round < kCombineRounds; ++round) {
      if (offsets[round] == kNowhere) continue;
      [[maybe_unused]] const auto* element =
          static_cast<const stored_t<T>*>(p.array) + offsets[round];
#ifdef __CUDA_ARCH__
      asm volatile("prefetch.global.L2 [%0];" ::"l"(element));
#endif
    }
  }
};

// Calls combine(offset, value), for tile after tile of this block, for each round of its threads.
// After each tile it calls end_tile().
template <class T, class Combine, class EndTile>
__device__ void visit_tiles(const CombineRowsParams& p, Combine combine, EndTile end_tile) {
  constexpr uint32_t kTileWords = kIndexedBlock * kCombineRounds;
  const bool fetches = p.state != nullptr && p.state->near;
  CombineTile<T> tile;
  for (uint32_t first = blockIdx.x * kTileWords; first < p.size; first += gridDim.x * kTileWords) {
    tile.load(p, first + threadIdx.x);
    if (fetches) tile.fetch(p);
#pragma unroll
    for (int round = 0; round < kCombineRounds; ++round)
      combine(tile.offsets[round], tile.values[round]);
    end_tile();
  }
}

template <class T>
__device__ bool same_bits(T a, T b) {
  if constexpr (is_complex_v<T>)
    return same_bits(a.re, b.re) && same_bits(a.im, b.im);
  else if constexpr (is_float_v<T>)
    return to_bits(a) == to_bits(b);
  else
    return a == b;
}

// How a block keeps the partial results of a part: as they are, or extremes of float as integers of
// the same order, for which shared memory has atomic instructions. Their NaN lose the sign.
template <template <class> class Functor, class T>
struct PartWord {
  using type = T;
  __device__ static T make(T value) { return value; }
  __device__ static T value(T word) { return word; }
};
template <template <class> class Functor>
  requires is_extreme<Functor>
struct PartWord<Functor, float> {
  using type = int32_t;
  // Its own inverse.
  __device__ static int32_t ordered(int32_t bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }
  __device__ static int32_t make(float value) {
    constexpr uint32_t kSign = FloatLayout<float>::sign;
    const uint32_t bits = to_bits(value);
    if (value == value) return ordered(int32_t(bits));
    return ordered(
        int32_t(is_same_functor<Functor, maximum_functor> ? bits & ~kSign : bits | kSign));
  }
  __device__ static float value(int32_t word) { return from_bits<float>(uint32_t(ordered(word))); }
};

// Combines values that were moved to parts of the array with their elements. `memory` has room for
// a part's partial results, which the block finds before it combines them with the elements. No
// other block has values for these.
template <template <class> class Functor, class T>
__device__ void combine_parts(const CombineRowsParams& p, void* memory) {
  using Partial = PartWord<Functor, T>;
  using Word = typename Partial::type;
  constexpr uint32_t kElements = kPartBytes / sizeof(T);
  auto* partials = static_cast<stored_t<Word>*>(memory);
  const Word neutral = Partial::make(neutral_value<Functor, T>());
  const auto& parts = p.state->parts;
  for (uint32_t part = blockIdx.x; int64_t(part) * kElements < p.axis.length; part += gridDim.x) {
    const uint32_t end = parts.next[part], begin = end - parts.counts[part];
    if (begin == end) continue;
    for (uint32_t k = threadIdx.x; k < kElements; k += kIndexedBlock) partials[k] = neutral;
    __syncthreads();
#pragma unroll 4
    for (uint32_t at = begin + threadIdx.x; at < end; at += kIndexedBlock)
      combine_at<Functor, Word>(partials + p.moved_positions[at] % kElements,
                                Partial::make(static_cast<const stored_t<T>*>(p.moved_values)[at]));
    __syncthreads();
    auto* array = static_cast<stored_t<T>*>(p.array) + int64_t(part) * kElements * p.axis.stride;
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < kElements; k += kIndexedBlock) {
      const Word partial = partials[k];
      if (same_bits(partial, neutral)) continue;
      stored_t<T>* element = array + k * p.axis.stride;
      // Only sums are written sooner by atomic instructions, which nothing waits for.
      if constexpr (is_same_functor<Functor, add_functor>)
        combine_at<Functor, T>(element, Partial::value(partial));
      else
        *element = Functor<T>::apply(*element, Partial::value(partial));
    }
    __syncthreads();
  }
}

// Combines every value with its element. Blocks have kIndexedBlock threads and loop over tiles; any
// grid works. With p.partials, a block tries a table of partial results on its first tiles, and
// goes on without it if offsets seldom repeat.
template <template <class> class Functor, class T>
__device__ void combine_rows_kernel(const CombineRowsParams& p) {
  wait_for_previous_grid();
  auto* array = static_cast<stored_t<T>*>(p.array);
  if constexpr (!has_partials<Functor, T>) {
    const auto combine = [&](int64_t offset, T value) {
      if (offset != kNowhere) combine_at<Functor, T>(array + offset, value);
    };
    visit_tiles<T>(p, combine, [] {});
  } else {
    using Table = PartialTable<Functor, T>;
    constexpr bool may_move = sizeof(T) == 4 || sizeof(T) == 8;
    constexpr int kBytes =
        may_move && kPartBytes > int(sizeof(Table)) ? kPartBytes : int(sizeof(Table));
    alignas(16) __shared__ unsigned char memory[kBytes];
    if constexpr (may_move)
      if (p.state != nullptr && p.state->spread) return combine_parts<Functor, T>(p, memory);
    Table& table = *reinterpret_cast<Table*>(memory);
    bool uses_table = p.partials != 0;
    if (uses_table) table.clear();
    uint32_t tiles = 0, known = 0, tried = 0;
    const auto combine = [&](int64_t offset, T value) {
      if (!combine_run<Functor, T>(offset, value) || offset == kNowhere) return;
      bool was_known = false;
      const bool kept = uses_table && table.combine(offset, value, was_known);
      known += was_known;
      ++tried;
      if (!kept) combine_at<Functor, T>(array + offset, value);
    };
    visit_tiles<T>(p, combine, [&] {
      if (uses_table && ++tiles == kCombineTrial) uses_table = table.pays(known, tried);
    });
    if (p.partials) table.flush(array);
  }
}

}  // namespace gpuarray
