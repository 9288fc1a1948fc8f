// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The exponential functions of the host. Like the host's other functions, they are free of
// branches, so that compilers make vectors of loops over them, and, but for powers, of tables. They
// use no fused multiply-add but where other operations give the same bits, so that bits are the
// same on every processor.
#pragma once

#include "kernels/element/math_bits.cuh"

namespace gpuarray::math {
namespace detail {

// Returns a + b * x + rest[0] * x**2 ..., in pairs, which processors compute side by side.
template <NativeFloat T>
inline T polynomial(T, T a) {
  return a;
}
template <NativeFloat T, class... Rest>
inline T polynomial(T x, T a, T b, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return a + b * x;
  else
    return (a + b * x) + (x * x) * polynomial(x, rest...);
}

// Holds a number as the unevaluated sum of two.
template <NativeFloat T>
struct TwoParts {
  T high;
  T low;
};

// Returns the rounded sum and what it lost, exactly; a is 0 or abs(a) >= abs(b).
template <NativeFloat T>
inline TwoParts<T> fast_two_sum(T a, T b) {
  const T sum = a + b;
  return {sum, (a - sum) + b};
}

// Returns the rounded sum and what it lost, exactly (Knuth).
template <NativeFloat T>
inline TwoParts<T> two_sum(T a, T b) {
  const T sum = a + b, shown = sum - a;
  return {sum, (a - (sum - shown)) + (b - shown)};
}

// Clears the lower half of the fraction's bits, so that products of two such numbers are exact.
template <NativeFloat T>
inline T upper_half(T a) {
  constexpr int cleared = is_same_v<T, float> ? 12 : 32;
  return from_bits<T>(to_bits(a) >> cleared << cleared);
}

// A number of this size has no fraction bits: adding it rounds to a whole number, which the lowest
// bits of the sum hold.
template <NativeFloat T>
inline constexpr T kRounder = is_same_v<T, float> ? T(0x1.8p23) : T(0x1.8p52);

// ln 2 in two parts; the first has so few bits that its products with exponents are exact.
template <NativeFloat T>
inline constexpr T kLn2High = is_same_v<T, float> ? T(0x1.62e4p-1) : T(0x1.62e42feep-1);
template <NativeFloat T>
inline constexpr T kLn2Low = is_same_v<T, float> ? T(0x1.7f7d1cp-20) : T(0x1.a39ef35793c76p-33);

// The largest number whose exponential is finite.
template <NativeFloat T>
inline constexpr T kExpLimit = is_same_v<T, float> ? T(0x1.62e42ep6) : T(0x1.62e42fefa39efp9);

// Returns 2**n for the sum of kRounder and an n of normal results.
template <NativeFloat T>
inline T power_of_two(T sum) {
  constexpr unsigned_t<T> bias = FloatLayout<T>::bias;
  return from_bits<T>((to_bits(sum) + bias) << FloatLayout<T>::fraction_bits);
}

// Holds n + kRounder and r of x = n ln 2 + r + lost, where n is whole and r at most half of ln 2.
template <NativeFloat T>
struct ExpArgument {
  T sum;
  T r;
  T lost;
};

template <NativeFloat T>
inline ExpArgument<T> reduce_exp(T x) {
  const T sum = x * T(0x1.71547652b82fep0) + kRounder<T>, n = sum - kRounder<T>;
  const T high = x - n * kLn2High<T>, low = n * kLn2Low<T>;
  const T r = high - low;
  return {sum, r, (high - r) - low};
}

// Return (exp(r) - 1 - r) / r**2 for an ExpArgument. The polynomials interpolate at Chebyshev's
// nodes, with errors of exp below 2**-26 and 2**-55.
inline float exp_series(float r) {
  return polynomial(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120be2p-7f, 0x1.6d117cp-10f);
}
inline double exp_series(double r) {
  return polynomial(r, 0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d37p-5,
                    0x1.11111111109a6p-7, 0x1.6c16c1789d1d7p-10, 0x1.a01a01a7cebcdp-13,
                    0x1.a019b8ca26fcfp-16, 0x1.71de0d85293b8p-19, 0x1.2891d4ffbb0f9p-22,
                    0x1.af390ba7e6f47p-26);
}

// Returns exp(r + lost); the sum with 1 keeps what it rounds off.
template <NativeFloat T>
inline T exp_of_reduced(T r, T lost = 0) {
  const auto [sum, small] = fast_two_sum(T(1), r);
  return sum + (small + (r * r * exp_series(r) + lost));
}

// Returns value * 2**n for n + kRounder, a value within [0.7, 1.42] and a result below infinity.
// Subnormal results are rounded from numbers of full precision.
template <NativeFloat T>
inline T scale_by_power(T value, T sum) {
  using Bits = unsigned_t<T>;
  constexpr int shift = FloatLayout<T>::fraction_bits, lift = 2 * shift;
  constexpr T down = is_same_v<T, float> ? T(0x1p-46) : T(0x1p-104);
  const bool low = sum < kRounder<T> + T(2 - FloatLayout<T>::bias);
  const Bits exponent = (to_bits(sum) << shift) + (low ? Bits(lift) << shift : Bits(0));
  const T scaled = from_bits<T>(to_bits(value) + exponent);
  return low ? scaled * down : scaled;
}

}  // namespace detail

template <NativeFloat T>
inline T exp(T a) {
  constexpr T lowest = is_same_v<T, float> ? T(-104) : T(-746);
  const auto [sum, r, lost] = detail::reduce_exp(a < lowest ? lowest : a);
  const T result = detail::scale_by_power(detail::exp_of_reduced(r), sum);
  return a <= detail::kExpLimit<T> ? result : a + infinity<T>();
}

template <NativeFloat T>
inline T exp2(T a) {
  constexpr T lowest = is_same_v<T, float> ? T(-152) : T(-1077);
  constexpr T limit = T(FloatLayout<T>::bias + 1);
  const T x = a < lowest ? lowest : a;
  const T sum = x + detail::kRounder<T>;
  const T r = (x - (sum - detail::kRounder<T>)) * T(0x1.62e42fefa39efp-1);
  const T result = detail::scale_by_power(detail::exp_of_reduced(r), sum);
  return a < limit ? result : a + infinity<T>();
}

template <NativeFloat T>
inline T expm1(T a) {
  constexpr T high = is_same_v<T, float> ? T(87) : T(708);  // results near overflow are halved
  const auto [sum, r, lost] = detail::reduce_exp(a < -40 ? T(-40) : a);
  const T scale = detail::power_of_two(a > high ? sum - 1 : sum), one = a > high ? T(0.5) : T(1);
  const T rest = scale * (r * r * detail::exp_series(r) + lost);
  const auto [power, error] = detail::fast_two_sum(scale, -one);
  const auto [total, small] = detail::fast_two_sum(power, scale * r);
  const T half = total + (small + (error + rest)), result = a > high ? half * 2 : half;
  return copysign(a <= detail::kExpLimit<T> ? result : a + infinity<T>(), a);
}

}  // namespace gpuarray::math
