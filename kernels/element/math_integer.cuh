// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Operations on integers and bools. They wrap on overflow and never have undefined behaviour.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/math_compare.cuh"

namespace gpuarray::math {
namespace detail {

// The unsigned type in which arithmetic on T is done, so that it wraps: at least 32 bits, because
// narrower types would be promoted to int.
template <class T>
using wrapping_t = choose_t<sizeof(T) < 4, uint32_t, unsigned_t<T>>;

// Returns whether `a` is negative; no comparison is compiled for unsigned types.
template <Integer T>
GPUARRAY_HD bool is_negative(T a) {
  if constexpr (is_signed_v<T>)
    return a < 0;
  else
    return false;
}

template <Integer T>
GPUARRAY_HD unsigned_t<T> magnitude(T a) {
  return unsigned_t<T>(is_negative(a) ? 0 - wrapping_t<T>(a) : wrapping_t<T>(a));
}

// Returns a divisor by which division of `a` neither traps nor overflows: b, or 1 where b is 0 or
// the quotient is out of range.
template <Integer T>
GPUARRAY_HD T safe_divisor(T a, T b) {
  if constexpr (is_signed_v<T>)
    return b == 0 || (b == -1 && a == min_integer<T>) ? T(1) : b;
  else
    return b == 0 ? T(1) : b;
}

template <Integer T>
GPUARRAY_HD bool is_shift_in_range(T count) {
  return unsigned_t<T>(count) < 8 * sizeof(T);
}

}  // namespace detail

template <Integer T>
GPUARRAY_HD T add(T a, T b) {
  return T(detail::wrapping_t<T>(a) + detail::wrapping_t<T>(b));
}
template <Integer T>
GPUARRAY_HD T subtract(T a, T b) {
  return T(detail::wrapping_t<T>(a) - detail::wrapping_t<T>(b));
}
template <Integer T>
GPUARRAY_HD T multiply(T a, T b) {
  return T(detail::wrapping_t<T>(a) * detail::wrapping_t<T>(b));
}
template <Integer T>
GPUARRAY_HD T negative(T a) {
  return T(0 - detail::wrapping_t<T>(a));
}
template <Integer T>
GPUARRAY_HD T absolute(T a) {
  return T(detail::magnitude(a));
}
template <Integer T>
GPUARRAY_HD T sign(T a) {
  return T((a > 0) - detail::is_negative(a));
}

template <Integer T>
GPUARRAY_HD T floor_divide(T a, T b) {
  const T divisor = detail::safe_divisor(a, b);
  const T quotient = T(a / divisor);
  const bool below =
      T(quotient * divisor) != a && detail::is_negative(a) != detail::is_negative(divisor);
  return b == 0 ? T(0) : T(quotient - below);
}
template <Integer T>
GPUARRAY_HD T remainder(T a, T b) {
  const T divisor = detail::safe_divisor(a, b);
  const T rest = T(a % divisor);
  const bool other_side = rest != 0 && detail::is_negative(rest) != detail::is_negative(divisor);
  return b == 0 ? T(0) : T(other_side ? rest + divisor : rest);
}
template <Integer T>
GPUARRAY_HD T fmod(T a, T b) {
  return b == 0 ? T(0) : T(a % detail::safe_divisor(a, b));
}
template <Integer T>
GPUARRAY_HD T reciprocal(T a) {
  return a == 0 ? T(0) : T(1 / (a == 0 ? T(1) : a));
}

// Returns a power, which wraps. A negative exponent gives 0 unless the base is 1 or -1.
template <Integer T>
GPUARRAY_HD T power(T a, T b) {
  if (detail::is_negative(b)) return a == 1 ? T(1) : a == T(-1) ? T(b & 1 ? -1 : 1) : T(0);
  detail::wrapping_t<T> result = 1, base = detail::wrapping_t<T>(a);
  for (unsigned_t<T> exponent = unsigned_t<T>(b); exponent != 0; exponent >>= 1) {
    result *= exponent & 1 ? base : detail::wrapping_t<T>(1);
    base *= base;
  }
  return T(result);
}

template <Integer T>
GPUARRAY_HD T gcd(T a, T b) {
  const unsigned_t<T> first = detail::magnitude(a), second = detail::magnitude(b);
  unsigned_t<T> x = first < second ? second : first, y = first < second ? first : second;
  while (y != 0) {
    const unsigned_t<T> rest = x % y;
    x = y;
    y = rest;
  }
  return T(x);
}
template <Integer T>
GPUARRAY_HD T lcm(T a, T b) {
  const unsigned_t<T> divisor = unsigned_t<T>(gcd(a, b));
  if (divisor == 0) return T(0);
  return T(detail::wrapping_t<T>(detail::magnitude(a) / divisor) * detail::magnitude(b));
}

template <Integer T>
GPUARRAY_HD T left_shift(T a, T b) {
  const int count = detail::is_shift_in_range(b) ? int(b) : 0;
  const T shifted = T(detail::wrapping_t<T>(a) << count);
  return detail::is_shift_in_range(b) ? shifted : T(0);
}
template <Integer T>
GPUARRAY_HD T right_shift(T a, T b) {
  const int count = detail::is_shift_in_range(b) ? int(b) : int(8 * sizeof(T) - 1);
  const T filled = detail::is_negative(a) ? T(-1) : T(0);
  return detail::is_shift_in_range(b) ? T(a >> count) : filled;
}

template <Integer T>
GPUARRAY_HD T bitwise_and(T a, T b) {
  return T(a & b);
}
template <Integer T>
GPUARRAY_HD T bitwise_or(T a, T b) {
  return T(a | b);
}
template <Integer T>
GPUARRAY_HD T bitwise_xor(T a, T b) {
  return T(a ^ b);
}
template <Integer T>
GPUARRAY_HD T invert(T a) {
  return T(~a);
}

// Returns the number of ones in the bits of the absolute value.
template <Integer T>
GPUARRAY_HD uint8_t bitwise_count(T a) {
  using Bits = unsigned_t<T>;
  const Bits magnitude = is_signed_v<T> && a < 0 ? Bits(Bits(0) - Bits(a)) : Bits(a);
#ifdef __CUDA_ARCH__
  return uint8_t(__popcll(magnitude));
#else
  // Sums of neighbouring bits, pairs, fours and so on, of which compilers make vectors.
  constexpr Bits ones = Bits(~Bits(0)), pairs = ones / 3, fours = ones / 5, bytes = ones / 17;
  Bits count = Bits(magnitude - ((magnitude >> 1) & pairs));
  count = Bits((count & fours) + ((count >> 2) & fours));
  count = Bits((count + (count >> 4)) & bytes);
  if constexpr (sizeof(T) > 1) count = Bits(count + (count >> 8));
  if constexpr (sizeof(T) > 2) count = Bits(count + (count >> 16));
  if constexpr (sizeof(T) > 4) count = Bits(count + (count >> 32));
  return uint8_t(count & 0x7f);
#endif
}

template <Bool T>
GPUARRAY_HD bool add(T a, T b) {
  return a | b;
}
template <Bool T>
GPUARRAY_HD bool multiply(T a, T b) {
  return a & b;
}
template <Bool T>
GPUARRAY_HD bool absolute(T a) {
  return a;
}
template <Bool T>
GPUARRAY_HD bool bitwise_and(T a, T b) {
  return a & b;
}
template <Bool T>
GPUARRAY_HD bool bitwise_or(T a, T b) {
  return a | b;
}
template <Bool T>
GPUARRAY_HD bool bitwise_xor(T a, T b) {
  return a != b;
}
template <Bool T>
GPUARRAY_HD bool invert(T a) {
  return !a;
}

// Integers and bools are real and whole numbers already, so that these return them as they are.
template <class T>
  requires(is_integer_v<T> || is_bool_v<T>)
GPUARRAY_HD T conjugate(T a) {
  return a;
}
template <class T>
  requires(is_integer_v<T> || is_bool_v<T>)
GPUARRAY_HD T floor(T a) {
  return a;
}
template <class T>
  requires(is_integer_v<T> || is_bool_v<T>)
GPUARRAY_HD T ceil(T a) {
  return a;
}
template <class T>
  requires(is_integer_v<T> || is_bool_v<T>)
GPUARRAY_HD T trunc(T a) {
  return a;
}

}  // namespace gpuarray::math
