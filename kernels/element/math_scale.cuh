// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Products with powers of two.
#pragma once

#include "kernels/element/cast.cuh"
#ifndef __CUDACC__
#include "kernels/element/host/vector.cuh"
#endif

namespace gpuarray::math {

// Returns a * 2**b with a single rounding; b is a whole number.
#ifdef __CUDACC__
GPUARRAY_HD float ldexp(float a, float b) { return ::ldexpf(a, cast<int32_t>(b)); }
GPUARRAY_HD double ldexp(double a, double b) { return ::ldexp(a, cast<int32_t>(b)); }
#else
namespace detail {

// Returns 2**n for a whole n of a normal result. The sum holds the exponent in its low bits.
template <NativeFloat T>
inline T whole_power_of_two(T n) {
  constexpr int shift = FloatLayout<T>::fraction_bits;
  return from_bits<T>(to_bits(n + (FloatLayout<T>::bias + T(unsigned_t<T>(1) << shift))) << shift);
}

}  // namespace detail

// The host multiplies the mantissa in [1, 2) by two powers, of which only the second one rounds.
template <NativeFloat T>
inline T ldexp(T a, T b) {
  using Layout = FloatLayout<T>;
  using Bits = unsigned_t<T>;
  constexpr int shift = Layout::fraction_bits;
  constexpr T whole = T(Bits(1) << shift), limit = T(Layout::bias + 100);
  const bool subnormal = absolute(a) < from_bits<T>(Bits(1) << shift);
  const Bits bits = to_bits(detail::select(subnormal, a * whole, a));
  const T field = from_bits<T>((bits & Layout::infinity) >> shift | to_bits(whole));
  const T own =
      field - detail::select(subnormal, whole + (Layout::bias + shift), whole + Layout::bias);
  const T sum = own + detail::select(b == b, T(::trunc(b)), T(0));
  const T low = detail::select(sum < -limit, -limit, sum);
  const T exponent = detail::select(low > limit, limit, low), half = T(::trunc(exponent * T(0.5)));
  const T mantissa = from_bits<T>((bits & ~Layout::infinity) | to_bits(T(1)));
  const T result =
      mantissa * detail::whole_power_of_two(half) * detail::whole_power_of_two(exponent - half);
  return detail::select((a == 0) | !isfinite(a), a, result);
}
#endif
template <Half T>
GPUARRAY_HD T ldexp(T a, T b) {
  return round_to<T>(ldexp(to_float(a), to_float(b)));
}

}  // namespace gpuarray::math
