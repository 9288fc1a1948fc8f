// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The element types and their traits, for host and device. Under NVRTC this file includes no
// header, because none may be installed.
#pragma once

#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#else
#include <math.h>
#include <stdint.h>
#endif

// GPUARRAY_HD marks a function that runs on the host and on devices.
#ifdef __CUDACC__
#define GPUARRAY_HD __host__ __device__ inline
#else
#define GPUARRAY_HD inline
#endif

namespace gpuarray {

struct half;
struct bfloat16;

// Holds a complex number, in memory as C's and NumPy's, but aligned to its size.
template <class T>
struct alignas(2 * sizeof(T)) complex {
  T re;
  T im;

  complex() = default;
  GPUARRAY_HD constexpr complex(T real_part, T imaginary_part = T(0))
      : re(real_part), im(imaginary_part) {}
  GPUARRAY_HD constexpr T real() const { return re; }
  GPUARRAY_HD constexpr T imag() const { return im; }
};

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<complex<T>> = true;

template <class T>
inline constexpr bool is_half_v = is_same_v<T, half> || is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_native_float_v = is_same_v<T, float> || is_same_v<T, double>;
template <class T>
inline constexpr bool is_float_v = is_half_v<T> || is_native_float_v<T>;
template <class T>
inline constexpr bool is_inexact_v = is_float_v<T> || is_complex_v<T>;
template <class T>
inline constexpr bool is_bool_v = is_same_v<T, bool>;
template <class T>
inline constexpr bool is_signed_v =
    is_same_v<T, signed char> || is_same_v<T, short> || is_same_v<T, int> || is_same_v<T, long> ||
    is_same_v<T, long long>;
template <class T>
inline constexpr bool is_unsigned_v =
    is_same_v<T, unsigned char> || is_same_v<T, unsigned short> || is_same_v<T, unsigned int> ||
    is_same_v<T, unsigned long> || is_same_v<T, unsigned long long>;
template <class T>
inline constexpr bool is_integer_v = is_signed_v<T> || is_unsigned_v<T>;

template <class T>
concept Half = is_half_v<T>;
template <class T>
concept NativeFloat = is_native_float_v<T>;
template <class T>
concept Float = is_float_v<T>;
template <class T>
concept Integer = is_integer_v<T>;
template <class T>
concept SignedInteger = is_signed_v<T>;
template <class T>
concept UnsignedInteger = is_unsigned_v<T>;
template <class T>
concept Bool = is_bool_v<T>;

// The types on which C++ itself has arithmetic.
template <class T>
concept Number = is_bool_v<T> || is_integer_v<T> || is_native_float_v<T>;

// Holds an IEEE 754 binary16 number, as its bits. Arithmetic on it is done in float
// (kernels/element/math.cuh). Users' kernels convert to it, which rounds once, and from it, which
// is exact (kernels/element/cast.cuh).
struct half {
  uint16_t bits;

  half() = default;
  template <Number From>
  GPUARRAY_HD half(From value);
  GPUARRAY_HD operator float() const;
};

// Holds a bfloat16 number, as its bits: the upper half of an IEEE 754 binary32. Conversions are as
// those of half.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  template <Number From>
  GPUARRAY_HD bfloat16(From value);
  GPUARRAY_HD operator float() const;
};

// std::conditional, which NVRTC lacks.
template <bool condition, class A, class B>
struct choose {
  using type = A;
};
template <class A, class B>
struct choose<false, A, B> {
  using type = B;
};
template <bool condition, class A, class B>
using choose_t = typename choose<condition, A, B>::type;

// Holds a bool as it lies in memory: every byte but 0 is true. An array that views or borrows
// foreign memory may hold bytes other than 0 and 1, which a C++ bool must not.
struct BoolByte {
  uint8_t byte;

  BoolByte() = default;
  GPUARRAY_HD constexpr BoolByte(bool value) : byte(value) {}
  GPUARRAY_HD constexpr operator bool() const { return byte != 0; }
  GPUARRAY_HD BoolByte& operator&=(bool other) { return *this = *this && other; }
  GPUARRAY_HD BoolByte& operator|=(bool other) { return *this = *this || other; }
  GPUARRAY_HD BoolByte& operator^=(bool other) { return *this = *this != other; }
};

// The type as which elements of type T are read from memory and written to it.
template <class T>
using stored_t = choose_t<is_bool_v<T>, BoolByte, T>;

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<complex<T>> {
  using type = T;
};
// The type of the parts of a complex type; any other type is its own.
template <class T>
using real_t = typename real_of<T>::type;

// The type that arithmetic on T is done in.
template <class T>
using compute_t = choose_t<is_half_v<T>, float, T>;

// The unsigned integer of the size of T.
template <class T>
using unsigned_t =
    choose_t<sizeof(T) == 1, uint8_t,
             choose_t<sizeof(T) == 2, uint16_t, choose_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// The largest and the smallest value of an integer type.
template <class T>
inline constexpr T max_integer = is_signed_v<T> ? T(unsigned_t<T>(~unsigned_t<T>(0)) >> 1) : T(-1);
template <class T>
inline constexpr T min_integer = is_signed_v<T> ? T(-max_integer<T> - 1) : T(0);

// Returns the To that has the bits of `from`. GCC has the builtin from version 11 on.
template <class To, class From>
GPUARRAY_HD To bit_cast(const From& from) {
#if defined(__CUDACC__) || defined(__clang__) || __GNUC__ >= 11
  return __builtin_bit_cast(To, from);
#else
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
#endif
}

// Return the bits of a number, and make a number of its bits.
GPUARRAY_HD uint32_t to_bits(float value) { return bit_cast<uint32_t>(value); }
GPUARRAY_HD uint64_t to_bits(double value) { return bit_cast<uint64_t>(value); }
GPUARRAY_HD uint16_t to_bits(half value) { return value.bits; }
GPUARRAY_HD uint16_t to_bits(bfloat16 value) { return value.bits; }

template <class T>
GPUARRAY_HD T from_bits(unsigned_t<T> bits) {
  return bit_cast<T>(bits);
}

// Holds the masks of sign, exponent and fraction in the bits of a floating-point type, and the bits
// of infinity and of NaN.
template <Float T>
struct FloatLayout {
  using Bits = unsigned_t<T>;
  static constexpr int fraction_bits = is_same_v<T, half>       ? 10
                                       : is_same_v<T, bfloat16> ? 7
                                       : is_same_v<T, float>    ? 23
                                                                : 52;
  static constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(T) - 1));
  static constexpr Bits magnitude = Bits(sign - 1);
  static constexpr Bits fraction = Bits((Bits(1) << fraction_bits) - 1);
  static constexpr Bits infinity = magnitude & Bits(~fraction);
  static constexpr Bits nan = infinity | Bits(Bits(1) << (fraction_bits - 1));
  static constexpr int bias = int(infinity >> fraction_bits) / 2;
};

template <Float T>
GPUARRAY_HD T infinity() {
  return from_bits<T>(FloatLayout<T>::infinity);
}
template <Float T>
GPUARRAY_HD T nan() {
  return from_bits<T>(FloatLayout<T>::nan);
}

}  // namespace gpuarray
