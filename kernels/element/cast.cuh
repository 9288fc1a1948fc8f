// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Conversion between any two element types. It gives NumPy's results, and where those are undefined
// the same on host and device: a float out of an integer's range saturates, and NaN gives 0.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/half.cuh"

namespace gpuarray {
namespace detail {

// Returns the largest float or double that does not exceed the largest value of To.
template <Integer To, NativeFloat From>
GPUARRAY_HD From integer_ceiling() {
  constexpr int digits = 8 * int(sizeof(To)) - (is_signed_v<To> ? 1 : 0);
  constexpr int precision = is_same_v<From, float> ? 24 : 53;
  constexpr int dropped = digits > precision ? digits - precision : 0;
  return From((max_integer<To> >> dropped) << dropped);
}

// Whether a float or double can be the largest value of To.
template <Integer To, NativeFloat From>
inline constexpr bool ceiling_is_exact =
    8 * int(sizeof(To)) - (is_signed_v<To> ? 1 : 0) <= (is_same_v<From, float> ? 24 : 53);

// Converts a float or double to an integer, truncating towards zero; what is out of range
// saturates, and NaN gives 0.
template <Integer To, NativeFloat From>
GPUARRAY_HD To saturate(From value) {
  const From ceiling = integer_ceiling<To, From>();
  const From floor = From(min_integer<To>);
  From inside = value == value ? value : From(0);
  inside = inside > ceiling ? ceiling : inside;
  inside = inside < floor ? floor : inside;
  // Compilers make vectors of conversions to 32 bits.
  if constexpr (sizeof(To) < 4) return To(int32_t(inside));
  if constexpr (ceiling_is_exact<To, From>) return To(inside);
  return value > ceiling ? max_integer<To> : To(inside);
}

// Converts an integer to half or bfloat16 with a single rounding. Where double cannot hold the
// integer, its lowest bits are first folded into one sticky bit.
template <Half To, Integer From>
GPUARRAY_HD To round_integer(From value) {
  if constexpr (is_same_v<To, half>) {
    constexpr int64_t beyond = 1 << 17;  // becomes infinity as half and is exact as float
    if constexpr (sizeof(From) >= 4 && is_signed_v<From>)
      value = value < From(-beyond) ? From(-beyond) : value;
    if constexpr (sizeof(From) >= 4) value = value > From(beyond) ? From(beyond) : value;
    return round_to<To>(float(value));
  } else if constexpr (sizeof(From) <= 2) {
    return round_to<To>(float(value));
  } else if constexpr (sizeof(From) == 4) {
    return round_to<To>(double(value));
  } else {
    constexpr From low = 0xfff;
    constexpr From large = From(1) << 53;
    const From sticky = From((value & ~low) | ((value & low) != 0 ? 0x800 : 0));
    bool exact = value < large;
    if constexpr (is_signed_v<From>) exact = exact && value > -large;
    return round_to<To>(double(exact ? value : sticky));
  }
}

}  // namespace detail

// Converts `value` to type To. A complex number converted to a real type loses its imaginary part;
// to bool, it is whether either part is nonzero.
template <class To, class From>
GPUARRAY_HD To cast(From value) {
  if constexpr (is_same_v<To, From>) {
    return value;
  } else if constexpr (is_same_v<From, BoolByte>) {
    return cast<To>(bool(value));
  } else if constexpr (is_complex_v<To> && is_complex_v<From>) {
    return To{real_t<To>(value.re), real_t<To>(value.im)};
  } else if constexpr (is_complex_v<To>) {
    return To{cast<real_t<To>>(value), real_t<To>(0)};
  } else if constexpr (is_bool_v<To> && is_complex_v<From>) {
    return value.re != 0 || value.im != 0;
  } else if constexpr (is_complex_v<From>) {
    return cast<To>(value.re);
  } else if constexpr (is_bool_v<To> && is_half_v<From>) {
    return (value.bits & 0x7fffu) != 0;
  } else if constexpr (is_bool_v<To>) {
    return value != 0;
  } else if constexpr (is_half_v<From>) {
    return cast<To>(to_float(value));
  } else if constexpr (is_half_v<To> && is_native_float_v<From>) {
    return round_to<To>(value);
  } else if constexpr (is_half_v<To> && is_bool_v<From>) {
    return round_to<To>(float(value));
  } else if constexpr (is_half_v<To>) {
    return detail::round_integer<To>(value);
  } else if constexpr (is_integer_v<To> && is_native_float_v<From>) {
    return detail::saturate<To>(value);
  } else {
    return To(value);
  }
}

template <Number From>
GPUARRAY_HD half::half(From value) : half(cast<half>(value)) {}
template <Number From>
GPUARRAY_HD bfloat16::bfloat16(From value) : bfloat16(cast<bfloat16>(value)) {}

}  // namespace gpuarray
