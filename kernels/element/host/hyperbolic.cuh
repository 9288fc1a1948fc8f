// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The hyperbolic functions of the host and their inverses.
#pragma once

#include "kernels/element/host/log.cuh"

namespace gpuarray::math {
namespace detail {

// Return (cosh(r) - 1) / r**2 and (sinh(r) - r) / r**3 for u = r**2 of an ExpArgument. The
// polynomials interpolate at Chebyshev's nodes, with errors below 2**-30 and 2**-58.
inline float cosh_series(float u) { return polynomial(u, 0x1p-1f, 0x1.5554e8p-5f, 0x1.6d43bp-10f); }
inline float sinh_series(float u) {
  return polynomial(u, 0x1.555556p-3f, 0x1.1110ep-7f, 0x1.a1256cp-13f);
}
inline double cosh_series(double u) {
  return polynomial(u, 0x1p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a48p-10, 0x1.a01a01a9f728ep-16,
                    0x1.27e4d3f512b3ep-22, 0x1.1f7f6a9a955d4p-29);
}
inline double sinh_series(double u) {
  return polynomial(u, 0x1.5555555555556p-3, 0x1.11111111109a6p-7, 0x1.a01a01a7cebb4p-13,
                    0x1.71de0d852f192p-19, 0x1.af390b99fa1f2p-26);
}

// From here on exponentials are scaled by 2**-64, as they may be infinite.
template <NativeFloat T>
inline constexpr T kLarge = is_same_v<T, float> ? T(87) : T(708);

// Holds exp(x) = rise * (even + odd) and exp(-x) = fall * (even - odd) with even = 1 + even_rest
// and odd = r + odd_rest, for x >= 0.
template <NativeFloat T>
struct ExpPair {
  T rise, fall, r, even_rest, odd_rest;
};

template <NativeFloat T>
inline ExpPair<T> exp_pair(T x) {
  const auto [sum, r, lost] = reduce_exp(x);
  const T rise = power_of_two(x > kLarge<T> ? sum - 64 : sum);
  const T fall = x > kLarge<T> ? T(0) : power_of_two(2 * kRounder<T> - sum);
  const T u = r * r;
  return {rise, fall, r, u * cosh_series(u), r * (u * sinh_series(u)) + lost};
}

// Returns half of (rise + fall) + rise * r + fall * r + rest, with one rounding of note.
template <NativeFloat T>
inline T half_of_sum(T rise, T fall, T rise_r, T fall_r, T rest) {
  const auto [power, lost] = fast_two_sum(rise, fall);
  const auto [first, second_lost] = fast_two_sum(power, rise_r);
  const auto [second, third_lost] = fast_two_sum(first, fall_r);
  return T(0.5) * (second + (third_lost + (second_lost + (lost + rest))));
}

// Takes back the scale of exponentials of x.
template <NativeFloat T>
inline T unscale(T x, T result) {
  const T scaled = x > kLarge<T> ? result * T(0x1p64) : result;
  constexpr T infinite = is_same_v<T, float> ? T(90) : T(711);
  return x < infinite ? scaled : x + infinity<T>();
}

}  // namespace detail

template <NativeFloat T>
inline T sinh(T a) {
  const T x = absolute(a);
  const auto [rise, fall, r, even, odd] = detail::exp_pair(x);
  const T rest = (rise - fall) * even + (rise + fall) * odd;
  return copysign(detail::unscale(x, detail::half_of_sum(rise, -fall, rise * r, fall * r, rest)),
                  a);
}
template <NativeFloat T>
inline T cosh(T a) {
  const T x = absolute(a);
  const auto [rise, fall, r, even, odd] = detail::exp_pair(x);
  const T rest = (rise + fall) * even + (rise - fall) * odd;
  return detail::unscale(x, detail::half_of_sum(rise, fall, rise * r, -fall * r, rest));
}

// Divides expm1(2 x) by itself + 2, both in two parts. What the quotient of the first parts lacks
// is a small number divided by the divisor, of which (1 - tanh) / 2 is the inverse.
template <NativeFloat T>
inline T tanh(T a) {
  const T x = absolute(a), twice = x > 22 ? T(44) : x + x;
  const auto [sum, r, lost] = detail::reduce_exp(twice);
  const T scale = detail::power_of_two(sum);
  const T rest = scale * (r * r * detail::exp_series(r) + lost);
  const auto [most, error] = detail::fast_two_sum(scale - 1, scale * r);
  const auto [high, low] = detail::fast_two_sum(most, error + rest);
  const auto [divisor, divisor_low] = detail::two_sum(T(2), high);
  const T quotient = high / divisor;
  const T lacking = (low - quotient * (divisor_low + low)) * (T(0.5) - T(0.5) * quotient);
  return copysign(quotient + lacking, a);
}

// Above 2**60 the logarithm of twice the argument is the result.
template <NativeFloat T>
inline T arcsinh(T a) {
  const T x = absolute(a), square = x * x, excess = x + square / (1 + ::sqrt(1 + square));
  const T result = log1p(x > T(0x1p60) ? x : excess);
  return copysign(result + (x > T(0x1p60) ? T(0x1.62e42fefa39efp-1) : T(0)), a);
}
template <NativeFloat T>
inline T arccosh(T a) {
  const T x = a - 1, excess = x + ::sqrt(2 * x + x * x);
  const T result = log1p(a > T(0x1p60) ? x : excess);
  return a < 1 ? nan<T>() : result + (a > T(0x1p60) ? T(0x1.62e42fefa39efp-1) : T(0));
}
template <NativeFloat T>
inline T arctanh(T a) {
  const T x = absolute(a), twice = x + x;
  const T quotient = (x < T(0.5) ? twice * x : twice) / (1 - x);
  return copysign(T(0.5) * log1p(x < T(0.5) ? twice + quotient : quotient), a);
}

}  // namespace gpuarray::math
