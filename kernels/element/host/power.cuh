// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The powers and cube roots of the host.
#pragma once

#include "kernels/element/host/log.cuh"
#include "kernels/element/host/power_tables.cuh"

namespace gpuarray::math {
namespace detail {

// Returns the rounded product and what it lost, exactly unless that is subnormal: by a fused
// multiply-add where there is one, else as Dekker did.
inline TwoParts<double> two_product(double a, double b) {
  const double product = a * b;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return {product, __builtin_fma(a, b, -product)};
#else
  const double a_scaled = a * 0x1.0000002p27, b_scaled = b * 0x1.0000002p27;
  const double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double rest = (a_high * b_high - product) + a_high * b_low + a_low * b_high;
  return {product, rest + a_low * b_low};
#endif
}

// Returns the logarithm of a positive normal number divided by 2**lift, with an error below 2**-68
// of it, in two parts. With x = 2**k * z and an inverse of about 1 / z from a table it is
// k * log(2) - log(inverse) + log(1 + r) for r = z * inverse - 1.
inline TwoParts<double> log_in_two_parts(double x, double lift) {
  using Layout = FloatLayout<double>;
  constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  const uint64_t first = to_bits(kFirstInterval), bits = to_bits(x) + (to_bits(1.0) - first);
  const double exponent = from_bits<double>((bits >> 52) | to_bits(0x1p52));
  const double k = exponent - (0x1p52 + Layout::bias) - lift;
  const double z = from_bits<double>((bits & Layout::fraction) + first);
  const uint64_t i = (bits >> 45) & 127;
  const double inverse = kLogInverses[i], log = kLogs[i], log_low = kLogsLow[i];
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  const double r = __builtin_fma(z, inverse, -1.0);
#else
  const double z_high = upper_half(z), r = (z_high * inverse - 1) + (z - z_high) * inverse;
#endif
  const double whole = k * ln2_high + log, sum = whole + r;
  const double sum_low = ((whole - sum) + r) + (k * ln2_low + log_low);
  const auto [half_square, square_lost] = two_product(-0.5 * r, r);
  const double most = sum + half_square, most_low = ((sum - most) + half_square) + square_lost;
  const double rest =
      (r * r) * r *
      polynomial(r, 0x1.5555555555557p-2, -0x1.fffffffffff15p-3, 0x1.999999975b911p-3,
                 -0x1.55555578cdfc1p-3, 0x1.24951be046f64p-3, -0x1.ffe1b1099158fp-4);
  const double low = (sum_low + most_low) + rest, high = most + low;
  return {high, (most - high) + low};
}

// Returns log2(2**k * (1 + f)) with an error below 2**-35 of it.
inline double log2_for_float(double k, double f) {
  const double s = f / (2 + f), z = s * s;
  const double series = polynomial(z, 0x1.5555554ba8b0ep-1, 0x1.9999eb9d6ddfep-2,
                                   0x1.245c273432202p-2, 0x1.ddd4dad98e4c4p-3);
  return k + 0x1.71547652b82fep0 * (2 * s + s * (z * series));
}

// Returns (2**f - 1) / f for an f of at most 1/2, with an error below 2**-26.
inline double exp2_series(double f) {
  return polynomial(f, 0x1.62e4303028fe1p-1, 0x1.ebfbe00e85f67p-3, 0x1.c6af6bb36f1afp-5,
                    0x1.3b2a529db33f7p-7, 0x1.5f095574716d3p-10, 0x1.44141221f5806p-13);
}

// Holds x = n * log(2) / 128 + r, where n is whole and sum is n + kRounder.
struct RootArgument {
  double sum;
  double r;
};

inline RootArgument reduce_to_root(double x, double low) {
  constexpr double unit_high = 0x1.62e42fefcp-8, unit_low = -0x1.c610ca86c3899p-44;
  const double sum = x * 0x1.71547652b82fep7 + kRounder<double>, n = sum - kRounder<double>;
  return {sum, ((x - n * unit_high) - n * unit_low) + low};
}

// Returns root * exp(r), where root is kRoots[i], perhaps with another exponent.
inline double root_times_exp(double root, uint64_t i, double r) {
  const double square = r * r;
  const double series = polynomial(r, 0x1.fffffffffff57p-2, 0x1.5555555555525p-3,
                                   0x1.55555acf8df82p-5, 0x1.1111143255ff1p-7);
  return root + root * ((kRootsLow[i] + r) + square * series);
}

// Return abs(a)**b, which is normal, from the logarithm of abs(a) times b.
inline double regular_power_of_log(double exponent, double low) {
  const auto [sum, r] = reduce_to_root(exponent, low);
  const uint64_t bits = to_bits(sum), i = bits & 127;
  return root_times_exp(from_bits<double>(to_bits(kRoots[i]) + (bits >> 7 << 52)), i, r);
}
// Return abs(a)**b for a positive finite abs(a) and a result between the smallest subnormal and
// infinity, from the logarithm of abs(a).
inline double power_of_log(TwoParts<double> log, double b) {
  const auto [exponent, lost] = two_product(b, log.high);
  const auto [sum, r] = reduce_to_root(exponent, lost + b * log.low);
  const uint64_t bits = to_bits(sum), i = bits & 127;
  const uint64_t rounder = to_bits(kRounder<double>), fraction = FloatLayout<double>::fraction;
  const uint64_t whole = ((bits & fraction) >> 7) - ((rounder & fraction) >> 7) + rounder;
  const double power = scale_by_power(root_times_exp(kRoots[i], i, r), from_bits<double>(whole));
  return power == power ? power : infinity<double>();  // NaN's bits if 2**1024 is reached
}
// The conversion to float makes results of its range.
inline float power_of_log(double log, float b) {
  const double exponent = b * log, sum = exponent + kRounder<double>;
  const double f = exponent - (sum - kRounder<double>), scale = power_of_two(sum);
  return float(scale + scale * (f * exp2_series(f)));
}

// Returns a**b from the base-2 logarithm of the size of the result and, where that is finite, the
// size.
template <NativeFloat T>
inline T finish_power(T a, T b, T exponent, T result) {
  constexpr T highest = T(FloatLayout<T>::bias) + T(1.5);
  constexpr T lowest = -T(FloatLayout<T>::bias + 2 * FloatLayout<T>::fraction_bits);
  T power = exponent < highest ? result : infinity<T>();
  power = exponent > lowest ? power : T(0);
  power = exponent == exponent ? power : nan<T>();
  power = ((b == 0) | (absolute(a) == 1)) ? T(1) : power;
  const bool whole = ::rint(b) == b, even = ::rint(b / 2) == b / 2;
  const unsigned_t<T> sign = to_bits(a) & FloatLayout<T>::sign;
  const T turned = from_bits<T>(to_bits(power) ^ ((whole & !even) ? sign : 0));
  const bool undefined = (a < 0) & (a > -infinity<T>()) & !whole;
  return undefined ? nan<T>() : turned;
}

}  // namespace detail

inline double power(double a, double b) {
  const double size = absolute(a);
  const bool subnormal = size < 0x1p-1022;
  const detail::TwoParts<double> parts =
      detail::log_in_two_parts(subnormal ? size * 0x1p52 : size, subnormal ? 52.0 : 0.0);
  const double log2 = detail::finish_log(size, parts.high * 0x1.71547652b82fep0);
  return detail::finish_power(a, b, b * log2, detail::power_of_log(parts, b));
}

inline float power(float a, float b) {
  const float size = absolute(a);
  const auto [k, f] = detail::reduce_log(size);
  const double log2 = detail::log2_for_float(k, f);
  const float log = detail::finish_log(size, float(log2));
  return detail::finish_power(a, b, b * log, detail::power_of_log(log2, b));
}

namespace detail {

// Return the cube root of 1 + f to 2**-16 and 2**-22.
inline float cbrt_series(float f) {
  return polynomial(f, 0x1.000074p+0f, 0x1.553dacp-2f, -0x1.c9a574p-4f, 0x1.0baa66p-4f,
                    -0x1.26ed84p-5f);
}
inline double cbrt_series(double f) {
  return polynomial(f, 0x1.fffffab9f6917p-1, 0x1.5555aee037f8dp-2, -0x1.c6fcaa48792c8p-4,
                    0x1.f8b1bd0dab211p-5, -0x1.57c2eebbfe0aap-5, 0x1.0ec6500c466b5p-5,
                    -0x1.3bb2dd573c98ep-6);
}

}  // namespace detail

// Improves an estimate whose square is exact by one step of Halley's, which triples its bits.
template <NativeFloat T>
inline T cbrt(T a) {
  const T size = absolute(a);
  const auto [k, f] = detail::reduce_log(size);
  const T third = k * T(0x1.5555555555555p-2) + detail::kRounder<T>;
  const T left = k - 3 * (third - detail::kRounder<T>);  // -1, 0 or 1
  const T above = left > 0 ? T(2) : T(1), power = left < 0 ? T(0.5) : above;
  const T above_root = left > 0 ? T(0x1.428a2f98d728bp+0) : T(1);
  const T power_root = left < 0 ? T(0x1.965fea53d6e3dp-1) : above_root;
  const T x = power + power * f, root = detail::upper_half(power_root * detail::cbrt_series(f));
  const T over_square = x / (root * root);
  const T error = (over_square - root) / (root + root + over_square);
  const T result = (root + root * error) * detail::power_of_two(third);
  const bool regular = (size > 0) & (size < infinity<T>());
  return copysign(regular ? result : size, a);
}

}  // namespace gpuarray::math
