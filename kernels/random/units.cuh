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

// Takes units of 32 or 64 bits one by one.
template <int bits, class Stream>
struct UnitWalk {
  typename Stream::Words words;
  uint32_t half = 0;  // of the last word
  bool has_half = false;

  // Begins at unit `first` behind a place.
  __device__ UnitWalk(const Stream& stream, typename Stream::Place place, int first)
      : words(stream, place, bits == 64 ? first : first / 2) {
    if (bits == 32 && first % 2 != 0) take();
  }
  // Begins at the pending half.
  __device__ UnitWalk(const Stream& stream, PendingHalf pending)
      : words(stream, stream.place(0), 0), half(pending.half()), has_half(true) {}

  __device__ typename UnitOf<bits>::type take() {
    if constexpr (bits == 64) {
      return words.take();
    } else {
      has_half = !has_half;
      if (!has_half) return half;
      const uint64_t word = words.take();
      half = uint32_t(word >> 32);
      return uint32_t(word);
    }
  }
};

}  // namespace gpuarray
