// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Conversions of half and bfloat16: to float exactly, and from float and double with a single
// rounding to nearest even.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

GPUARRAY_HD float to_float(half value) {
#ifdef __CUDA_ARCH__
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
#else
  const uint32_t magnitude = value.bits & 0x7fffu;
  const uint32_t sign = uint32_t(value.bits & 0x8000u) << 16;
  const uint32_t subnormal = to_bits(float(int32_t(magnitude)) * 0x1p-24f);
  const uint32_t normal = (magnitude << 13) + (magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u);
  return from_bits<float>(sign | (magnitude < 0x400u ? subnormal : normal));
#endif
}

GPUARRAY_HD float to_float(bfloat16 value) { return from_bits<float>(uint32_t(value.bits) << 16); }

GPUARRAY_HD half::operator float() const { return to_float(*this); }
GPUARRAY_HD bfloat16::operator float() const { return to_float(*this); }

namespace detail {

// Constants for the conversion of the bits of a wider Source to those of a Target.
template <Half Target, NativeFloat Source>
struct Narrowing {
  using To = FloatLayout<Target>;
  using From = FloatLayout<Source>;
  using Bits = typename From::Bits;
  static constexpr int shift = From::fraction_bits - To::fraction_bits;
  static constexpr int sign_shift = 8 * int(sizeof(Source)) - 16;
  static constexpr Bits rebias = Bits(From::bias - To::bias) << From::fraction_bits;
  static constexpr Bits smallest_normal = Bits(From::bias - To::bias + 1) << From::fraction_bits;
  static constexpr Bits overflow = Bits(From::bias + To::bias + 1) << From::fraction_bits;
  // The last place of this power of two is the target's smallest subnormal, so that adding it
  // rounds to that place.
  static constexpr Bits aligner = Bits(From::bias - To::bias + 1 + shift) << From::fraction_bits;
};

}  // namespace detail

// Rounds a float or double to half or bfloat16, once, to nearest even; NaN stays NaN.
template <Half Target, NativeFloat Source>
GPUARRAY_HD Target round_to(Source value) {
#ifdef __CUDA_ARCH__
  if constexpr (is_same_v<Target, half>) {
    half result;
    if constexpr (is_same_v<Source, float>)
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
    else
      asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result.bits) : "d"(value));
    return result;
  }
// GPUs of 8.0 have this instruction too, but their kernels are compiled from the text of 7.5.
#if __CUDA_ARCH__ >= 900
  if constexpr (is_same_v<Target, bfloat16> && is_same_v<Source, float>) {
    bfloat16 result;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
    return result;
  }
#endif
#endif
  using N = detail::Narrowing<Target, Source>;
  using Bits = typename N::Bits;
  const Bits bits = to_bits(value);
  const Bits magnitude = bits & N::From::magnitude;
  const Bits odd = (magnitude >> N::shift) & 1;
  const Bits rounded = magnitude + ((Bits(1) << (N::shift - 1)) - 1) + odd;
  uint16_t result = uint16_t((rounded - N::rebias) >> N::shift);
  result = magnitude >= N::overflow ? N::To::infinity : result;
  if constexpr (N::rebias != 0) {
    const Source aligned = from_bits<Source>(magnitude) + from_bits<Source>(N::aligner);
    result = magnitude < N::smallest_normal ? uint16_t(to_bits(aligned) - N::aligner) : result;
  }
  const uint16_t nan = uint16_t(magnitude >> N::shift) | N::To::nan;
  result = magnitude > N::From::infinity ? uint16_t(nan & N::To::magnitude) : result;
  const uint16_t sign = uint16_t(bits >> N::sign_shift) & N::To::sign;
  return from_bits<Target>(uint16_t(sign | result));
}

}  // namespace gpuarray

// Define a function of 16-bit floats by that of float, in namespace math.
#define GPUARRAY_HALF_UNARY(name)          \
  template <Half T>                        \
  GPUARRAY_HD T name(T a) {                \
    return round_to<T>(name(to_float(a))); \
  }
#define GPUARRAY_HALF_BINARY(name)                      \
  template <Half T>                                     \
  GPUARRAY_HD T name(T a, T b) {                        \
    return round_to<T>(name(to_float(a), to_float(b))); \
  }
