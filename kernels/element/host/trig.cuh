// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Sine, cosine and tangent for loops of the host, without branches. They reduce by multiples of pi
// or pi/2 in parts (W. J. Cody and W. Waite 1980), and covers() says for which arguments that is
// accurate. float is computed in double.
//
// The coefficients are minimax in the relative error of the function, by Remez' algorithm in 80
// digits, and then rounded to double.
#pragma once

#include "kernels/element/host/vector.cuh"

namespace gpuarray::math {
namespace detail {

// pi = high + middle + low; multiples of high and middle by up to 2**20 are exact.
struct Pi {
  static constexpr double high = 0x1.921fb544p+1;     // 33 bits
  static constexpr double middle = 0x1.0b4611a6p-33;  // 33 bits
  static constexpr double low = 0x1.3198a2e037073p-68;
  static constexpr double rest = 0x1.0b4611a626331p-33;  // middle + low
  static constexpr double inverse = 0x1.45f306dc9c883p-2;
};

// Returns sin(r) for |r| <= pi/2; the relative error is 2**-35.
inline double short_sine(double r) {
  const double s = r * r;
  const double p = estrin(s, -0x1.555555476a1ecp-3, 0x1.11110c4a26df2p-7, -0x1.a017d9aaef3f2p-13,
                          0x1.7170815eeb316p-19, -0x1.9a68a1091441fp-26);
  return r * (1 + s * p);
}

// Returns x - n pi with an absolute error of 2**-66, where n is a multiple of 1/2 and |x| <= 2**20.
inline double short_reduce(double x, double n) { return (x - n * Pi::high) - n * Pi::rest; }

// Holds high + low = |x| - quadrant * pi/2 with |high| <= pi/4, and bits whose lowest ones are
// those of quadrant.
struct Reduced {
  double high, low;
  uint64_t quadrant;
};

// Reduces |x| <= 2**20. The middle part is subtracted exactly where the difference is small.
inline Reduced reduce(double x) {
  const double shifted = x * (2 * Pi::inverse) + kRoundToInteger;
  const double n = shifted - kRoundToInteger;
  const double a = x - n * (Pi::high / 2), b = n * (Pi::middle / 2);
  const double difference = a - b;
  const double low = ((a - difference) - b) - n * (Pi::low / 2);
  const double high = difference + low;
  return {high, (difference - high) + low, to_bits(shifted)};
}

// Holds value + rest, the sine or cosine of a reduced angle; rest is not rounded into value.
struct Unrounded {
  double value, rest;
};

// Return the sine and the cosine of r; their relative errors are 2**-57.9 and 2**-64.
inline Unrounded sine(Reduced r) {
  const double s = r.high * r.high;
  const double p = estrin(s, -0x1.5555555555548p-3, 0x1.111111110f7d1p-7, -0x1.a01a019bfe035p-13,
                          0x1.71de3567e4147p-19, -0x1.ae5e5a9deb0c6p-26, 0x1.5d8fd50b2224ep-33);
  return {r.high, r.high * (s * p) + r.low * (1 - 0.5 * s)};
}

inline Unrounded cosine(Reduced r) {
  const double s = r.high * r.high, half = 0.5 * s, value = 1 - half;
  const double p = estrin(s, 0x1.555555555554bp-5, -0x1.6c16c16c14f92p-10, 0x1.a01a019c845cep-16,
                          -0x1.27e4f7eaccfbdp-22, 0x1.1ee9d7b9a3c36p-29, -0x1.8fa49c1d2a2e8p-37);
  return {value, ((1 - value) - half) + (s * s * p - r.high * r.low)};
}

// Returns sin(r) if `odd` is even, else cos(r).
inline double sine_or_cosine(Reduced r, uint64_t odd) {
  const Unrounded s = sine(r), c = cosine(r);
  return select((odd & 1) == 0, s.value + s.rest, c.value + c.rest);
}

}  // namespace detail

namespace direct {

// Returns whether direct::sin, cos and tan are right for a: it is at most 2**20 in magnitude,
// infinite or NaN.
inline bool covers(float a) {
  const int32_t bits = int32_t(to_bits(a) & 0x7fffffff);
  return (bits <= 0x49800000) | (bits >= 0x7f800000);
}
inline bool covers(double a) {
  const int64_t bits = int64_t(to_bits(a) & 0x7fffffffffffffff);
  return (bits <= 0x4130000000000000) | (bits >= 0x7ff0000000000000);
}

inline float sin(float a) {
  const double shifted = a * detail::Pi::inverse + detail::kRoundToInteger;
  const double n = shifted - detail::kRoundToInteger;
  const double sine = detail::short_sine(detail::short_reduce(a, n));
  return float(detail::flip_sign(sine, to_bits(shifted)));
}

// The cosine is a sine of a + pi/2.
inline float cos(float a) {
  const double shifted = (a * detail::Pi::inverse + 0.5) + detail::kRoundToInteger;
  const double n = (shifted - detail::kRoundToInteger) - 0.5;
  const double sine = detail::short_sine(detail::short_reduce(a, n));
  return float(detail::flip_sign(sine, to_bits(shifted)));
}

// The tangent is a quotient of polynomials with a relative error of 2**-33.
inline float tan(float a) {
  const double shifted = a * (2 * detail::Pi::inverse) + detail::kRoundToInteger;
  const double n = shifted - detail::kRoundToInteger;
  const double r = detail::short_reduce(a, 0.5 * n), s = r * r;
  const double p = r * detail::estrin(s, 1.0, -0x1.c7eb4efa22240p-4, 0x1.18e317010f3a8p-10);
  const double q = detail::estrin(s, 1.0, -0x1.c7502911d8a15p-2, 0x1.055bd2c89a8d8p-6);
  const bool even = (to_bits(shifted) & 1) == 0;
  return float(detail::select(even, p, -q) / detail::select(even, q, p));
}

inline double sin(double a) {
  const detail::Reduced r = detail::reduce(absolute(a));
  const double sine = detail::sine_or_cosine(r, r.quadrant);
  return detail::flip_sign(sine, r.quadrant >> 1 ^ to_bits(a) >> 63);
}

inline double cos(double a) {
  const detail::Reduced r = detail::reduce(absolute(a));
  return detail::flip_sign(detail::sine_or_cosine(r, r.quadrant + 1), (r.quadrant + 1) >> 1);
}

// The tangent of r.high is (r.high + r.high * p) / (1 + q) with a relative error of 2**-64. A
// quotient below 1 gets back what its numerator and denominator lost in rounding; 1 - q is about
// 1 / (1 + q).
inline double tan(double a) {
  const detail::Reduced r = detail::reduce(absolute(a));
  const double s = r.high * r.high;
  const double p =
      s * detail::estrin(s, -0x1.1127ce4471426p-3, 0x1.c0cc7e6a4fbd5p-9, -0x1.2b7013dc08874p-16);
  const double q = s * detail::estrin(s, -0x1.dde93c778df68p-2, 0x1.a46cf46d0be77p-6,
                                      -0x1.46d15249624d4p-12, 0x1.0b1c23ba1dbf0p-21);
  const double sine_rest = r.high * p + r.low * (1 + q), sine = r.high + sine_rest;
  const double cosine_rest = q - r.low * r.high, cosine = 1 + cosine_rest;
  const bool even = (r.quadrant & 1) == 0;
  const double quotient = detail::select(even, sine, cosine) / detail::select(even, cosine, sine);
  const double lost = ((r.high - sine) + sine_rest) - quotient * ((1 - cosine) + cosine_rest);
  const double corrected = quotient + detail::select(even, lost - q * lost, 0.0);
  return detail::flip_sign(corrected, r.quadrant ^ to_bits(a) >> 63);
}

}  // namespace direct

}  // namespace gpuarray::math
