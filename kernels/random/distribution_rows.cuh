// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Hypergeometric draws, and draws of whole rows: one thread makes a row, element after element.
#pragma once

#include "kernels/random/distribution_counts.cuh"

namespace gpuarray::random {

// Takes `sample` of `total` things one by one and counts those of the `good` ones.
GPUARRAY_HD double drawn_one_by_one(Source& source, double good, double total, double sample) {
  double left = good;
  for (; sample > 0 && left > 0 && left < total; sample -= 1) {
    if (source.uniform() * total < left) left -= 1;
    total -= 1;
  }
  return good - (left < total ? left : left - sample);
}

// Holds a hypergeometric distribution; its probabilities are quotients of binomial ones (Loader).
struct Urn {
  double good, bad, sample;

  GPUARRAY_HD double log_probability(double k) const {
    const double p = sample / (good + bad), q = (good + bad - sample) / (good + bad);
    return log_binomial(k, good, p, q) + log_binomial(sample - k, bad, p, q);
  }
};

// E. Stadlober (1989), the ratio of uniforms HRUA, for a sample of half of the things at most and
// no more good than bad ones.
GPUARRAY_HD double ratio_of_uniforms(Source& source, const Urn& urn) {
  const double total = urn.good + urn.bad, share = urn.good / total, sample = urn.sample;
  const double spread = (total - sample) / (total - 1) * sample * share * (1 - share);
  const double center = sample * share + 0.5, deviation = ::sqrt(spread + 0.5);
  const double width = 1.7155277699214135 * deviation + 0.8989161620588988;
  const double mode = ::floor((sample + 1) * (urn.good + 1) / (total + 2));
  const double at_mode = urn.log_probability(mode);
  const double most = (sample < urn.good ? sample : urn.good) + 1;
  const double far = ::floor(center + 16 * deviation), bound = most < far ? most : far;
  while (true) {
    const double u = source.positive_uniform(), v = source.uniform();
    const double x = center + width * (v - 0.5) / u;
    if (!(x >= 0 && x < bound)) continue;
    const double k = ::floor(x), log_ratio = urn.log_probability(k) - at_mode;
    if (u * (4 - u) - 3 <= log_ratio) return k;
    if (u * (u - log_ratio) >= 1) continue;
    if (2 * log(u) <= log_ratio) return k;
  }
}

GPUARRAY_HD double hypergeometric(Source& source, double ngood, double nbad, double nsample) {
  const double total = ngood + nbad;
  if (!(ngood >= 0 && nbad >= 0 && nsample >= 0 && nsample <= total && total <= 0x1p53))
    return nan<double>();
  const bool most = nsample > 0.5 * total, exchanged = ngood > nbad;
  const double sample = most ? total - nsample : nsample;
  if (sample < 10) {
    const double taken = drawn_one_by_one(source, ngood, total, sample);
    return most ? ngood - taken : taken;
  }
  const Urn urn{exchanged ? nbad : ngood, exchanged ? ngood : nbad, sample};
  const double rare = urn.good == 0 ? 0 : ratio_of_uniforms(source, urn);
  const double taken = exchanged ? sample - rare : rare;
  return most ? ngood - taken : taken;
}

// Divides the trials over the outcomes: each gets a binomial share of what those before it left.
// The last one gets what is left, whatever its probability. A NaN is in the way of all behind it.
GPUARRAY_HD void multinomial(Source& source, double trials, const double* probabilities,
                             int64_t length, int64_t* row) {
  double left = trials >= 0 && trials <= 0x1p63 ? trials : nan<double>(), share = 1;
  for (int64_t k = 0; k < length; ++k) {
    const double p = probabilities[k], certain = p > 0 ? 1 : p;
    const double ratio = p < share ? p / share : certain;
    const double count = k == length - 1 ? left : binomial(source, left, ratio);
    row[k] = to_integer(count);
    left -= count;
    share -= p;
  }
}

// Takes a sample of things of several colors: each color gets a hypergeometric share of it.
GPUARRAY_HD void multivariate_hypergeometric(Source& source, double nsample, const double* colors,
                                             int64_t length, int64_t* row) {
  double left = nsample, total = 0;
  for (int64_t k = 0; k < length; ++k) total += colors[k];
  for (int64_t k = 0; k < length; ++k) {
    total -= colors[k];
    const double count = hypergeometric(source, colors[k], total, left);
    row[k] = to_integer(count);
    left -= count;
  }
}

// Makes a row of shares of gamma draws, whose logarithms `logs` holds.
GPUARRAY_HD void dirichlet(Source&, double, const double* logs, int64_t length, double* row) {
  double greatest = -infinity<double>(), sum = 0;
  for (int64_t k = 0; k < length; ++k) greatest = logs[k] > greatest ? logs[k] : greatest;
  for (int64_t k = 0; k < length; ++k) {
    row[k] = logs[k] == -infinity<double>() ? 0 : logs[k] == greatest ? 1 : exp(logs[k] - greatest);
    sum += row[k];
  }
  for (int64_t k = 0; sum != 0 && k < length; ++k) row[k] /= sum;
}

}  // namespace gpuarray::random
