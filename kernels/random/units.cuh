// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A stream as units of 1 to 64 bits, which are parts of its words, lower parts first.
#pragma once

#include "kernels/random/random_params.hpp"

namespace gpuarray {

template <int bits>
struct UnitOf {
  using type = uint32_t;
};
template <>
struct UnitOf<64> {
  using type = uint64_t;
};

// Returns unit `k` of neighbouring words.
template <int bits, int length>
__device__ typename UnitOf<bits>::type unit_of(const uint64_t (&words)[length], int k) {
  if constexpr (bits == 64) {
    return words[k];
  } else {
    constexpr int each = 64 / bits;
    const auto unit = uint32_t(words[k / each] >> (k % each * bits));
    return bits == 32 ? unit : unit & uint32_t((uint64_t{1} << bits) - 1);
  }
}

// What the state keeps beside the stream's place: the upper half of a word whose lower half was
// drawn (NumPy's has_uint32 and uinteger). Units below 64 bits begin with it.
struct PendingHalf {
  uint64_t word;

  __device__ bool any() const { return (word >> 32) != 0; }
  __device__ uint32_t half() const { return uint32_t(word); }
  template <int bits>
  __device__ int units() const {
    return bits < 64 && any() ? 32 / bits : 0;
  }
};

// Advances the state by `units` units of the stream, those of the pending half included.
template <int bits, class Stream>
__device__ void advance_state(const Stream& stream, PendingHalf pending, RandomState& state,
                              int64_t units) {
  if constexpr (bits == 64) {
    stream.store(state, uint64_t(units));
  } else {
    constexpr int parts = 32 / bits;
    const int64_t halves = (units + parts - 1) / parts;
    if (halves == 0) return;
    const uint64_t from_words = uint64_t(halves - pending.any());
    const uint64_t taken = (from_words + 1) / 2;
    const uint64_t last = taken > 0 ? stream.word(taken - 1) >> 32 : pending.half();
    stream.store(state, taken);
    state.words[7] = (from_words & 1) << 32 | last;
  }
}

// Takes units one by one.
template <int bits, class Stream>
struct UnitWalk {
  static constexpr int each = 64 / bits;

  typename Stream::Words words;
  uint64_t word = 0;  // what is left of the last one
  int left = 0;       // units

  // Begins at unit `first` behind a place.
  __device__ UnitWalk(const Stream& stream, typename Stream::Place place, int first)
      : words(stream, place, first / each) {
    for (int k = 0; k < first % each; ++k) take();
  }
  // Begins at the pending half, which may be none.
  __device__ UnitWalk(const Stream& stream, PendingHalf pending)
      : words(stream, stream.place(0), 0), word(pending.half()), left(pending.units<bits>()) {}

  __device__ typename UnitOf<bits>::type take() {
    if constexpr (bits == 64) {
      return words.take();
    } else {
      if (left == 0) {
        word = words.take();
        left = each;
      }
      const uint64_t unit[] = {word};
      word >>= bits;
      --left;
      return unit_of<bits>(unit, 0);
    }
  }
};

}  // namespace gpuarray
