// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Normal and exponential numbers by the ziggurat, as NumPy's Generator draws them. A draw is made
// of one unit, or, if that one is hard, of more: such draws are called chained.
#pragma once

#include "kernels/random/draws.cuh"
#include "kernels/random/tile.cuh"
#include "kernels/random/ziggurat_exponential_double.hpp"
#include "kernels/random/ziggurat_exponential_float.hpp"
#include "kernels/random/ziggurat_normal_double.hpp"
#include "kernels/random/ziggurat_normal_float.hpp"

namespace gpuarray {

// The tables of a block, in shared memory. `accept` has the upper 32 bits where the fraction has
// more; a fraction that only the others would accept is hard, and found to be accepted there.
template <class T>
struct ZigguratTables {
  uint32_t accept[kZigguratLayers];
  T width[kZigguratLayers];
};

// The most units of a draw, which no stream of a generator comes near.
inline constexpr int kLongestDraw = 512;

// Splits a unit into sign, layer and fraction, as NumPy does.
struct NormalDouble {
  static constexpr int bits = 64;
  static constexpr int dropped = 20;  // bits of the fraction that the quick test leaves out
  using result = double;

  __device__ static int layer(uint64_t unit) { return int(unit & 0xff); }
  __device__ static uint64_t fraction(uint64_t unit) { return unit >> 9 & 0x000fffffffffffff; }
  __device__ static uint64_t accept(int layer) { return kNormalDoubleAccept[layer]; }
  __device__ static double width(int layer) { return kNormalDoubleWidth[layer]; }
  __device__ static double height(int layer) { return kNormalDoubleHeight[layer]; }
  __device__ static double scaled(uint64_t unit, double width) {
    const double value = double(int64_t(fraction(unit))) * width;
    return (unit >> 8 & 1) != 0 ? -value : value;
  }
  __device__ static bool is_below(double height, double value) {
    return height < exp(-0.5 * value * value);
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

struct NormalFloat {
  static constexpr int bits = 32;
  static constexpr int dropped = 0;
  using result = float;

  __device__ static int layer(uint32_t unit) { return int(unit & 0xff); }
  __device__ static uint32_t fraction(uint32_t unit) { return unit >> 9; }
  __device__ static uint32_t accept(int layer) { return kNormalFloatAccept[layer]; }
  __device__ static float width(int layer) { return kNormalFloatWidth[layer]; }
  __device__ static float height(int layer) { return kNormalFloatHeight[layer]; }
  __device__ static float scaled(uint32_t unit, float width) {
    const float value = float(int32_t(fraction(unit))) * width;
    return (unit >> 8 & 1) != 0 ? -value : value;
  }
  __device__ static bool is_below(float height, float value) {
    return height < exp(-0.5 * value * value);
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

struct ExponentialDouble {
  static constexpr int bits = 64;
  static constexpr int dropped = 21;
  using result = double;

  __device__ static int layer(uint64_t unit) { return int(unit >> 3 & 0xff); }
  __device__ static uint64_t fraction(uint64_t unit) { return unit >> 11; }
  __device__ static uint64_t accept(int layer) { return kExponentialDoubleAccept[layer]; }
  __device__ static double width(int layer) { return kExponentialDoubleWidth[layer]; }
  __device__ static double height(int layer) { return kExponentialDoubleHeight[layer]; }
  __device__ static double scaled(uint64_t unit, double width) {
    return double(int64_t(fraction(unit))) * width;
  }
  __device__ static bool is_below(double height, double value) { return height < exp(-value); }
  __device__ static bool tail(uint64_t, double u, double, double& value) {
    value = 7.6971174701310497140446280481 - log1p(-u);
    return true;
  }
  static constexpr int tail_units = 1;
};

struct ExponentialFloat {
  static constexpr int bits = 32;
  static constexpr int dropped = 0;
  using result = float;

  __device__ static int layer(uint32_t unit) { return int(unit >> 1 & 0xff); }
  __device__ static uint32_t fraction(uint32_t unit) { return unit >> 9; }
  __device__ static uint32_t accept(int layer) { return kExponentialFloatAccept[layer]; }
  __device__ static float width(int layer) { return kExponentialFloatWidth[layer]; }
  __device__ static float height(int layer) { return kExponentialFloatHeight[layer]; }
  __device__ static float scaled(uint32_t unit, float width) {
    return float(int32_t(fraction(unit))) * width;
  }
  __device__ static bool is_below(float height, float value) {
    return height < float(exp(-double(value)));
  }
  __device__ static bool tail(uint32_t, float u, float, float& value) {
    value = 7.6971174701310497140446280481f - float(log1p(-double(u)));
    return true;
  }
  static constexpr int tail_units = 1;
};

// Draws one number from `position` on, and returns the position after its last unit.
template <class Draw, class Stream>
__device__ int draw_slowly(const Tile<Stream>& tile, int position, typename Draw::result& value) {
  using T = typename Draw::result;
  constexpr int bits = Draw::bits;
  for (int at = position; at < position + kLongestDraw;) {
    const auto unit = tile.template any_unit<bits>(at++);
    const int layer = Draw::layer(unit);
    value = Draw::scaled(unit, Draw::width(layer));
    if (Draw::fraction(unit) < Draw::accept(layer)) return at;
    if (layer > 0) {
      const T u = unit_fraction(tile.template any_unit<bits>(at++));
      const T low = Draw::height(layer), high = Draw::height(layer - 1);
      if (Draw::is_below((high - low) * u + low, value)) return at;
      continue;
    }
    for (bool accepted = false; !accepted && at < position + kLongestDraw; at += Draw::tail_units) {
      const T u = unit_fraction(tile.template any_unit<bits>(at));
      const T v =
          Draw::tail_units == 1 ? T(0) : unit_fraction(tile.template any_unit<bits>(at + 1));
      accepted = Draw::tail(unit, u, v, value);
      if (accepted) return at + Draw::tail_units;
    }
  }
  return position + kLongestDraw;
}

}  // namespace gpuarray
