// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The part of a stream that a block draws from, as units of 1 to 64 bits.
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

// Memory for a tile. Word 0 is the one before the tile, of which the upper half is its first unit
// of 32 bits where a half of a word was left by an earlier draw.
struct TileWords {
  alignas(16) uint64_t storage[2 + kRandomTile + kRandomBeyond];

  __device__ uint64_t* words() { return storage + 1; }  // word 1 is aligned to 16 bytes
};
inline constexpr int kTileSlots = 1 + kRandomTile + kRandomBeyond;

// What the state keeps beside the stream's place: the upper half of a word whose lower half was
// drawn (NumPy's has_uint32 and uinteger).
struct PendingHalf {
  uint64_t word;

  __device__ bool any() const { return (word >> 32) != 0; }
  __device__ uint32_t half() const { return uint32_t(word); }
};

// A thread's view of a block's tile. Units of 64 bits are words; smaller ones are parts of words,
// lower parts first, and begin with the pending half if there is one.
template <class Stream>
struct Tile {
  const Stream& stream;
  const uint64_t* words;
  uint64_t first;  // the index in the stream of the tile's first word, which is words[1]
  int shift;       // halves before the tile's first word that belong to it: 0 or 1

  // Returns the unit at a position, which is in the tile or a little behind it.
  template <int bits>
  __device__ typename UnitOf<bits>::type unit(int position) const {
    if constexpr (bits == 64) {
      return words[1 + position];
    } else if constexpr (bits == 32) {
      return half(position);
    } else {
      constexpr int parts = 32 / bits;
      return half(position / parts) >> (position % parts * bits) & ((1u << bits) - 1);
    }
  }
  // Returns the same for any position behind the tile's begin.
  template <int bits>
  __device__ typename UnitOf<bits>::type any_unit(int position) const {
    const int slot = bits == 64 ? 1 + position : (2 - shift + position) / 2;
    if (slot < kTileSlots) return unit<bits>(position);
    const uint64_t word = stream.word(first + uint64_t(slot) - 1);
    if constexpr (bits == 64)
      return word;
    else
      return uint32_t((2 - shift + position) % 2 == 0 ? word : word >> 32);
  }

 private:
  __device__ uint32_t half(int position) const {
    return reinterpret_cast<const uint32_t*>(words)[2 - shift + position];
  }
};

// Advances the state by `units` units of the stream.
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

}  // namespace gpuarray
