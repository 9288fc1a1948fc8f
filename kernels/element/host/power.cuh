// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The powers and cube roots of the host.
#pragma once

#include "kernels/element/host/log.cuh"

namespace gpuarray::math {
namespace detail {

// Returns (log((1 + s) / (1 - s)) * 1.5 / s - 3 - s**2) / s**4 for z = s**2; the error of the
// logarithm is below 2**-66.
inline double power_series(double z) {
  return polynomial(z, 0x1.3333333333333p-1, 0x1.b6db6db6db7b3p-2, 0x1.555555552fc41p-2,
                    0x1.1745d19c1f290p-2, 0x1.d89d60943a82dp-3, 0x1.99a5341ab7aa9p-3,
                    0x1.679cb97760739p-3, 0x1.682bdc1b4608bp-3);
}

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

// Returns the base-2 logarithm of a positive finite number with an error below 2**-62 of it, from
// log(1 + f) = 2/3 s (3 + s**2 + rest) with s = f / (2 + f).
inline TwoParts<double> log2_in_two_parts(double x) {
  constexpr double scale = 0x1.ec709dc3a03fdp-1, scale_low = 0x1.d27f05548af0cp-55;  // 2 / (3 ln 2)
  const auto [k, f] = reduce_log(x);
  const auto [divisor, divisor_low] = fast_two_sum(2.0, f);
  const double inverse = 1 / divisor, s = f * inverse;
  const auto [whole, lost] = two_product(s, divisor);
  const double s_low = (((f - whole) - lost) - s * divisor_low) * inverse;
  const auto [z, z_lost] = two_product(s, s);
  const double z_low = z_lost + 2 * s * s_low, square = z + z_low;
  const auto [tail, tail_lost] = fast_two_sum(z, (square * square) * power_series(square));
  const auto [sum, sum_lost] = fast_two_sum(3.0, tail);
  const double sum_low = sum_lost + (tail_lost + z_low);
  const auto [product, product_lost] = two_product(s, sum);
  const double product_low = product_lost + (s * sum_low + s_low * sum);
  const auto [scaled, scaled_lost] = two_product(product, scale);
  const auto [high, low] = fast_two_sum(k, scaled);
  return {high, low + (scaled_lost + (product * scale_low + product_low * scale))};
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

// Return abs(a)**b for a positive finite abs(a) and a result between the smallest subnormal and
// infinity, from the base-2 logarithm of abs(a).
inline double power_of_log(TwoParts<double> log, double b) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  const auto [exponent, lost] = two_product(b, log.high);
  const double sum = exponent + kRounder<double>, fraction = exponent - (sum - kRounder<double>);
  const auto [most, rest] = two_product(fraction, ln2);
  const double low = rest + (fraction * ln2_low + (lost + b * log.low) * ln2);
  const auto [r, r_lost] = fast_two_sum(most, low);
  const double power = scale_by_power(exp_of_reduced(r, r_lost), sum);
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
  const detail::TwoParts<double> parts = detail::log2_in_two_parts(size);
  const double log = detail::finish_log(size, parts.high + parts.low);
  return detail::finish_power(a, b, b * log, detail::power_of_log(parts, b));
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
