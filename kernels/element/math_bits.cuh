// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Operations on the bits of floating-point numbers, each in the precision of its own type.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/math_compare.cuh"

namespace gpuarray::math {
namespace detail {

template <Float T>
GPUARRAY_HD unsigned_t<T> magnitude_bits(T a) {
  return to_bits(a) & FloatLayout<T>::magnitude;
}

}  // namespace detail

template <Float T>
GPUARRAY_HD bool isinf(T a) {
  return detail::magnitude_bits(a) == FloatLayout<T>::infinity;
}
template <Float T>
GPUARRAY_HD bool isfinite(T a) {
  return detail::magnitude_bits(a) < FloatLayout<T>::infinity;
}
template <Float T>
GPUARRAY_HD bool isinf(complex<T> a) {
  return isinf(a.re) | isinf(a.im);
}
template <Float T>
GPUARRAY_HD bool isfinite(complex<T> a) {
  return isfinite(a.re) & isfinite(a.im);
}
template <Float T>
GPUARRAY_HD bool signbit(T a) {
  return (to_bits(a) & FloatLayout<T>::sign) != 0;
}

template <Float T>
GPUARRAY_HD T negative(T a) {
  return from_bits<T>(to_bits(a) ^ FloatLayout<T>::sign);
}
template <Float T>
GPUARRAY_HD T absolute(T a) {
  return from_bits<T>(detail::magnitude_bits(a));
}
template <Float T>
GPUARRAY_HD T copysign(T a, T b) {
  return from_bits<T>(detail::magnitude_bits(a) | (to_bits(b) & FloatLayout<T>::sign));
}

template <Float T>
GPUARRAY_HD T nextafter(T a, T b) {
  using Bits = unsigned_t<T>;
  const Bits from = to_bits(a), sign = FloatLayout<T>::sign;
  if (isnan(a) | isnan(b)) return nan<T>();
  if (equal(a, b)) return b;  // of two equal zeros the second, as in C and NumPy 2.5
  if (detail::magnitude_bits(a) == 0) return from_bits<T>(Bits((to_bits(b) & sign) | 1));
  const bool away = less(a, b) != signbit(a);
  return from_bits<T>(Bits(away ? from + 1 : from - 1));
}

// Returns the distance to the next number away from zero, as NumPy does; for half it is the next
// number towards positive infinity.
template <Float T>
GPUARRAY_HD T spacing(T a) {
  if (!isfinite(a)) return nan<T>();
  const bool up = is_same_v<T, half> || detail::magnitude_bits(a) == 0;
  const T next = nextafter(a, up ? infinity<T>() : copysign(infinity<T>(), a));
  if constexpr (is_half_v<T>)
    return round_to<T>(to_float(next) - to_float(a));
  else
    return next - a;
}

namespace detail {

template <NativeFloat T>
struct Parts {
  T mantissa;
  int32_t exponent;
};

// Splits a into mantissa * 2**exponent, as C's frexp; the exponent of what is not finite is 0.
template <NativeFloat T>
GPUARRAY_HD Parts<T> frexp(T a) {
  using Bits = unsigned_t<T>;
  constexpr int shift = FloatLayout<T>::fraction_bits;
  constexpr int bias = FloatLayout<T>::bias - 1;  // exponent field of a mantissa in [0.5, 1)
  if (!isfinite(a) || a == 0) return {a, 0};
  const bool subnormal = (detail::magnitude_bits(a) >> shift) == 0;
  const Bits bits = to_bits(subnormal ? a * T(Bits(1) << shift) : a);
  const Bits field = (bits & FloatLayout<T>::magnitude) >> shift;
  const Bits rest = bits & ~FloatLayout<T>::infinity;
  return {from_bits<T>(rest | Bits(bias) << shift),
          int32_t(field) - bias - (subnormal ? shift : 0)};
}

}  // namespace detail

template <Float T>
GPUARRAY_HD T frexp_mantissa(T a) {
  if constexpr (is_half_v<T>)
    return round_to<T>(detail::frexp(to_float(a)).mantissa);
  else
    return detail::frexp(a).mantissa;
}
template <Float T>
GPUARRAY_HD int32_t frexp_exponent(T a) {
  return detail::frexp(detail::widen(a)).exponent;
}

// Returns a * 2**b with a single rounding; b is a whole number.
#ifdef __CUDACC__
GPUARRAY_HD float ldexp(float a, float b) { return ::ldexpf(a, cast<int32_t>(b)); }
GPUARRAY_HD double ldexp(double a, double b) { return ::ldexp(a, cast<int32_t>(b)); }
#else
namespace detail {

// Returns 2**exponent, for the exponent of a normal double.
inline double ldexp_factor(double exponent) {
  // The sum holds the exponent in its low bits.
  const uint64_t bits = to_bits(exponent + (1023 + 0x1p52));
  return from_bits<double>(bits << 52);
}

}  // namespace detail

// The host's are free of branches, so that compilers make vectors of them.
inline float ldexp(float a, float b) {
  const double exponent = b < -1000 ? -1000 : b > 1000 ? 1000 : ::trunc(double(b));
  return float(double(a) * detail::ldexp_factor(exponent == exponent ? exponent : 0));
}
// A step down leaves 53 bits of room, so that only the last product is rounded.
inline double ldexp(double a, double b) {
  double left = b < -4000 ? -4000 : b > 4000 ? 4000 : ::trunc(b);
  left = left == left ? left : 0;
  for (int step = 0; step < 2; ++step) {
    const double taken = left > 1023 ? 1023 : left < -1022 ? -969 : 0;
    a *= detail::ldexp_factor(taken);
    left -= taken;
  }
  left = left > 1023 ? 1023 : left < -1022 ? -1022 : left;
  return a * detail::ldexp_factor(left);
}
#endif
template <Half T>
GPUARRAY_HD T ldexp(T a, T b) {
  return round_to<T>(ldexp(to_float(a), to_float(b)));
}

}  // namespace gpuarray::math
