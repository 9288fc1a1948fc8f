// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a draw makes of units of the stream: the numbers of NumPy's Generator. A fixed draw makes a
// result of each unit: value(). A picked one accepts() units, makes a number() of each, and a
// result of that, finish(). Its tables are in shared memory.
#pragma once

#include "kernels/random/units.cuh"
#include "kernels/random/wide.cuh"

namespace gpuarray {

// Returns loc + scale * value.
__device__ inline double in_place(const RandomParams& p, double value) {
  return p.loc + p.scale * value;
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

struct NoTables {
  static constexpr int size = 0;
};

// Numbers of (0, 1).
struct OpenDouble {
  static constexpr int bits = 64;
  static constexpr bool is_chained = false;
  using result = double;
  using staged = double;
  using Tables = NoTables;
  template <class, class None>
  using Hard = None;

  __device__ static void load(Tables&, int) {}
  __device__ static bool accepts(const RandomParams&, const Tables&, uint64_t unit) {
    return unit >> 11 != 0;
  }
  __device__ static double number(const RandomParams&, const Tables&, uint64_t unit) {
    return unit_fraction(unit);
  }
  __device__ static double finish(const RandomParams& p, double made) { return in_place(p, made); }
};

// Integers of `range` values (Lemire, "Fast Random Integer Generation in an Interval", 2019), as
// unsigned ones of the result's size.
template <int unit_bits, class Result, class staged_type = Result>
struct Integers {
  using staged = staged_type;
  static constexpr int bits = unit_bits;
  static constexpr bool is_chained = false;
  using result = Result;
  using unit_type = typename UnitOf<bits>::type;
  using Tables = NoTables;

  __device__ static Result value(const RandomParams& p, unit_type unit) {
    if constexpr (bits == 64)
      return Result(p.low + (p.range == 0 ? unit : multiply_high(unit, p.range)));
    else
      return Result(p.low + (uint64_t(unit) * p.range >> bits));
  }

  template <class, class None>
  using Hard = None;

  __device__ static void load(Tables&, int) {}
  __device__ static bool accepts(const RandomParams& p, const Tables&, unit_type unit) {
    constexpr uint64_t mask = ~uint64_t{0} >> (64 - bits);
    return ((uint64_t(unit) * p.range) & mask) >= p.threshold;
  }
  __device__ static staged number(const RandomParams& p, const Tables&, unit_type unit) {
    return staged(bits == 64 ? multiply_high(unit, p.range) : uint64_t(unit) * p.range >> bits);
  }
  __device__ static Result finish(const RandomParams& p, staged made) {
    return Result(p.low + made);
  }
};

using Integers64 = Integers<64, uint64_t>;
using Integers32Wide = Integers<32, uint64_t, uint32_t>;
using Integers32 = Integers<32, uint32_t>;
using Integers16 = Integers<16, uint16_t>;
using Integers8 = Integers<8, uint8_t>;
using Integers1 = Integers<1, uint8_t>;

}  // namespace gpuarray
