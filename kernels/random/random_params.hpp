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
  uint32_t listed;   // hard results that the running kernel has listed; else 0
};

inline constexpr int kPhiloxWords = 4;  // words of a block of Philox

// The words of the part before that a warp looks through for a chained draw.
inline constexpr int kRandomWordsBehind = 32;
// The steps of a generator that are looked up at once.
inline constexpr int kRandomStepSums = kRandomPartWords + kRandomWordsBehind;

// What picked draws find in a first kernel, for a second one that stores results. Parts of a stream
// have part_words 64-bit words each. A single block has no memory for it.
struct RandomWork {
  int64_t parts;        // as many as are meant to be needed
  int64_t block_parts;  // of a block, one after the other
  int32_t part_words;
  RandomState* begun;     // the state at the begin
  int64_t* bases;         // of the blocks: results of those before; then those of the pending half
  uint32_t* counts;       // results of each part
  uint32_t* skipped;      // of each part: bits of units that begin no result
  uint64_t* lists;        // of each part: the first of its hard results << 8, and how many it has
  int64_t hard_capacity;  // entries of the following two
  void* hard_values;      // hard results
  uint32_t* hard_units;   // and their units, and << 16 how many they take
};

// What every draw takes.
struct RandomParams {
  RandomState* state;
  void* out;        // contiguous, aligned to 16 bytes
  int64_t count;    // results
  RandomWork work;  // of picked draws
  double loc;       // float64 results become loc + scale * result
  double scale;
  // Integers are `low` and up, `range` of them (0: as many as a unit has values), made from units
  // whose leftover (the low half of unit * range) is not below `threshold`.
  uint64_t low;
  uint64_t range;
  uint64_t threshold;
};

// Layers of the ziggurats of normal and exponential numbers.
inline constexpr int kZigguratLayers = 256;

}  // namespace gpuarray
