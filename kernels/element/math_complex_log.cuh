// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Square root and logarithms of complex numbers, with the special values of C99 Annex G.
#pragma once

#include "kernels/element/math_complex.cuh"

namespace gpuarray::math {
namespace detail {

template <NativeFloat T>
GPUARRAY_HD T power_of_two(int exponent) {
  using Layout = FloatLayout<T>;
  return from_bits<T>(typename Layout::Bits(Layout::bias + exponent) << Layout::fraction_bits);
}

// Returns the logarithm to base 2 of a factor that keeps the squares of numbers of this size within
// range.
template <NativeFloat T>
GPUARRAY_HD int safe_scale(T size) {
  constexpr int limit = FloatLayout<T>::bias - 2;
  constexpr int digits = FloatLayout<T>::fraction_bits + 1;
  if (size > power_of_two<T>(limit)) return -2;
  return size < power_of_two<T>(digits - limit) ? 2 * digits : 0;
}

// Returns a**2 + b**2 + c, computed in about twice the precision because the terms may nearly
// cancel.
template <NativeFloat T>
GPUARRAY_HD T sum_of_squares_and(T a, T b, T c) {
  const T a2 = a * a, b2 = b * b;
  const T first = a2 + c, sum = first + b2;
  const T tail = first - a2, rest = sum - first;
  const T lost = ((a2 - (first - tail)) + (c - tail)) + ((first - (sum - rest)) + (b2 - rest));
  return sum + (lost + (fma(a, a, -a2) + fma(b, b, -b2)));
}

// Returns log|z|. Near the unit circle it is computed from |z|**2 - 1, which must equal x**2 + y**2
// + excess.
template <NativeFloat T>
GPUARRAY_HD T log_magnitude(complex<T> z, T x, T y, T excess) {
  const T larger = fmax(absolute(z.re), absolute(z.im));
  const int scale = safe_scale(larger);
  const T factor = power_of_two<T>(scale);
  const T size = hypot(z.re * factor, z.im * factor);
  if (scale == 0 && size > T(0.7) && size < T(1.4))
    return T(0.5) * log1p(sum_of_squares_and(x, y, excess));
  return log(size) - T(scale) * T(0.693147180559945309417232121458176568);
}

}  // namespace detail

// Follows Kahan, "Branch cuts for complex elementary functions", 1987.
template <NativeFloat T>
GPUARRAY_HD complex<T> sqrt(complex<T> a) {
  const T x = absolute(a.re), y = absolute(a.im);
  if (isinf(y)) return {y, a.im};
  if (isinf(x)) {
    const T rest = isnan(y) ? y : T(0);
    return a.re > 0 ? complex<T>{x, copysign(rest, a.im)} : complex<T>{rest, copysign(x, a.im)};
  }
  if (x == 0 && y == 0) return {T(0), a.im};
  const int scale = detail::safe_scale(fmax(x, y));
  const T up = detail::power_of_two<T>(scale), down = detail::power_of_two<T>(-scale / 2);
  const T larger = sqrt((x * up + hypot(x * up, y * up)) * T(0.5));
  const T smaller = y * up / (2 * larger) * down;
  return a.re >= 0 ? complex<T>{larger * down, copysign(smaller, a.im)}
                   : complex<T>{smaller, copysign(larger * down, a.im)};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> log(complex<T> a) {
  const T x = absolute(a.re), y = absolute(a.im);
  return {detail::log_magnitude(a, fmax(x, y), fmin(x, y), T(-1)), arctan2(a.im, a.re)};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> log2(complex<T> a) {
  const complex<T> natural = log(a);
  constexpr T factor = T(1.442695040888963407359924681001892137);
  return {natural.re * factor, natural.im * factor};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> log10(complex<T> a) {
  const complex<T> natural = log(a);
  constexpr T factor = T(0.434294481903251827651128918916605082);
  return {natural.re * factor, natural.im * factor};
}

// Uses |1 + z|**2 - 1 = x**2 + y**2 + 2 x for z = x + iy.
template <NativeFloat T>
GPUARRAY_HD complex<T> log1p(complex<T> a) {
  const complex<T> shifted = {a.re + 1, a.im};
  return {detail::log_magnitude(shifted, a.re, a.im, 2 * a.re), arctan2(a.im, shifted.re)};
}

}  // namespace gpuarray::math
