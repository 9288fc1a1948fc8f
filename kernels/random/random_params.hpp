// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the host and the kernels of random numbers share.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The state of a bit generator in device memory. Every draw reads and advances it there.
// PCG64, PCG64DXSM: words 0 and 1 are the state, 2 and 3 the increment, low halves first. Philox:
// words 0 to 3 are the counter, 4 and 5 the key, 6 is the number of words of the counter's block
// that were taken. Word 7 is NumPy's uinteger, with has_uint32 in bit 32.
struct RandomState {
  uint64_t words[8];
  uint32_t readers;  // blocks of the running kernel that have read the state; else 0
  uint32_t unused;
};

inline constexpr int kPhiloxWords = 4;  // words of a block of Philox

// The words of the part before that a warp looks through for a chained draw.
inline constexpr int kRandomWordsBehind = 32;

// What every draw takes.
struct RandomParams {
  RandomState* state;
  void* out;      // contiguous, aligned to 16 bytes
  int64_t count;  // results
  // Of draws that take tiles: how many they are meant to need, 64-bit words that a warp looks
  // through for its part of a tile, and, for several tiles, their totals and a ticket, all 0.
  int64_t tiles;
  int32_t warp_words;
  uint64_t* slots;
  // Real results become loc + scale * result if `affine`.
  double loc;
  double scale;
  // Integers are `low` and up, `range` of them (0: as many as a unit has values), made from units
  // whose leftover (the low half of unit * range) is not below `threshold`.
  uint64_t low;
  uint64_t range;
  uint64_t threshold;
  int32_t affine;
};

// Layers of the ziggurats of normal and exponential numbers.
inline constexpr int kZigguratLayers = 256;

// The flags of a slot, in its upper bits.
inline constexpr uint64_t kRandomAggregate = uint64_t{1} << 62;  // the number of one tile
inline constexpr uint64_t kRandomPrefix = uint64_t{2} << 62;     // that of all tiles up to it
inline constexpr uint64_t kRandomValue = kRandomAggregate - 1;

}  // namespace gpuarray
