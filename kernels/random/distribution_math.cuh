// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functions that draws are decided and made by, in operations that every device rounds alike:
// the host's compiler and CUDA's read this text, both without contraction. The series are those of
// kernels/element/host/, which gives the host its own exponentials and logarithms.
#pragma once

#include "kernels/element/math_bits.cuh"

// GPUARRAY_HD_CALLED marks a function that devices call, because it would make kernels that
// contain it several times slow to compile.
#ifdef __CUDACC__
#define GPUARRAY_HD_CALLED __host__ __device__ __noinline__ inline
#else
#define GPUARRAY_HD_CALLED inline
#endif

namespace gpuarray::random {

inline constexpr double kPi = 0x1.921fb54442d18p+1;
inline constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;  // log(2 pi) / 2

// Returns c0 + c1 x + c2 x**2 + ...
GPUARRAY_HD double series(double, double c0) { return c0; }
template <class... Rest>
GPUARRAY_HD double series(double x, double c0, Rest... rest) {
  return c0 + x * series(x, rest...);
}

// Holds n and r of x = n ln 2 + r + lost, where n is whole and r at most half of ln 2, and
// exp(r) - 1 - r.
struct ReducedExp {
  double n, r, lost, rest;
};

GPUARRAY_HD ReducedExp reduce_exp(double x) {
  const double n = ::rint(x * 0x1.71547652b82fep0);
  const double high = x - n * 0x1.62e42feep-1, low = n * 0x1.a39ef35793c76p-33;
  const double r = high - low, lost = (high - r) - low;
  const double rest = r * r *
                      series(r, 0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d37p-5,
                             0x1.11111111109a6p-7, 0x1.6c16c1789d1d7p-10, 0x1.a01a01a7cebcdp-13,
                             0x1.a019b8ca26fcfp-16, 0x1.71de0d85293b8p-19, 0x1.2891d4ffbb0f9p-22,
                             0x1.af390ba7e6f47p-26);
  return {n, r, lost, rest + lost};
}

// Returns 2**n for a whole n of a normal result.
GPUARRAY_HD double power_of_two(double n) {
  return from_bits<double>(uint64_t(int64_t(n) + 1023) << 52);
}

GPUARRAY_HD double exp(double x) {
  if (!(x < 710)) return x + infinity<double>();
  if (x < -746) return 0;
  const ReducedExp e = reduce_exp(x);
  const double value = 1 + (e.r + e.rest);
  // Results near the ends of the range are rounded once, from a number of full precision.
  const double shift = e.n < -1000 ? 200 : e.n > 1000 ? -1 : 0;
  return value * power_of_two(e.n + shift) * power_of_two(-shift);
}

// Returns exp(x) - 1 for x <= 0, and for x below 700.
GPUARRAY_HD double expm1(double x) {
  if (!(x > -40)) return x == x ? -1 : x;
  const ReducedExp e = reduce_exp(x);
  const double scale = power_of_two(e.n);
  return (scale - 1) + (scale * e.r + scale * e.rest);
}

// Holds k and f of x = 2**k * (1 + f), where 1 + f is at least the root of 1/2 and below that of 2.
struct ReducedLog {
  double k, f;
};

GPUARRAY_HD ReducedLog reduce_log(double x) {
  const bool subnormal = x < 0x1p-1022;
  const uint64_t root = 0x3fe6a09e667f3bcd;  // the bits of the root of 1/2
  const uint64_t bits = to_bits(subnormal ? x * 0x1p52 : x) + (0x3ff0000000000000 - root);
  const double k = double(int64_t(bits >> 52) - 1023 - (subnormal ? 52 : 0));
  return {k, from_bits<double>((bits & 0x000fffffffffffff) + root) - 1};
}

// Returns log(1 + f) + k ln 2 + error, as fdlibm does (Sun Microsystems 1993).
GPUARRAY_HD double log_of_reduced(double k, double f, double error) {
  const double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
  const double rest = z * series(z, 0x1.5555555555558p-1, 0x1.9999999995273p-2,
                                 0x1.2492492dfd86cp-2, 0x1.c71c62d5e53e0p-3, 0x1.7462b91b8df65p-3,
                                 0x1.39fdcceb4bb45p-3, 0x1.2b5f68a50d903p-3);
  const double low = s * (half_square + rest) + (k * 0x1.a39ef35793c76p-33 + error);
  return k * 0x1.62e42feep-1 - ((half_square - low) - f);
}

GPUARRAY_HD double log(double x) {
  if (!(x > 0 && x < infinity<double>())) {
    if (x == 0) return -infinity<double>();
    return x > 0 ? x : nan<double>();
  }
  const ReducedLog a = reduce_log(x);
  return log_of_reduced(a.k, a.f, 0);
}

// Takes the logarithm of the rounded sum 1 + x and adds what the rounding lost, divided by the sum.
GPUARRAY_HD double log1p(double x) {
  const double sum = 1 + x;
  if (!(sum > 0 && sum < infinity<double>())) return log(sum);
  const double shown = sum - 1, lost = (1 - (sum - shown)) + (x - shown);
  const ReducedLog a = reduce_log(sum);
  return a.k == 0 ? log_of_reduced(0, x, 0) : log_of_reduced(a.k, a.f, lost / sum);
}

// Return sin(x) and cos(x) for |x| <= pi/4.
GPUARRAY_HD double short_sine(double x) {
  const double s = x * x;
  return x + x * s *
                 series(s, -0x1.5555555555548p-3, 0x1.111111110f7d1p-7, -0x1.a01a019bfe035p-13,
                        0x1.71de3567e4147p-19, -0x1.ae5e5a9deb0c6p-26, 0x1.5d8fd50b2224ep-33);
}
GPUARRAY_HD double short_cosine(double x) {
  const double s = x * x;
  return 1 - (0.5 * s - s * s *
                            series(s, 0x1.555555555554bp-5, -0x1.6c16c16c14f92p-10,
                                   0x1.a01a019c845cep-16, -0x1.27e4f7eaccfbdp-22,
                                   0x1.1ee9d7b9a3c36p-29, -0x1.8fa49c1d2a2e8p-37));
}

// Returns cos(pi x) for 0 <= x <= 2.
GPUARRAY_HD double cos_pi(double x) {
  const double quadrant = ::rint(2 * x), r = kPi * (x - 0.5 * quadrant);
  const int turns = int(quadrant);
  const double size = (turns & 1) == 0 ? short_cosine(r) : short_sine(r);
  return turns == 1 || turns == 2 ? -size : size;
}

// Returns arccos(x) for |x| <= 1.
GPUARRAY_HD double arccos(double x) {
  const double size = math::absolute(x);
  const bool large = size > 0.5;
  const double s = large ? 0.5 * (1 - size) : size * size, z = large ? ::sqrt(s) : size;
  const double arcsin =
      z + z * (s * series(s, 0x1.5555555555390p-3, 0x1.333333336e7c2p-4, 0x1.6db6db427ce7fp-5,
                          0x1.f1c72c38420d7p-6, 0x1.6e89f44f7f9cbp-6, 0x1.1c6be0d3f0caap-6,
                          0x1.c6fdd0a64e282p-7, 0x1.8ec2a0c2222f6p-7, 0x1.abd24aee649aep-8,
                          0x1.3ff2c150f631ep-6, -0x1.09d04a844ddf7p-6, 0x1.056c7a74299fep-5));
  if (large) return x < 0 ? kPi - 2 * arcsin : 2 * arcsin;
  return x < 0 ? 0.5 * kPi + arcsin : 0.5 * kPi - arcsin;
}

}  // namespace gpuarray::random
