// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The logarithms of the host. They are computed as in fdlibm (Sun Microsystems, 1993), without its
// branches: with s = f / (2 + f), log(1 + f) is f - s * (f - R) or, more precisely,
// f - (f**2 / 2 - s * (f**2 / 2 + R)).
#pragma once

#include "kernels/element/host/exp.cuh"

namespace gpuarray::math {
namespace detail {

// Holds k and f of x = 2**k * (1 + f), where 1 + f is at least the root of 1/2 and below that of 2.
template <NativeFloat T>
struct LogArgument {
  T k;
  T f;
};

// Splits a positive number; of others the parts have no meaning.
template <NativeFloat T>
inline LogArgument<T> reduce_log(T x) {
  using Layout = FloatLayout<T>;
  using Bits = unsigned_t<T>;
  constexpr int shift = Layout::fraction_bits;
  constexpr T whole = T(Bits(1) << shift);
  const Bits root = to_bits(T(0x1.6a09e667f3bcdp-1));
  const bool subnormal = x < from_bits<T>(Bits(1) << shift);
  const Bits bits = to_bits(subnormal ? x * whole : x) + (to_bits(T(1)) - root);
  const T exponent = from_bits<T>((bits >> shift) | to_bits(whole));
  const T k = exponent - (subnormal ? whole + (Layout::bias + shift) : whole + Layout::bias);
  return {k, from_bits<T>((bits & Layout::fraction) + root) - 1};
}

// Return (log((1 + s) / (1 - s)) - 2 s) / s**3 for z = s**2 of a LogArgument. The polynomials
// interpolate at Chebyshev's nodes, with errors of log below 2**-28 and 2**-57.
inline float log_series(float z) {
  return polynomial(z, 0x1.55555cp-1f, 0x1.997c22p-2f, 0x1.2ee8c8p-2f);
}
inline double log_series(double z) {
  return polynomial(z, 0x1.5555555555558p-1, 0x1.9999999995273p-2, 0x1.2492492dfd86cp-2,
                    0x1.c71c62d5e53e0p-3, 0x1.7462b91b8df65p-3, 0x1.39fdcceb4bb45p-3,
                    0x1.2b5f68a50d903p-3);
}

// Holds parts of log(1 + f) = f - (half_square - correction).
template <NativeFloat T>
struct LogTerms {
  T half_square;
  T correction;
};

template <NativeFloat T>
inline LogTerms<T> log_terms(T f) {
  const T s = f / (2 + f), z = s * s, half_square = T(0.5) * f * f;
  return {half_square, s * (half_square + z * log_series(z))};
}

// Returns the logarithm of a, which is `result` where a is positive and finite.
template <NativeFloat T>
inline T finish_log(T a, T result) {
  const T positive = a < infinity<T>() ? result : a;
  const T other = a == 0 ? -infinity<T>() : nan<T>();
  return a > 0 ? positive : other;
}

// The constants of the logarithm to a base: 1 / log(base) and log(2) / log(base), each in two
// parts. Products of the first parts with 12 (float) or 21 (double) bits and exponents are exact.
template <NativeFloat T>
struct LogBase {
  T scale_high, scale_low, unit_high, unit_low;
};

template <NativeFloat T>
inline T log_in_base(T a, const LogBase<T>& base) {
  const auto [k, f] = reduce_log(a);
  const auto [half_square, correction] = log_terms(f);
  const T high = upper_half(f - half_square), low = ((f - high) - half_square) + correction;
  const auto [sum, small] = fast_two_sum(k * base.unit_high, high * base.scale_high);
  const T scaled = (low + high) * base.scale_low + low * base.scale_high;
  return finish_log(a, sum + (small + (k * base.unit_low + scaled)));
}

inline constexpr LogBase<float> kBinary32 = {0x1.714p+0f, 0x1.47652cp-12f, 1, 0};
inline constexpr LogBase<double> kBinary64 = {0x1.71547652p+0, 0x1.705fc2eefa2p-33, 1, 0};
inline constexpr LogBase<float> kDecimal32 = {0x1.bcap-2f, 0x1.7b1526p-14f, 0x1.344p-2f,
                                              0x1.3509f8p-18f};
inline constexpr LogBase<double> kDecimal64 = {0x1.bcb7b152p-2, 0x1.b9438ca9aadd5p-36,
                                               0x1.34413509f6p-2, 0x1.9fef311f12b36p-42};

}  // namespace detail

template <NativeFloat T>
inline T log(T a) {
  const auto [k, f] = detail::reduce_log(a);
  const T s = f / (2 + f), z = s * s;
  const T low = s * (f - z * detail::log_series(z)) - k * detail::kLn2Low<T>;
  return detail::finish_log(a, k * detail::kLn2High<T> - (low - f));
}
inline float log2(float a) { return detail::log_in_base(a, detail::kBinary32); }
inline double log2(double a) { return detail::log_in_base(a, detail::kBinary64); }
inline float log10(float a) { return detail::log_in_base(a, detail::kDecimal32); }
inline double log10(double a) { return detail::log_in_base(a, detail::kDecimal64); }

// Takes the logarithm of the rounded sum 1 + a and adds what the rounding lost, divided by the sum.
template <NativeFloat T>
inline T log1p(T a) {
  const auto [sum, lost] = detail::two_sum(T(1), a);
  const auto [k, rounded] = detail::reduce_log(sum);
  const T f = k == 0 ? a : rounded, error = k == 0 ? T(0) : lost / sum;
  const auto [half_square, correction] = detail::log_terms(f);
  const T low = correction + (k * detail::kLn2Low<T> + error);
  const T result = k * detail::kLn2High<T> - ((half_square - low) - f);
  return copysign(detail::finish_log(sum, result), a);
}

}  // namespace gpuarray::math
