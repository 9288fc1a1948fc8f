// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the branch-free functions of trig.cuh and arc.cuh are made of. The compiler makes
// vectors of them in loops of the host. Every operation is rounded by itself or is exact, so that
// the bits do not depend on the instruction set.
#pragma once

#include "kernels/element/math_bits.cuh"

namespace gpuarray::math::detail {

// Adding and subtracting it rounds a double below 2**51 to the nearest integer, whose low bits are
// the low bits of the sum.
inline constexpr double kRoundToInteger = 0x1.8p52;

// Returns c0 + c1 x + c2 x**2 + ..., in groups of four terms that do not wait for each other
// (G. Estrin 1960). The coefficients are rounded to T.
template <NativeFloat T>
inline T estrin(T, double c0) {
  return T(c0);
}
template <NativeFloat T>
inline T estrin(T x, double c0, double c1) {
  return T(c0) + T(c1) * x;
}
template <NativeFloat T>
inline T estrin(T x, double c0, double c1, double c2) {
  return (T(c0) + T(c1) * x) + T(c2) * (x * x);
}
template <NativeFloat T, class... Rest>
inline T estrin(T x, double c0, double c1, double c2, double c3, Rest... rest) {
  const T square = x * x, sum = (T(c0) + T(c1) * x) + (T(c2) + T(c3) * x) * square;
  if constexpr (sizeof...(Rest) == 0)
    return sum;
  else
    return sum + square * square * estrin(x, rest...);
}

// Returns a if the condition holds, else b. As bits, because compilers would make paths of several
// `?:` on the same condition, which keep them from making vectors.
template <NativeFloat T>
inline T select(bool condition, T a, T b) {
  const unsigned_t<T> mask = -unsigned_t<T>(condition);
  return from_bits<T>((to_bits(a) & mask) | (to_bits(b) & ~mask));
}

// Returns a, with its sign changed if bit 0 of `odd` is set.
template <NativeFloat T>
inline T flip_sign(T a, unsigned_t<T> odd) {
  return from_bits<T>(to_bits(a) ^ (odd << (8 * sizeof(T) - 1)));
}

// Returns the 26 leading bits of a, rounded; a minus them fits 26 bits, too.
inline double leading_bits(double a) {
  return from_bits<double>((to_bits(a) + (uint64_t(1) << 26)) & ~((uint64_t(1) << 27) - 1));
}

// Returns a * b - product exactly, where product = a * b is rounded and far from overflow and
// underflow (T. J. Dekker 1971, where there is no fused multiply-add).
inline double product_error(double a, double b, double product) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return ::fma(a, b, -product);
#else
  const double a_high = leading_bits(a), a_low = a - a_high;
  const double b_high = leading_bits(b), b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

}  // namespace gpuarray::math::detail
