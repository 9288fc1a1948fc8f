// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How a thread steps over its share of one run of elements. The lanes of a run take neighbouring
// loads, and each thread has several loads in flight.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Neighbouring elements, which one load reads.
template <class T, int items_>
struct alignas(items_ * sizeof(T)) Pack {
  static constexpr int size = items_;
  T items[size];
};

// The elements of one load along a row: 16 bytes.
template <class T>
using RowPack = Pack<T, 16 / sizeof(T)>;
// The elements of one load across columns: up to 16 bytes, and at most four, because each column
// needs registers of its own.
template <class T>
using ColumnPack = Pack<T, (sizeof(T) < 4    ? 4
                            : sizeof(T) < 16 ? 16 / sizeof(T)
                                             : 1)>;

// The words of a pack. Loads in flight are held as words, because the compiler would give each
// element of a pack a register of its own.
template <int size>
struct raw_words;
template <>
struct raw_words<4> {
  using type = uint32_t;
};
template <>
struct raw_words<8> {
  using type = uint2;
};
template <>
struct raw_words<16> {
  using type = uint4;
};
template <class Packed>
using Raw = typename raw_words<sizeof(Packed)>::type;

template <class Packed, class T>
__device__ Raw<Packed> load_raw(const T* source) {
  return *reinterpret_cast<const Raw<Packed>*>(source);
}

// Whether a source is a pointer rather than an object that makes elements.
template <class Source>
inline constexpr bool is_memory = false;
template <class T>
inline constexpr bool is_memory<const T*> = true;

// Whether a source is an object that computes elements (reduce_computed.cuh), for path `columns` or
// else `rows`.
template <class Source>
inline constexpr bool is_computed = requires(const Source& source) { source.row(0); };
template <class Source>
inline constexpr bool computes_columns = false;
template <class Source>
  requires is_computed<Source>
inline constexpr bool computes_columns<Source> = Source::are_columns;

// Whether an object that makes elements also reads neighbouring ones by vectors of `pack`, where
// is_aligned() holds.
template <class Source>
inline constexpr bool has_packs = false;
template <class Source>
  requires requires(const Source& source) { source.is_aligned(); }
inline constexpr bool has_packs<Source> = true;

// The loads in flight of computed elements, each of which leaves so many bytes in registers.
template <size_t bytes>
inline constexpr uint32_t computed_in_flight = bytes <= 16   ? kReduceInFlight
                                               : bytes <= 32 ? kReduceInFlight / 2
                                                             : 1;

// How the packs of a row are read: what a load leaves in registers, how many loads are in flight,
// and how words or packs of elements are made of it. The template as such is for computed elements.
template <class T, class Row>
struct RowReader {
  static constexpr int size = Row::pack;
  using Loaded = typename Row::template Loaded<size>;
  static constexpr uint32_t in_flight = computed_in_flight<sizeof(Loaded)>;
  // Returns the number of elements up to the first boundary of a pack.
  __device__ static uint32_t head(const Row& row) { return -row.place & (size - 1); }
  __device__ static Loaded load(const Row& row, uint32_t at) { return row.template load<size>(at); }
  __device__ static auto words(const Row& row, const Loaded& loaded) {
    Pack<T, size> pack;
#pragma unroll
    for (int k = 0; k < size; ++k) pack.items[k] = row.compute(loaded, k);
    if constexpr (sizeof(pack) == sizeof(uint4))
      return __builtin_bit_cast(uint4, pack);
    else
      return pack;
  }
};

// The same for elements in memory.
template <class T>
struct RowReader<T, const T*> {
  static constexpr int size = RowPack<T>::size;
  using Loaded = uint4;
  static constexpr uint32_t in_flight = kReduceInFlight;
  __device__ static uint32_t head(const T* row) {
    return uint32_t(-(reinterpret_cast<uint64_t>(row) / sizeof(T))) & (size - 1);
  }
  __device__ static uint4 load(const T* row, uint32_t at) { return load_raw<RowPack<T>>(row + at); }
  __device__ static uint4 words(const T*, uint4 loaded) { return loaded; }
};

// A run is a sequence of elements of one output, or on path `columns` packs of elements of
// neighbouring outputs, `stride` elements apart.
template <class Source>
struct Run {
  Source source;
  int64_t stride;   // elements
  uint32_t length;  // elements, or packs
  uint32_t at;      // position of the first one in the chunk
};

// Holds the totals of a thread: several independent chains for one output, or a chain for each
// output of a pack.
template <class Reducer>
struct Locals {
  using Value = stored_t<typename Reducer::value>;
  static constexpr int count = 4;
  typename Reducer::local local[count];

  __device__ Locals() {
#pragma unroll
    for (int k = 0; k < count; ++k) local[k] = Reducer::start();
  }

  // Adds a pack of elements of a row, the first of which has position `at`; it is number `slot` of
  // those in flight, which selects the chains.
  __device__ void step_row(uint4 words, int slot, uint32_t at) {
    if constexpr (Reducer::packed) {
      Reducer::step_word(local[0], words.x);
      Reducer::step_word(local[1], words.y);
      Reducer::step_word(local[2], words.z);
      Reducer::step_word(local[3], words.w);
    } else {
      step_row(__builtin_bit_cast(RowPack<Value>, words), slot, at);
    }
  }
  template <int size>
  __device__ void step_row(const Pack<Value, size>& pack, int slot, uint32_t at) {
#pragma unroll
    for (int k = 0; k < size; ++k)
      Reducer::step(local[(slot * size + k) % count], pack.items[k], at + k);
  }

  // Adds a pack of elements of neighbouring outputs, all at position `at`.
  __device__ void step_columns(const ColumnPack<Value>& pack, uint32_t at) {
#pragma unroll
    for (int k = 0; k < pack.size; ++k) Reducer::step(local[k], pack.items[k], at);
  }

  // Combines the chains; `first` is the index of position 0.
  __device__ typename Reducer::accumulator total(int64_t first) const {
    const auto left =
        Reducer::combine(Reducer::widen(local[0], first), Reducer::widen(local[1], first));
    const auto right =
        Reducer::combine(Reducer::widen(local[2], first), Reducer::widen(local[3], first));
    return Reducer::combine(left, right);
  }
};

// Steps over a run of neighbouring elements: single ones up to the first boundary of a pack, then
// packs, then single ones.
template <class Reducer, class Source>
__device__ void step_row(Locals<Reducer>& locals, const Run<Source>& run, uint32_t lane,
                         uint32_t lanes) {
  using Reader = RowReader<typename Locals<Reducer>::Value, Source>;
  constexpr uint32_t size = Reader::size, in_flight = Reader::in_flight;
  uint32_t head = Reader::head(run.source);
  head = head < run.length ? head : run.length;
  const uint32_t packs = (run.length - head) / size;
#pragma unroll 1
  for (uint32_t i = lane; i < head; i += lanes)
    Reducer::step(locals.local[0], run.source[i], run.at + i);
  const Source body = run.source + head;
#pragma unroll 1
  for (uint32_t first = lane; first < packs; first += kReduceInFlight * lanes) {
#pragma unroll
    for (uint32_t begin = 0; begin < kReduceInFlight; begin += in_flight) {
      typename Reader::Loaded loaded[in_flight];
#pragma unroll
      for (uint32_t k = 0; k < in_flight; ++k)
        if (first + (begin + k) * lanes < packs)
          loaded[k] = Reader::load(body, (first + (begin + k) * lanes) * size);
#pragma unroll
      for (uint32_t k = 0; k < in_flight; ++k) {
        const uint32_t at = (first + (begin + k) * lanes) * size;
        if (first + (begin + k) * lanes < packs)
          locals.step_row(Reader::words(body + at, loaded[k]), begin + k, run.at + head + at);
      }
    }
  }
#pragma unroll 1
  for (uint32_t i = head + packs * size + lane; i < run.length; i += lanes)
    Reducer::step(locals.local[0], run.source[i], run.at + i);
}

// Steps over a run of packs, each of which is aligned to its size.
template <class Reducer, class T>
__device__ void step_columns(Locals<Reducer>& locals, const Run<const T*>& run, uint32_t lane,
                             uint32_t lanes) {
  constexpr uint32_t in_flight = sizeof(ColumnPack<T>) < 16 ? 2 * kReduceInFlight : kReduceInFlight;
#pragma unroll 1
  for (uint32_t first = lane; first < run.length; first += in_flight * lanes) {
    Raw<ColumnPack<T>> words[in_flight];
#pragma unroll
    for (uint32_t k = 0; k < in_flight; ++k)
      if (first + k * lanes < run.length)
        words[k] = load_raw<ColumnPack<T>>(run.source + (first + k * lanes) * run.stride);
#pragma unroll
    for (uint32_t k = 0; k < in_flight; ++k)
      if (first + k * lanes < run.length)
        locals.step_columns(__builtin_bit_cast(ColumnPack<T>, words[k]),
                            run.at + first + k * lanes);
  }
}

// The same for computed elements: those of the rows [begin, begin + length), from `column` on.
template <class Reducer, class Source>
__device__ void step_computed_columns(Locals<Reducer>& locals, const Source& source, int64_t column,
                                      int64_t begin, uint32_t length, uint32_t lane,
                                      uint32_t lanes) {
  using Packed = ColumnPack<typename Locals<Reducer>::Value>;
  using Row = decltype(source.row(0));
  using Loaded = typename Row::template Loaded<Packed::size>;
  constexpr uint32_t in_flight = computed_in_flight<sizeof(Loaded)>;
#pragma unroll 1
  for (uint32_t first = lane; first < length; first += in_flight * lanes) {
    Loaded loaded[in_flight];
#pragma unroll
    for (uint32_t k = 0; k < in_flight; ++k)
      if (first + k * lanes < length)
        loaded[k] = source.row(begin + first + k * lanes).template load<Packed::size>(column);
#pragma unroll
    for (uint32_t k = 0; k < in_flight; ++k) {
      if (first + k * lanes >= length) continue;
      const Row row = source.row(begin + first + k * lanes);
      Packed pack;
#pragma unroll
      for (int i = 0; i < pack.size; ++i) pack.items[i] = row.compute(loaded[k], i);
      locals.step_columns(pack, first + k * lanes);
    }
  }
}

// Steps over a run of any stride, element by element unless they are neighbours read by vectors.
template <class Reducer, class Source>
__device__ void step_strided(Locals<Reducer>& locals, const Run<Source>& run, uint32_t lane,
                             uint32_t lanes) {
  if constexpr (has_packs<Source>) {
    if (run.stride == 1 && run.source.is_aligned()) return step_row(locals, run, lane, lanes);
  }
  constexpr uint32_t chains = Locals<Reducer>::count;
  constexpr uint32_t count = is_memory<Source> || has_packs<Source> ? chains : 2 * chains;
  uint32_t first = lane;
  if constexpr (!is_memory<Source>) {
    // No condition stands between the loads of elements that are computed, so that all are in
    // flight before the first one is used.
#pragma unroll 1
    for (; first + (count - 1) * lanes < run.length; first += count * lanes) {
      typename Reducer::value element[count];
#pragma unroll
      for (uint32_t k = 0; k < count; ++k)
        element[k] = run.source[(first + k * lanes) * run.stride];
#pragma unroll
      for (uint32_t k = 0; k < count; ++k)
        Reducer::step(locals.local[k % chains], element[k], run.at + first + k * lanes);
    }
  }
#pragma unroll 1
  for (; first < run.length; first += count * lanes) {
    typename Reducer::value element[count];
#pragma unroll
    for (uint32_t k = 0; k < count; ++k)
      if (first + k * lanes < run.length) element[k] = run.source[(first + k * lanes) * run.stride];
#pragma unroll
    for (uint32_t k = 0; k < count; ++k)
      if (first + k * lanes < run.length)
        Reducer::step(locals.local[k % chains], element[k], run.at + first + k * lanes);
  }
}

}  // namespace gpuarray
