// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of distributions of whole numbers, as doubles: NaN for parameters that a distribution does
// not have. Where a test needs the probability of a number it is C. Loader's, of 2000, whose terms
// do not cancel, so that large parameters are as good as small ones.
#pragma once

#include "kernels/random/distribution_continuous.cuh"

namespace gpuarray::random {

// Returns what Stirling's formula for log(n!) lacks.
GPUARRAY_HD_CALLED double stirling_error(double n) {
  if (n > 15) {
    const double inverse = 1 / n, square = inverse * inverse;
    return inverse * series(square, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9,
                            0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11);
  }
  double factorial = 1;
  for (double k = 2; k <= n; k += 1) factorial *= k;
  if (n == 0) return 0;
  return log(factorial) - (n + 0.5) * log(n) + n - kHalfLog2Pi;
}

// Returns x log(x / mean) + mean - x for positive numbers.
GPUARRAY_HD_CALLED double deviance(double x, double mean) {
  const double difference = x - mean, sum = x + mean;
  if (math::absolute(difference) >= 0.1 * sum) return x * log(x / mean) - difference;
  const double v = difference / sum, square = v * v;
  double total = difference * v, term = 2 * x * v;
  for (int k = 3; k < 40; k += 2) {
    term *= square;
    const double next = total + term / k;
    if (next == total) break;
    total = next;
  }
  return total;
}

// Returns the logarithm of Poisson's probability of k.
GPUARRAY_HD double log_poisson(double k, double mean) {
  if (k == 0) return -mean;
  return -stirling_error(k) - deviance(k, mean) - kHalfLog2Pi - 0.5 * log(k);
}

// Returns the logarithm of the binomial probability of k, with p and q = 1 - p within (0, 1).
GPUARRAY_HD_CALLED double log_binomial(double k, double n, double p, double q) {
  if (k == 0) return n * (p < 0.5 ? log1p(-p) : log(q));
  if (k == n) return n * (q < 0.5 ? log1p(-q) : log(p));
  const double errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
  const double spread = log(n / (k * (n - k)));
  return errors - deviance(k, n * p) - deviance(n - k, n * q) + 0.5 * spread - kHalfLog2Pi;
}

// The largest mean whose draws are integers of 64 bits, as NumPy has it.
inline constexpr double kLargestMean = 9223372006484771000.0;

// W. Hormann (1993), transformed rejection with squeeze, PTRS.
GPUARRAY_HD double large_poisson(Source& source, double mean) {
  const double b = 0.931 + 2.53 * ::sqrt(mean), a = 0.02483 * b - 0.059;
  const double log_inverse_alpha = log(1.1239 + 1.1328 / (b - 3.4));
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = source.uniform() - 0.5, v = source.positive_uniform();
    const double us = 0.5 - math::absolute(u);
    const double k = ::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log_inverse_alpha - log(a / (us * us) + b) <= log_poisson(k, mean)) return k;
  }
}

// Small means: the product of uniform numbers is below exp(-mean) after so many (D. E. Knuth 1969).
GPUARRAY_HD double poisson(Source& source, double mean) {
  if (!(mean >= 0 && mean <= kLargestMean)) return nan<double>();
  if (mean >= 10) return large_poisson(source, mean);
  const double limit = exp(-mean);
  double product = source.positive_uniform(), k = 0;
  for (; product > limit; k += 1) product *= source.positive_uniform();
  return k;
}

}  // namespace gpuarray::random
