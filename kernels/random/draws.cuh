// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a draw makes of units of the stream: the numbers of NumPy's Generator. A fixed draw makes
// one result of each unit, a selected one skips units that it does not accept. Their functions
// stand for all threads of a kernel, so they hold parameters only.
#pragma once

#include "kernels/random/tile.cuh"
#include "kernels/random/wide.cuh"

namespace gpuarray {

// Returns loc + scale * value, where this is asked for.
__device__ inline double in_place(const RandomParams& p, double value) {
  return p.affine != 0 ? p.loc + p.scale * value : value;
}

__device__ inline double unit_fraction(uint64_t unit) {
  return double(unit >> 11) * (1.0 / 9007199254740992.0);
}
__device__ inline float unit_fraction(uint32_t unit) {
  return float(unit >> 8) * (1.0f / 16777216.0f);
}

// Numbers of [0, 1).
struct UniformDouble {
  static constexpr int bits = 64;
  using result = double;

  __device__ static double value(const RandomParams& p, uint64_t unit) {
    return in_place(p, unit_fraction(unit));
  }
};
struct UniformFloat {
  static constexpr int bits = 32;
  using result = float;

  __device__ static float value(const RandomParams&, uint32_t unit) { return unit_fraction(unit); }
};

// Numbers of (0, 1).
struct OpenDouble : UniformDouble {
  __device__ static bool accepts(const RandomParams&, uint64_t unit) { return unit >> 11 != 0; }
};

// Integers of `range` values (Lemire, "Fast Random Integer Generation in an Interval", 2019), as
// unsigned ones of the result's size.
template <int unit_bits, class Result>
struct Integers {
  static constexpr int bits = unit_bits;
  using result = Result;
  using unit_type = typename UnitOf<bits>::type;

  __device__ static Result value(const RandomParams& p, unit_type unit) {
    if constexpr (bits == 64)
      return Result(p.low + (p.range == 0 ? unit : multiply_high(unit, p.range)));
    else
      return Result(p.low + (uint64_t(unit) * p.range >> bits));
  }
  __device__ static bool accepts(const RandomParams& p, unit_type unit) {
    constexpr uint64_t mask = ~uint64_t{0} >> (64 - bits);
    return ((uint64_t(unit) * p.range) & mask) >= p.threshold;
  }
};

using Integers64 = Integers<64, uint64_t>;
using Integers32Wide = Integers<32, uint64_t>;
using Integers32 = Integers<32, uint32_t>;
using Integers16 = Integers<16, uint16_t>;
using Integers8 = Integers<8, uint8_t>;
using Integers1 = Integers<1, uint8_t>;

}  // namespace gpuarray
