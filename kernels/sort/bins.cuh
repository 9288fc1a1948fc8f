// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Finds the bin that an element lies in. Host and device agree: they differ in the steps of the
// binary search alone, which have one answer as edges ascend.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/sort/histogram_params.hpp"

namespace gpuarray {

// Guesses the bin of x from an even distance between edges. The guess is off by one at most, unless
// bins are finer than T resolves.
template <class T>
struct EvenBins {
  T first;
  T scale;

  GPUARRAY_HD int64_t guess(T x, int64_t bins) const {
    const auto bin = int64_t((x - first) * scale);
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
  }
};

// Returns in which of `bins` bins x lies, by a binary search of their ascending edges. x must lie
// in one of them.
GPUARRAY_HD int64_t search_edges(double x, const double* edges, int64_t bins) {
  int64_t first = 0;
#ifdef __CUDA_ARCH__
  int64_t last = bins;
  while (last - first > 1) {
    const int64_t middle = first + (last - first) / 2;
    if (x >= edges[middle])
      first = middle;
    else
      last = middle;
  }
#else
  // This form has no branch that a CPU would predict wrongly. On GPUs it needs more registers.
  for (int64_t count = bins; count > 1;) {
    const int64_t half = count / 2;
    first = x >= edges[first + half] ? first + half : first;
    count -= half;
  }
#endif
  return first;
}

// Returns the bin of x, or -1 if it lies in none. A bin includes its lower edge, and the last bin
// its upper edge too. NaN compares greater than all numbers, also among the edges. `guess()` is
// called only if the edges are even.
template <class Guess>
GPUARRAY_HD int64_t find_bin(double x, const HistogramParams& p, const double* edges,
                             const Guess& guess) {
  if (x != x) return edges[p.bins] != edges[p.bins] ? p.bins - 1 : -1;
  if (!(x >= edges[0]) || x > edges[p.bins]) return -1;
  if (p.even) {
    int64_t bin = guess();
    while (bin > 0 && x < edges[bin]) --bin;
    while (bin < p.bins - 1 && x >= edges[bin + 1]) ++bin;
    return bin;
  }
  return search_edges(x, edges, p.bins);
}

// Finds the bins of elements of type T. `edges_there` is p.edges or a copy of them, and must
// outlive this object.
template <class T>
struct Binning {
  using Real = choose_t<is_half_v<T> || is_same_v<T, float>, float, double>;
  const HistogramParams& p;
  const double* edges;
  EvenBins<Real> even;

  GPUARRAY_HD Binning(const HistogramParams& params, const double* edges_there)
      : p(params), edges(edges_there), even{} {
    if (edges == nullptr || !p.even) return;
    even.first = Real(edges[0]);
    even.scale = Real(double(p.bins) / (edges[p.bins] - edges[0]));
  }
  GPUARRAY_HD int64_t bin(T x) const {
    if constexpr (is_integer_v<T>)
      if (edges == nullptr) return int64_t(x);
    return find_bin(cast<double>(x), p, edges, [&] { return even.guess(cast<Real>(x), p.bins); });
  }
};

}  // namespace gpuarray
