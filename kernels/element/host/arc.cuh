// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Inverse trigonometric functions and the hypotenuse for loops of the host, without branches and
// for all arguments. The coefficients are found as those of math_trig.cuh; the errors stated are
// relative and those of the functions.
#pragma once

#include "kernels/element/host/vector.cuh"

namespace gpuarray::math {
namespace detail {

// k * (high + low) is k pi/4; the product with high is exact for k up to 4.
template <NativeFloat T>
struct QuarterPi {
  static constexpr bool single = is_same_v<T, float>;
  static constexpr T high = single ? T(0x1.921fbp-1) : T(0x1.921fb54442d18p-1);
  static constexpr T low = single ? T(0x1.5110b4611a626p-23) : T(0x1.1a62633145c07p-55);
};

// Returns k pi/4 + angle + rest, or k pi/4 - angle - rest if bit 0 of `minus` is set. The angle is
// less than k pi/4 unless k is 0.
template <NativeFloat T>
inline T add_quarters(T k, T angle, T rest, unsigned_t<T> minus) {
  const T base = k * QuarterPi<T>::high, term = flip_sign(angle, minus), sum = base + term;
  const T lost = (base - sum) + term;
  return sum + (lost + (flip_sign(rest, minus) + k * QuarterPi<T>::low));
}

// Return arctan(t) - t for |t| <= 1/2; the error is 2**-27.5 and 2**-57.8.
inline float arctan_rest(float t) {
  const float s = t * t;
  return t * (s * estrin(s, -0x1.555512de94624p-2, 0x1.997b543ebef50p-3, -0x1.224ddae79714fp-3,
                         0x1.a0273e69d7ed2p-4, -0x1.a47594d23353bp-5));
}
inline double arctan_rest(double t) {
  const double s = t * t;
  return t * (s * estrin(s, -0x1.5555555555516p-2, 0x1.9999999991155p-3, -0x1.249249215e36cp-3,
                         0x1.c71c709100ac2p-4, -0x1.745cf4cd4137bp-4, 0x1.3b113dddba47cp-4,
                         -0x1.10f32024f8baap-4, 0x1.dfe9848846190p-5, -0x1.a398993c78f06p-5,
                         0x1.56f64879a87a7p-5, -0x1.c1814ec22fac8p-6, 0x1.4b85f3337eaf6p-7));
}

// Returns the angle in [0, pi] of the point (x, y), or (-x, y) if `left`, where x and y are not
// negative and not both 0, and their sum is finite. It is the arc tangent of smaller/larger, or
// pi/4 plus that of (smaller - larger) / (smaller + larger), whose numerator is exact.
template <NativeFloat T>
inline T finite_angle(T x, T y, bool left) {
  const bool steep = y > x;
  const T smaller = select(steep, x, y), larger = select(steep, y, x);
  const bool middle = smaller > T(0.5) * larger;
  const T t = select(middle, smaller - larger, smaller) / select(middle, smaller + larger, larger);
  const T octant = select<T>(middle, 1, 0), quarters = select(steep, 2 - octant, octant);
  return add_quarters(select(left, 4 - quarters, quarters), t, arctan_rest(t),
                      unsigned_t<T>(steep) ^ unsigned_t<T>(left));
}

// As finite_angle, but for all x and y as C99 defines it.
template <NativeFloat T>
inline T half_plane_angle(T x, T y, bool left) {
  const T infinite = infinity<T>();
  constexpr T large = is_same_v<T, float> ? T(0x1p126) : T(0x1p1022);
  const T largest = select(y > x, y, x), scale = select<T>(largest > large, 0.25, 1);
  const bool far_x = x == infinite, far_y = y == infinite, far = far_x | far_y;
  const T near_x = select<T>(largest == 0, 1, x * scale);
  const T angle = finite_angle(select(far, select<T>(far_x, 1, 0), near_x),
                               select(far, select<T>(far_y, 1, 0), y * scale), left);
  return select((x != x) | (y != y), x + y, angle);
}

// Return arcsin(z) - z for s = z * z <= 1/4; the error is 2**-27.6 and 2**-55.9.
inline float arcsin_rest(float z, float s) {
  return z * (s * estrin(s, 0x1.5555c8850ae25p-3, 0x1.3301e371238fep-4, 0x1.747e64e5857bdp-5,
                         0x1.8c2728083c540p-6, 0x1.596e1b4789e1fp-5));
}
inline double arcsin_rest(double z, double s) {
  return z * (s * estrin(s, 0x1.5555555555390p-3, 0x1.333333336e7c2p-4, 0x1.6db6db427ce7fp-5,
                         0x1.f1c72c38420d7p-6, 0x1.6e89f44f7f9cbp-6, 0x1.1c6be0d3f0caap-6,
                         0x1.c6fdd0a64e282p-7, 0x1.8ec2a0c2222f6p-7, 0x1.abd24aee649aep-8,
                         0x1.3ff2c150f631ep-6, -0x1.09d04a844ddf7p-6, 0x1.056c7a74299fep-5));
}

// Holds angle + rest = arcsin(|a|) if |a| <= 1/2, else twice arcsin(sqrt((1 - |a|) / 2)), which is
// arccos(|a|).
template <NativeFloat T>
struct Arcsine {
  T angle, rest;
  bool large;  // |a| > 1/2
};

template <NativeFloat T>
inline Arcsine<T> arcsine(T a) {
  const T x = absolute(a);
  const bool large = x > T(0.5);
  const T s = select(large, T(0.5) * (1 - x), x * x), root = T(::sqrt(s));
  const T z = select(large, root, x), factor = select<T>(large, 2, 1);
  return {factor * z, factor * arcsin_rest(z, s), large};
}

}  // namespace detail

namespace direct {

template <NativeFloat T>
inline T arctan(T a) {
  const T x = absolute(a), far = T(0x1p64);
  return copysign(detail::finite_angle(T(1), detail::select(x > far, far, x), false), a);
}

template <NativeFloat T>
inline T arctan2(T y, T x) {
  const bool left = (to_bits(x) & FloatLayout<T>::sign) != 0;
  const T angle = detail::half_plane_angle(absolute(x), absolute(y), left);
  return copysign(angle, y);
}

template <NativeFloat T>
inline T arcsin(T a) {
  const detail::Arcsine<T> b = detail::arcsine(a);
  const T k = detail::select<T>(b.large, 2, 0);
  return copysign(detail::add_quarters(k, b.angle, b.rest, b.large), a);
}

template <NativeFloat T>
inline T arccos(T a) {
  const detail::Arcsine<T> b = detail::arcsine(a);
  const bool negative = (to_bits(a) & FloatLayout<T>::sign) != 0;
  const T k = detail::select(b.large, detail::select<T>(negative, 4, 0), T(2));
  const unsigned_t<T> minus = unsigned_t<T>(b.large) ^ unsigned_t<T>(negative) ^ 1;
  return detail::add_quarters(k, b.angle, b.rest, minus);
}

// In double squares of floats are exact, and do not overflow or underflow.
inline float hypot(float a, float b) {
  const float infinite = infinity<float>();
  const double x = a, y = b;
  const bool far = (absolute(a) == infinite) | (absolute(b) == infinite);
  return detail::select(far, infinite, float(::sqrt(x * x + y * y)));
}

// Squares numbers near 1 and adds what their squares and the sum lose in rounding.
inline double hypot(double a, double b) {
  const double infinite = infinity<double>();
  const double x = absolute(a), y = absolute(b);
  const double larger = detail::select(x > y, x, y), smaller = detail::select(x > y, y, x);
  const bool huge = larger > 0x1p500, tiny = larger < 0x1p-400;
  const double scale = detail::select(huge, 0x1p-600, detail::select(tiny, 0x1p600, 1.0));
  const double back = detail::select(huge, 0x1p600, detail::select(tiny, 0x1p-600, 1.0));
  const double p = larger * scale, q = smaller * scale, pp = p * p, qq = q * q, sum = pp + qq;
  const double lost =
      ((pp - sum) + qq) + (detail::product_error(p, p, pp) + detail::product_error(q, q, qq));
  const bool far = (x == infinite) | (y == infinite);
  return detail::select(far, infinite, ::sqrt(sum + lost) * back);
}

}  // namespace direct
}  // namespace gpuarray::math
