// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Normal and exponential numbers by the ziggurat, as NumPy's Generator draws them. A draw is made
// of one unit, or, if that one is hard, may take further ones: such draws are called chained.
#pragma once

#include "kernels/random/draws.cuh"
#include "kernels/random/ziggurat_exponential_double.hpp"
#include "kernels/random/ziggurat_exponential_float.hpp"
#include "kernels/random/ziggurat_normal_double.hpp"
#include "kernels/random/ziggurat_normal_float.hpp"

namespace gpuarray {

// The tables of a block, in shared memory. `accept` has the upper 32 bits where the fraction has
// more; a fraction that only the others would accept is hard, and found to be accepted there.
template <class T>
struct ZigguratTables {
  static constexpr int size = kZigguratLayers;
  uint32_t accept[kZigguratLayers];
  T width[kZigguratLayers];
};

// The most units of a draw, which no stream of a generator comes near.
inline constexpr int kLongestDraw = 64;

// Returns an integer below 2^52 or 2^23 without a slow conversion.
__device__ inline double exact(uint64_t small) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(int64_t(small | 0x4330000000000000)) - 4503599627370496.0;
#else
  return double(small);
#endif
}
__device__ inline float exact(uint32_t small) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(small | 0x4b000000u) - 8388608.0f;
#else
  return float(small);
#endif
}
// Returns the value with its sign changed if bit 8 of the unit is set.
__device__ inline double signed_by(uint64_t unit, double value) {
#ifdef __CUDA_ARCH__
  return __hiloint2double(__double2hiint(value) ^ int(uint32_t(unit) << 23 & 0x80000000u),
                          __double2loint(value));
#else
  return (unit >> 8 & 1) != 0 ? -value : value;
#endif
}
__device__ inline float signed_by(uint32_t unit, float value) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(__float_as_uint(value) ^ (unit << 23 & 0x80000000u));
#else
  return (unit >> 8 & 1) != 0 ? -value : value;
#endif
}
// Returns whether height < T(exp(power)), for powers from -60 to 0. Where the quick exponential,
// which is off by less than 1e-6 there, is near, the exact one decides.
template <class T>
__device__ bool is_below_exp(T height, double power) {
#ifdef __CUDA_ARCH__
  const float distance = __expf(float(power)) - float(height);
  if (fabsf(distance) > 1e-5f) return distance > 0;
#endif
  return height < T(exp(power));
}

// What the draws have in common.
template <class Draw, class T>
struct Ziggurat {
  static constexpr bool is_chained = true;
  using result = T;
  using staged = T;
  using Tables = ZigguratTables<T>;

  __device__ static void load(Tables& tables, int layer) {
    tables.accept[layer] = uint32_t(Draw::accept(layer) >> Draw::dropped);
    tables.width[layer] = Draw::width(layer);
  }
  template <class Units, class>
  using Hard = Units;

  // Returns whether the unit is not hard.
  template <class Unit>
  __device__ static bool accepts(const RandomParams&, const Tables& tables, Unit unit) {
    return uint32_t(Draw::fraction(unit) >> Draw::dropped) < tables.accept[Draw::layer(unit)];
  }
  template <class Unit>
  __device__ static T number(const RandomParams&, const Tables& tables, Unit unit) {
    return Draw::scaled(unit, tables.width[Draw::layer(unit)]);
  }
  __device__ static T finish(const RandomParams& p, T made) {
    if constexpr (sizeof(T) == 8)
      return in_place(p, made);
    else
      return made;
  }
};

// Splits a unit into sign, layer and fraction, as NumPy does.
struct NormalDouble : Ziggurat<NormalDouble, double> {
  static constexpr int bits = 64;
  static constexpr int dropped = 20;  // bits of the fraction that the quick test leaves out

  __device__ static int layer(uint64_t unit) { return int(unit & 0xff); }
  __device__ static uint64_t fraction(uint64_t unit) { return unit >> 9 & 0x000fffffffffffff; }
  __device__ static uint64_t accept(int layer) { return kNormalDoubleAccept[layer]; }
  __device__ static double width(int layer) { return kNormalDoubleWidth[layer]; }
  __device__ static double height(int layer) { return kNormalDoubleHeight[layer]; }
  __device__ static double scaled(uint64_t unit, double width) {
    return signed_by(unit, exact(fraction(unit)) * width);
  }
  __device__ static bool is_below(double height, double value) {
    return is_below_exp(height, -0.5 * value * value);
  }
  // Takes two units for each try; sets `value` and returns whether it is accepted.
  __device__ static bool tail(uint64_t unit, double u, double v, double& value) {
    const double x = -0.27366123732975827203338247596 * log1p(-u);
    const double y = -log1p(-v);
    const double far = 3.6541528853610087963519472518 + x;
    value = (fraction(unit) >> 8 & 1) != 0 ? -far : far;
    return y + y > x * x;
  }
  static constexpr int tail_units = 2;
};

struct NormalFloat : Ziggurat<NormalFloat, float> {
  static constexpr int bits = 32;
  static constexpr int dropped = 0;

  __device__ static int layer(uint32_t unit) { return int(unit & 0xff); }
  __device__ static uint32_t fraction(uint32_t unit) { return unit >> 9; }
  __device__ static uint32_t accept(int layer) { return kNormalFloatAccept[layer]; }
  __device__ static float width(int layer) { return kNormalFloatWidth[layer]; }
  __device__ static float height(int layer) { return kNormalFloatHeight[layer]; }
  __device__ static float scaled(uint32_t unit, float width) {
    return signed_by(unit, exact(fraction(unit)) * width);
  }
  __device__ static bool is_below(float height, float value) {
    return is_below_exp(double(height), -0.5 * value * value);
  }
  // Logarithms of single precision are rounded from double ones, as the host's library nearly does.
  __device__ static bool tail(uint32_t unit, float u, float v, float& value) {
    const float x = -0.27366123732975827203338247596f * float(log1p(-double(u)));
    const float y = -float(log1p(-double(v)));
    const float far = 3.6541528853610087963519472518f + x;
    value = (fraction(unit) >> 8 & 1) != 0 ? -far : far;
    return y + y > x * x;
  }
  static constexpr int tail_units = 2;
};

struct ExponentialDouble : Ziggurat<ExponentialDouble, double> {
  static constexpr int bits = 64;
  static constexpr int dropped = 21;

  __device__ static int layer(uint64_t unit) { return int(unit >> 3 & 0xff); }
  __device__ static uint64_t fraction(uint64_t unit) { return unit >> 11; }
  __device__ static uint64_t accept(int layer) { return kExponentialDoubleAccept[layer]; }
  __device__ static double width(int layer) { return kExponentialDoubleWidth[layer]; }
  __device__ static double height(int layer) { return kExponentialDoubleHeight[layer]; }
  __device__ static double scaled(uint64_t unit, double width) {
    return double(int64_t(fraction(unit))) * width;
  }
  __device__ static bool is_below(double height, double value) {
    return is_below_exp(height, -value);
  }
  __device__ static bool tail(uint64_t, double u, double, double& value) {
    value = 7.6971174701310497140446280481 - log1p(-u);
    return true;
  }
  static constexpr int tail_units = 1;
};

struct ExponentialFloat : Ziggurat<ExponentialFloat, float> {
  static constexpr int bits = 32;
  static constexpr int dropped = 0;

  __device__ static int layer(uint32_t unit) { return int(unit >> 1 & 0xff); }
  __device__ static uint32_t fraction(uint32_t unit) { return unit >> 9; }
  __device__ static uint32_t accept(int layer) { return kExponentialFloatAccept[layer]; }
  __device__ static float width(int layer) { return kExponentialFloatWidth[layer]; }
  __device__ static float height(int layer) { return kExponentialFloatHeight[layer]; }
  __device__ static float scaled(uint32_t unit, float width) {
    return exact(fraction(unit)) * width;
  }
  __device__ static bool is_below(float height, float value) {
    return is_below_exp(height, -double(value));
  }
  __device__ static bool tail(uint32_t, float u, float, float& value) {
    value = 7.6971174701310497140446280481f - float(log1p(-double(u)));
    return true;
  }
  static constexpr int tail_units = 1;
};

// What comes of a hard unit: how many units it takes, and whether they make a result. If not, a
// draw begins anew behind them.
struct Taken {
  int units;
  bool is_result;
};

// Draws from the hard unit that is next of a walk.
template <class Draw, class Walk>
__device__ Taken draw_slowly(Walk& walk, typename Draw::result& value) {
  using T = typename Draw::result;
  const auto unit = walk.take();
  const int layer = Draw::layer(unit);
  value = Draw::scaled(unit, Draw::width(layer));
  if (Draw::fraction(unit) < Draw::accept(layer)) return {1, true};
  if (layer > 0) {
    const T u = unit_fraction(walk.take());
    const T low = Draw::height(layer), high = Draw::height(layer - 1);
    return {2, Draw::is_below((high - low) * u + low, value)};
  }
  int taken = 1;
  for (bool accepted = false; !accepted && taken < kLongestDraw; taken += Draw::tail_units) {
    const T u = unit_fraction(walk.take());
    const T v = Draw::tail_units == 1 ? T(0) : unit_fraction(walk.take());
    accepted = Draw::tail(unit, u, v, value);
  }
  return {taken, true};
}

}  // namespace gpuarray
