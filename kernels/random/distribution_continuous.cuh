// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Draws of real distributions. Each returns NaN for parameters that its distribution does not have.
#pragma once

#include "kernels/random/distribution_source.cuh"

namespace gpuarray::random {

// Returns a gamma draw of a shape of 1 or more: G. Marsaglia and W. W. Tsang (2000).
GPUARRAY_HD double gamma_from_one(Source& source, double shape) {
  const double d = shape - 0x1.5555555555555p-2, c = 1 / ::sqrt(9 * d);
  while (true) {
    const double x = source.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root, u = source.positive_uniform(), square = x * x;
    if (u < 1 - 0.0331 * square * square) return d * v;
    if (log(u) < 0.5 * square + d * (1 - v + log(v))) return d * v;
  }
}

// Smaller shapes are those greater by one times a power of a uniform number (Marsaglia and Tsang).
GPUARRAY_HD double standard_gamma(Source& source, double shape) {
  if (!(shape > 0)) return shape == 0 ? 0 : nan<double>();
  const bool small = shape < 1;
  const double drawn = gamma_from_one(source, small ? shape + 1 : shape);
  return small ? drawn * exp(-source.exponential() / shape) : drawn;
}

// Returns the logarithm of a gamma draw, which is finite where the draw itself underflows.
GPUARRAY_HD double log_gamma(Source& source, double shape) {
  if (!(shape > 0)) return shape == 0 ? -infinity<double>() : nan<double>();
  const bool small = shape < 1;
  const double drawn = log(gamma_from_one(source, small ? shape + 1 : shape));
  return small ? drawn - source.exponential() / shape : drawn;
}

GPUARRAY_HD double gamma(Source& source, double shape, double scale) {
  return scale >= 0 ? scale * standard_gamma(source, shape) : nan<double>();
}

// Returns the share that the first of two gamma draws has of their sum.
GPUARRAY_HD double beta(Source& source, double a, double b) {
  if (!(a > 0 && b > 0)) return nan<double>();
  const double x = log_gamma(source, a), y = log_gamma(source, b);
  if (x == y) return x > -infinity<double>() ? 0.5 : double(source.uniform() * (a + b) < a);
  return y - x < 700 ? 1 / (1 + exp(y - x)) : exp(x - y);
}

GPUARRAY_HD double chisquare(Source& source, double df) {
  return df > 0 ? 2 * standard_gamma(source, 0.5 * df) : nan<double>();
}

GPUARRAY_HD double f(Source& source, double dfnum, double dfden) {
  const double numerator = chisquare(source, dfnum) * dfden;
  return numerator / (chisquare(source, dfden) * dfnum);
}

GPUARRAY_HD double standard_t(Source& source, double df) {
  if (!(df > 0)) return nan<double>();
  const double normal = source.normal();
  return normal * ::sqrt(0.5 * df / standard_gamma(source, 0.5 * df));
}

// J. R. Michael, W. R. Schucany and R. W. Haas (1976). The smaller root is written without the
// difference of numbers that nearly agree.
GPUARRAY_HD double wald(Source& source, double mean, double scale) {
  if (!(mean > 0 && scale > 0)) return nan<double>();
  const double normal = source.normal(), w = 0.5 * normal * normal * (mean / scale);
  const double ratio = 1 + w + ::sqrt(w * (w + 2));
  return source.uniform() * (1 + 1 / ratio) <= 1 ? mean / ratio : mean * ratio;
}

// Returns the angle within [-pi, pi] that differs from x by turns.
GPUARRAY_HD double wrapped(double x) {
  const double rest = x - 2 * kPi * ::rint(x / (2 * kPi));
  return rest < -kPi ? -kPi : rest > kPi ? kPi : rest;
}

// Returns the cosine of a draw around 0: D. J. Best and N. I. Fisher (1979).
GPUARRAY_HD double vonmises_cosine(Source& source, double kappa) {
  const double r = 1 + ::sqrt(1 + 4 * kappa * kappa), rho = (r - ::sqrt(2 * r)) / (2 * kappa);
  const double s = kappa < 1e-5 ? 1 / kappa + kappa : (1 + rho * rho) / (2 * rho);
  while (true) {
    const double z = cos_pi(source.uniform()), w = (1 + s * z) / (s + z), y = kappa * (s - w);
    const double v = source.positive_uniform();
    if (y * (2 - y) - v >= 0 || log(y / v) + 1 - y >= 0) return w < -1 ? -1 : w > 1 ? 1 : w;
  }
}

// Small kappas give angles that are uniform but for rounding, large ones normal angles.
GPUARRAY_HD double vonmises(Source& source, double mu, double kappa) {
  if (!(kappa >= 0 && math::isfinite(mu))) return nan<double>();
  if (kappa < 1e-8) return kPi * (2 * source.uniform() - 1);
  if (kappa > 1e6) return wrapped(mu + source.normal() / ::sqrt(kappa));
  const double angle = arccos(vonmises_cosine(source, kappa));
  return wrapped(source.uniform() < 0.5 ? mu - angle : mu + angle);
}

}  // namespace gpuarray::random
