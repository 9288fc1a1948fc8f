// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Arithmetic on real floating-point numbers, and those of NumPy's functions that libm lacks.
#pragma once

#include "kernels/element/math_bits.cuh"
#include "kernels/element/math_compare.cuh"
#include "kernels/element/math_libm.cuh"

namespace gpuarray::math {

template <NativeFloat T>
GPUARRAY_HD T add(T a, T b) {
  return a + b;
}
template <NativeFloat T>
GPUARRAY_HD T subtract(T a, T b) {
  return a - b;
}
template <NativeFloat T>
GPUARRAY_HD T multiply(T a, T b) {
  return a * b;
}
template <NativeFloat T>
GPUARRAY_HD T divide(T a, T b) {
  return a / b;
}
template <NativeFloat T>
GPUARRAY_HD T reciprocal(T a) {
  return T(1) / a;
}

// Returns -1, 0 or 1; positive zero for either zero, and NaN for NaN.
template <NativeFloat T>
GPUARRAY_HD T sign(T a) {
  return isnan(a) ? a : T((a > 0) - (a < 0));
}

// Returns the remainder of fmod, moved to the sign of the divisor, which a zero remainder takes
// too.
template <NativeFloat T>
GPUARRAY_HD T remainder(T a, T b) {
  const T rest = fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return copysign(T(0), b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}

// Computes the quotient from the exact remainder, so that a == b * floor_divide(a, b) +
// remainder(a, b) nearly holds.
template <NativeFloat T>
GPUARRAY_HD T floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return copysign(T(0), a / b);
  const T below = floor(quotient);
  return quotient - below > T(0.5) ? below + 1 : below;
}

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

GPUARRAY_HALF_UNARY(reciprocal)
GPUARRAY_HALF_UNARY(sign)
GPUARRAY_HALF_UNARY(degrees)
GPUARRAY_HALF_UNARY(radians)
GPUARRAY_HALF_BINARY(add)
GPUARRAY_HALF_BINARY(subtract)
GPUARRAY_HALF_BINARY(multiply)
GPUARRAY_HALF_BINARY(divide)
GPUARRAY_HALF_BINARY(remainder)
GPUARRAY_HALF_BINARY(floor_divide)
GPUARRAY_HALF_BINARY(logaddexp)
GPUARRAY_HALF_BINARY(logaddexp2)
GPUARRAY_HALF_BINARY(heaviside)

#undef GPUARRAY_HALF_UNARY
#undef GPUARRAY_HALF_BINARY

// A real number is its own conjugate.
template <class T>
  requires(!is_complex_v<T>)
GPUARRAY_HD T conjugate(T a) {
  return a;
}

}  // namespace gpuarray::math
