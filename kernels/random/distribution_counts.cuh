// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of counts that are made of other draws, or of trials; see distribution_whole.cuh.
#pragma once

#include "kernels/random/distribution_whole.cuh"

namespace gpuarray::random {

// Searches from 0 on for the number whose cumulative probability exceeds a uniform number; for
// small means n p with p <= 1/2. Beyond `bound` only the rounding of the sum can lead.
GPUARRAY_HD double small_binomial(Source& source, double n, double p) {
  const double q = 1 - p, none = exp(n * log1p(-p)), mean = n * p;
  const double far = ::floor(mean + 10 * ::sqrt(mean * q + 1)), bound = n < far ? n : far;
  double probability = none, u = source.uniform(), k = 0;
  while (u > probability) {
    u -= probability;
    k += 1;
    probability *= (n - k + 1) * p / (k * q);
    if (k > bound) {
      k = 0;
      probability = none;
      u = source.uniform();
    }
  }
  return k;
}

// W. Hormann (1993), transformed rejection with squeeze, BTRS; for n p >= 10 and p <= 1/2.
GPUARRAY_HD double large_binomial(Source& source, double n, double p) {
  const double q = 1 - p, deviation = ::sqrt(n * p * q), b = 1.15 + 2.53 * deviation;
  const double a = 0.0248 * b + 0.01 * p - 0.0873, alpha = (2.83 + 5.1 / b) * deviation;
  const double squeeze = 0.92 - 4.2 / b, mode = ::floor((n + 1) * p);
  const double at_mode = log_binomial(mode, n, p, q);
  while (true) {
    const double u = source.uniform() - 0.5, v = source.positive_uniform();
    const double us = 0.5 - math::absolute(u);
    const double k = ::floor((2 * a / us + b) * u + n * p + 0.5);
    if (us >= 0.07 && v <= squeeze) return k;
    if (!(k >= 0 && k <= n)) continue;
    if (log(v * alpha / (a / (us * us) + b)) <= log_binomial(k, n, p, q) - at_mode) return k;
  }
}

GPUARRAY_HD double binomial(Source& source, double n, double p) {
  if (!(n >= 0 && n <= 0x1p63 && p >= 0 && p <= 1)) return nan<double>();
  const double rare = p <= 0.5 ? p : 1 - p;
  if (n == 0 || rare == 0) return p <= 0.5 ? 0 : n;
  const double k =
      n * rare < 10 ? small_binomial(source, n, rare) : large_binomial(source, n, rare);
  return p <= 0.5 ? k : n - k;
}

// A Poisson number whose mean is a gamma draw.
GPUARRAY_HD double negative_binomial(Source& source, double n, double p) {
  if (!(n > 0 && p > 0 && p <= 1)) return nan<double>();
  const double mean = standard_gamma(source, n) * ((1 - p) / p);
  return poisson(source, mean < kLargestMean ? mean : kLargestMean);
}

// An exponential number in units of -log(1 - p), rounded up.
GPUARRAY_HD double geometric(Source& source, double p) {
  if (!(p > 0 && p <= 1)) return nan<double>();
  const double trials = ::ceil(source.exponential() / -log1p(-p));
  return trials > 1 ? trials : 1;
}

// L. Devroye (1986), rejection from a Pareto distribution cut off at 2**63.
GPUARRAY_HD double zipf(Source& source, double a) {
  if (!(a > 1)) return nan<double>();
  if (a >= 1025) return 1;
  const double power = a - 1, least = exp(power * -0x1.5d589f2fe5107p+5);  // 63 log(2)
  const double scale = expm1(-power * 0x1.62e42fefa39efp-1);               // 2**-power - 1
  while (true) {
    const double share = source.positive_uniform(), u = share + (1 - share) * least;
    const double v = source.uniform(), k = ::floor(exp(-log(u) / power));
    if (!(k >= 1 && k < 0x1p63)) continue;
    // With t = (1 + 1/k)**power it is v k (t - 1) / (b - 1) <= t / b, where b is 2**power.
    const double lost = expm1(-power * log1p(1 / k));  // 1 / t - 1
    if (v * k * lost >= scale) return k;
  }
}

// A. W. Kemp (1981), algorithm LK.
GPUARRAY_HD double logseries(Source& source, double p) {
  if (!(p >= 0 && p < 1)) return nan<double>();
  const double v = source.positive_uniform();
  if (v >= p) return 1;
  const double q = -expm1(log1p(-p) * source.positive_uniform());
  if (v <= q * q) return ::floor(1 + log(v) / log(q));
  return v >= q ? 1 : 2;
}

// A chi-square number of one degree less and the square of a normal one beside it, or with a random
// number of degrees where there is less than one.
GPUARRAY_HD double noncentral_chisquare(Source& source, double df, double nonc) {
  if (!(df > 0 && nonc >= 0)) return nan<double>();
  double root = 0, degrees = df - 1;
  if (df > 1)
    root = source.normal() + ::sqrt(nonc);
  else
    degrees = df + 2 * poisson(source, 0.5 * nonc);
  return chisquare(source, degrees) + root * root;
}

GPUARRAY_HD double noncentral_f(Source& source, double dfnum, double dfden, double nonc) {
  const double numerator = noncentral_chisquare(source, dfnum, nonc) * dfden;
  return numerator / (chisquare(source, dfden) * dfnum);
}

}  // namespace gpuarray::random
