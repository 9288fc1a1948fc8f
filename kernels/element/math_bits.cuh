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

}  // namespace gpuarray::math
