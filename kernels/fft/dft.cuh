// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Fourier transforms of a few numbers in registers.
#pragma once

#include "kernels/element/math_complex.cuh"

namespace gpuarray::fft {

// Calls body.operator()<k>() for all k from `begin` to `end`.
template <int begin, int end, class Body>
__device__ void unrolled(const Body& body) {
  if constexpr (begin < end) {
    body.template operator()<begin>();
    unrolled<begin + 1, end>(body);
  }
}

// Returns a * b without C's rules for infinities, which transforms do not follow.
template <class R>
__device__ complex<R> times(complex<R> a, complex<R> b) {
  return {math::detail::fma(a.re, b.re, -(a.im * b.im)),
          math::detail::fma(a.re, b.im, a.im * b.re)};
}

// Returns (-1)^k / n!, a coefficient of Taylor's series of sines and cosines.
GPUARRAY_HD constexpr double taylor(int n) {
  double product = n / 2 % 2 == 0 ? 1 : -1;
  for (int k = 2; k <= n; ++k) product /= k;
  return product;
}

// Adds the terms of the series, of which the first is of degree n, by Horner's scheme.
template <int n>
GPUARRAY_HD constexpr double taylor_sum(double square) {
  constexpr double factor = taylor(n);
  if constexpr (n > 16)
    return factor;
  else
    return factor + square * taylor_sum<n + 2>(square);
}

// Returns exp(-2 pi i turns) for turns from 0 on, to the last places.
GPUARRAY_HD constexpr complex<double> unit_root(double turns) {
  const int64_t quarter = int64_t(4 * turns + 0.5);
  const double angle = 6.283185307179586476925 * (turns - 0.25 * double(quarter));
  const double square = angle * angle;
  const double sine = angle * taylor_sum<1>(square), cosine = taylor_sum<0>(square);
  const bool odd = quarter & 1, turned = quarter & 2;
  const double re = odd ? -sine : cosine, im = odd ? -cosine : -sine;
  return {turned ? -re : re, turned ? -im : im};
}

// Returns a * exp(-2 pi i k / n).
template <int k, int n, class R>
__device__ complex<R> turned(complex<R> a) {
  constexpr int part = k % n;
  if constexpr (part == 0) {
    return a;
  } else if constexpr (4 * part == n) {
    return {a.im, -a.re};
  } else if constexpr (2 * part == n) {
    return {-a.re, -a.im};
  } else {
    constexpr complex<double> root = unit_root(double(part) / n);
    return times(a, complex<R>(R(root.re), R(root.im)));
  }
}

// Returns a factor of n > 1 by which transforms are split: 4, or the least prime.
GPUARRAY_HD constexpr int split_of(int n) {
  if (n % 4 == 0) return 4;
  for (int k = 2; k < n; ++k)
    if (n % k == 0) return k;
  return n;
}

// Transforms an odd prime number of points.
template <int n, class R>
__device__ void dft_of_prime(complex<R> (&x)[n]) {
  constexpr int half = n / 2;
  complex<R> sums[half + 1], gaps[half + 1], total = x[0];
  unrolled<1, half + 1>([&]<int j>() {
    sums[j] = math::add(x[j], x[n - j]);
    gaps[j] = math::subtract(x[j], x[n - j]);
    total = math::add(total, sums[j]);
  });
  unrolled<1, half + 1>([&]<int k>() {
    complex<R> even = x[0], odd(0);
    unrolled<1, half + 1>([&]<int j>() {
      constexpr complex<double> root = unit_root(double(j * k % n) / n);
      constexpr R cosine = R(root.re), sine = R(-root.im);
      even = {math::detail::fma(sums[j].re, cosine, even.re),
              math::detail::fma(sums[j].im, cosine, even.im)};
      odd = {math::detail::fma(gaps[j].re, sine, odd.re),
             math::detail::fma(gaps[j].im, sine, odd.im)};
    });
    // The sources are all in sums and gaps, so that results may take their places.
    x[k] = {even.re + odd.im, even.im - odd.re};
    x[n - k] = {even.re - odd.im, even.im + odd.re};
  });
  x[0] = total;
}

// Transforms n points in place: x'[k] = sum of x[j] exp(-2 pi i j k / n). n has the factors 2, 3, 5
// and 7. Cooley and Tukey.
template <int n, class R>
__device__ void dft(complex<R> (&x)[n]) {
  constexpr int a = n == 1 ? 1 : split_of(n), b = n / a;
  if constexpr (n == 1) {
  } else if constexpr (n == 2) {
    const complex<R> first = x[0];
    x[0] = math::add(first, x[1]);
    x[1] = math::subtract(first, x[1]);
  } else if constexpr (n == 4) {
    const complex<R> even = math::add(x[0], x[2]), odd = math::add(x[1], x[3]);
    const complex<R> gap = math::subtract(x[0], x[2]),
                     side = turned<1, 4>(math::subtract(x[1], x[3]));
    x[0] = math::add(even, odd);
    x[1] = math::add(gap, side);
    x[2] = math::subtract(even, odd);
    x[3] = math::subtract(gap, side);
  } else if constexpr (b == 1) {
    dft_of_prime<n>(x);
  } else {
    complex<R> between[n];
    unrolled<0, b>([&]<int j>() {
      complex<R> part[a];
      unrolled<0, a>([&]<int i>() { part[i] = x[b * i + j]; });
      dft<a>(part);
      unrolled<0, a>([&]<int k>() { between[k * b + j] = turned<j * k, n>(part[k]); });
    });
    unrolled<0, a>([&]<int k>() {
      complex<R> part[b];
      unrolled<0, b>([&]<int j>() { part[j] = between[k * b + j]; });
      dft<b>(part);
      unrolled<0, b>([&]<int i>() { x[k + a * i] = part[i]; });
    });
  }
}

// Multiplies x[k] by root(first + k * step). Few roots are computed, which are exact to the last
// place; the others are products of up to four of them.
template <int n, class R, class Root>
__device__ void multiply_by_roots(complex<R> (&x)[n], const Root& root, int64_t step,
                                  int64_t first = 0) {
  constexpr int few = n < 8 ? n : 8;
  const complex<R> base = root(step), square = root(2 * step), fourth = root(4 * step);
  unrolled<0, (n + few - 1) / few>([&]<int i>() {
    complex<R> powers[few];
    unrolled<0, few>([&]<int k>() {
      constexpr int place = i * few + k, high = k >= 4 ? 4 : k >= 2 ? 2 : 1;
      if constexpr (k == 0)
        powers[k] = root(first + place * step);
      else
        powers[k] = times(powers[k - high], high == 4 ? fourth : high == 2 ? square : base);
      if constexpr (place < n) x[place] = times(x[place], powers[k]);
    });
  });
}

}  // namespace gpuarray::fft
