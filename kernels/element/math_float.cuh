// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// NumPy's functions of real floating-point numbers that libm lacks.
#pragma once

#include "kernels/element/math_arithmetic.cuh"
#include "kernels/element/math_bits.cuh"
#include "kernels/element/math_compare.cuh"
#include "kernels/element/math_libm.cuh"

namespace gpuarray::math {

// Returns -1, 0 or 1; positive zero for either zero, and NaN for NaN.
template <NativeFloat T>
GPUARRAY_HD T sign(T a) {
  return isnan(a) ? a : T((a > 0) - (a < 0));
}

namespace detail {

// Moves the remainder of fmod, where b is not 0, to the sign of the divisor, which a zero remainder
// takes too.
template <NativeFloat T>
GPUARRAY_HD T floor_remainder(T rest, T b) {
  const T moved = (b < 0) != (rest < 0) ? rest + b : rest;
  return rest == 0 ? copysign(T(0), b) : moved;
}

// Computes the quotient, where b is not 0, from the exact remainder of fmod, so that
// a == b * floor_divide(a, b) + remainder(a, b) nearly holds.
template <NativeFloat T>
GPUARRAY_HD T floor_quotient(T rest, T a, T b) {
  const T exact = (a - rest) / b;
  const T quotient = (rest != 0) & ((b < 0) != (rest < 0)) ? exact - 1 : exact;
  const T below = floor(quotient), nearest = quotient - below > T(0.5) ? below + 1 : below;
  return quotient == 0 ? copysign(T(0), signbit(a) != signbit(b) ? T(-1) : T(1)) : nearest;
}

}  // namespace detail

template <NativeFloat T>
GPUARRAY_HD T remainder(T a, T b) {
  const T rest = fmod(a, b);
  return b == 0 ? rest : detail::floor_remainder(rest, b);
}
template <NativeFloat T>
GPUARRAY_HD T floor_divide(T a, T b) {
  return b == 0 ? a / b : detail::floor_quotient(fmod(a, b), a, b);
}

#ifndef __CUDACC__
namespace direct {

template <NativeFloat T>
inline T remainder(T a, T b) {
  return detail::floor_remainder(fmod(a, b), b);
}
template <NativeFloat T>
inline T floor_divide(T a, T b) {
  return detail::floor_quotient(fmod(a, b), a, b);
}

}  // namespace direct
#endif

// The gap between equal infinities is NaN, though their result is not.
template <NativeFloat T>
GPUARRAY_HD T logaddexp(T a, T b) {
  const T gap = a - b, larger = gap > 0 ? a : b;
  const T sum = larger + log1p(exp(-absolute(gap))), result = isnan(gap) ? gap : sum;
  return a == b ? a + T(0.693147180559945309417232121458176568) : result;
}
template <NativeFloat T>
GPUARRAY_HD T logaddexp2(T a, T b) {
  const T gap = a - b, larger = gap > 0 ? a : b;
  const T more = T(1.442695040888963407359924681001892137) * log1p(exp2(-absolute(gap)));
  const T result = isnan(gap) ? gap : larger + more;
  return a == b ? a + 1 : result;
}

template <NativeFloat T>
GPUARRAY_HD T heaviside(T a, T b) {
  return isnan(a) ? a : a == 0 ? b : a < 0 ? T(0) : T(1);
}
template <NativeFloat T>
GPUARRAY_HD T degrees(T a) {
  return a * (T(180) / T(3.14159265358979323846264338327950288));
}
template <NativeFloat T>
GPUARRAY_HD T radians(T a) {
  return a * (T(3.14159265358979323846264338327950288) / T(180));
}

GPUARRAY_HALF_UNARY(sign)
GPUARRAY_HALF_UNARY(degrees)
GPUARRAY_HALF_UNARY(radians)
GPUARRAY_HALF_BINARY(remainder)
GPUARRAY_HALF_BINARY(floor_divide)
GPUARRAY_HALF_BINARY(logaddexp)
GPUARRAY_HALF_BINARY(logaddexp2)
GPUARRAY_HALF_BINARY(heaviside)

// A real number is its own conjugate.
template <Float T>
GPUARRAY_HD T conjugate(T a) {
  return a;
}

}  // namespace gpuarray::math
