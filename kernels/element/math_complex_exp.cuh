// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Exponential, hyperbolic and trigonometric functions of complex numbers, with the special values
// of C99 Annex G.
#pragma once

#include "kernels/element/math_complex.cuh"

namespace gpuarray::math {
namespace detail {

// Holds an exponent `top` for which power = e**top (2**top if binary) is finite; larger exponents
// are taken in steps of it.
template <NativeFloat T, bool binary>
struct ExpRange {
  static constexpr bool single = is_same_v<T, float>;
  static constexpr T top = binary ? (single ? T(127) : T(1023)) : (single ? T(88) : T(709));
  static constexpr T power =
      binary ? (single ? T(0x1p127) : T(0x1p1023))
             : (single ? T(1.6516362549940018555e38) : T(8.2184074615549721892e307));
};

// Returns factor * e**x (2**x if binary), where e**x alone may overflow.
template <bool binary = false, NativeFloat T>
GPUARRAY_HD complex<T> scale_by_exp(complex<T> factor, T x) {
  using Range = ExpRange<T, binary>;
  for (int step = 0; step < 2 && x > Range::top; ++step) {
    factor = {factor.re * Range::power, factor.im * Range::power};
    x -= Range::top;
  }
  const T scale = binary ? exp2(x) : exp(x);
  return {factor.re * scale, factor.im * scale};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> times_i(complex<T> a) {
  return {-a.im, a.re};
}
template <NativeFloat T>
GPUARRAY_HD complex<T> times_minus_i(complex<T> a) {
  return {a.im, -a.re};
}

// Returns e**z or 2**z where the angle is infinite or NaN and x is the real part of z.
template <NativeFloat T>
GPUARRAY_HD complex<T> exp_without_angle(T x, T angle) {
  if (x == -infinity<T>()) return {T(0), copysign(T(0), angle)};
  return {x == infinity<T>() ? x : nan<T>(), nan<T>()};
}

}  // namespace detail

template <NativeFloat T>
GPUARRAY_HD complex<T> exp(complex<T> a) {
  if (a.im == 0) return {exp(a.re), a.im};
  if (!isfinite(a.im)) return detail::exp_without_angle(a.re, a.im);
  return detail::scale_by_exp({cos(a.im), sin(a.im)}, a.re);
}

template <NativeFloat T>
GPUARRAY_HD complex<T> exp2(complex<T> a) {
  const T angle = a.im * T(0.693147180559945309417232121458176568);
  if (a.im == 0) return {exp2(a.re), a.im};
  if (!isfinite(a.im)) return detail::exp_without_angle(a.re, a.im);
  return detail::scale_by_exp<true>({cos(angle), sin(angle)}, a.re);
}

// Returns expm1(x) cos(y) - 2 sin(y / 2)**2 + i exp(x) sin(y), which does not cancel for small x
// and y.
template <NativeFloat T>
GPUARRAY_HD complex<T> expm1(complex<T> a) {
  if (a.im == 0) return {expm1(a.re), a.im};
  if (!isfinite(a.im) || !(absolute(a.re) < 40)) {
    const complex<T> power = exp(a);
    return {power.re - 1, power.im};
  }
  const T half_sine = sin(a.im / 2);
  return {expm1(a.re) * cos(a.im) - 2 * half_sine * half_sine, exp(a.re) * sin(a.im)};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> sinh(complex<T> a) {
  const T x = a.re, y = a.im;
  if (y == 0) return {sinh(x), y};
  if (!isfinite(y)) return {x == 0 || isinf(x) ? x : nan<T>(), nan<T>()};
  const T cosine = cos(y), sine = sin(y), excess = absolute(x) - detail::ExpRange<T, false>::top;
  if (!(excess > 0)) return {sinh(x) * cosine, cosh(x) * sine};
  constexpr T half_power = detail::ExpRange<T, false>::power / 2;
  return detail::scale_by_exp({copysign(half_power, x) * cosine, half_power * sine}, excess);
}

template <NativeFloat T>
GPUARRAY_HD complex<T> cosh(complex<T> a) {
  const T x = a.re, y = a.im;
  if (y == 0) return {cosh(x), x < 0 || (x == 0 && signbit(x)) ? -y : y};
  if (!isfinite(y)) return {isinf(x) ? absolute(x) : nan<T>(), x == 0 ? T(0) : nan<T>()};
  const T cosine = cos(y), sine = sin(y), excess = absolute(x) - detail::ExpRange<T, false>::top;
  if (!(excess > 0)) return {cosh(x) * cosine, sinh(x) * sine};
  constexpr T half_power = detail::ExpRange<T, false>::power / 2;
  return detail::scale_by_exp({half_power * cosine, copysign(half_power, x) * sine}, excess);
}

// Returns (sinh x cosh x + i sin y cos y) / (sinh(x)**2 + cos(y)**2); the divisor is a sum of terms
// that are not negative.
template <NativeFloat T>
GPUARRAY_HD complex<T> tanh(complex<T> a) {
  const T x = a.re, y = a.im;
  constexpr T saturated = is_same_v<T, float> ? 10 : 20;
  if (y == 0) return {tanh(x), y};
  if (!isfinite(y)) {
    if (isinf(x)) return {copysign(T(1), x), copysign(T(0), y)};
    return {x == 0 ? x : nan<T>(), nan<T>()};
  }
  const T sine = sin(y), cosine = cos(y);
  if (absolute(x) > saturated)
    return {copysign(T(1), x), 4 * sine * cosine * exp(-2 * absolute(x))};
  const T odd = sinh(x), divisor = odd * odd + cosine * cosine;
  return {odd * cosh(x) / divisor, sine * cosine / divisor};
}

// These use sin(z) = -i sinh(iz), cos(z) = cosh(iz) and tan(z) = -i tanh(iz).
template <NativeFloat T>
GPUARRAY_HD complex<T> sin(complex<T> a) {
  return detail::times_minus_i(sinh(detail::times_i(a)));
}
template <NativeFloat T>
GPUARRAY_HD complex<T> cos(complex<T> a) {
  return cosh(detail::times_i(a));
}
template <NativeFloat T>
GPUARRAY_HD complex<T> tan(complex<T> a) {
  return detail::times_minus_i(tanh(detail::times_i(a)));
}

}  // namespace gpuarray::math
