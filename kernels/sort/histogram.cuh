// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/grid.cuh"
#include "kernels/sort/histogram_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Where an even distance between edges puts x; off by one at most, but for bins finer than T.
template <class T>
struct EvenBins {
  T first;
  T scale;

  __device__ int64_t guess(T x, int64_t bins) const {
    const auto bin = int64_t((x - first) * scale);
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
  }
};

// The bin of x, -1 for none: bins hold their lower edge, the last one both. NaN comes after all
// numbers, among edges too.
template <class Guess>
__device__ int64_t find_bin(double x, const HistogramParams& p, const double* edges,
                            const Guess& guess) {
  if (x != x) return edges[p.bins] != edges[p.bins] ? p.bins - 1 : -1;
  if (!(x >= edges[0]) || x > edges[p.bins]) return -1;
  if (p.even) {
    int64_t bin = guess();
    while (bin > 0 && x < edges[bin]) --bin;
    while (bin < p.bins - 1 && x >= edges[bin + 1]) ++bin;
    return bin;
  }
  int64_t first = 0, last = p.bins;  // edges[first] <= x, and x < edges[last] or it is the end
  while (last - first > 1) {
    const int64_t middle = first + (last - first) / 2;
    if (x >= edges[middle])
      first = middle;
    else
      last = middle;
  }
  return first;
}

template <class T>
struct Binning {
  using Real = choose_t<is_half_v<T> || is_same_v<T, float>, float, double>;
  const HistogramParams& p;
  const double* edges;
  EvenBins<Real> even;

  __device__ Binning(const HistogramParams& params, const double* edges_there)
      : p(params), edges(edges_there), even{} {
    if (edges == nullptr || !p.even) return;
    even.first = Real(edges[0]);
    even.scale = Real(double(p.bins) / (edges[p.bins] - edges[0]));
  }
  __device__ int64_t bin(T x) const {
    if constexpr (is_integer_v<T>)
      if (edges == nullptr) return int64_t(x);
    return find_bin(cast<double>(x), p, edges, [&] { return even.guess(cast<Real>(x), p.bins); });
  }
};

// Calls add(bin, element's index) for all elements in bins.
template <class T, class Add>
__device__ void visit_bins(const HistogramParams& p, const Binning<T>& binning, Add add) {
  const auto* source = static_cast<const T*>(p.source);
  constexpr int64_t tile = kHistogramBlock * kHistogramItems;
  for (int64_t first = blockIdx.x * tile + threadIdx.x; first < p.count;
       first += gridDim.x * tile) {
    T items[kHistogramItems];
#pragma unroll
    for (int j = 0; j < kHistogramItems; ++j) {
      const int64_t at = first + j * kHistogramBlock;
      if (at < p.count) items[j] = source[at];
    }
#pragma unroll
    for (int j = 0; j < kHistogramItems; ++j) {
      const int64_t at = first + j * kHistogramBlock;
      if (at >= p.count) continue;
      const int64_t bin = binning.bin(items[j]);
      if (bin >= 0 && bin < p.bins) add(bin, at);
    }
  }
}

__device__ inline void add_to(double* target, double value) { atomicAdd(target, value); }
__device__ inline void add_to(uint32_t* target, uint32_t value) { atomicAdd(target, value); }
__device__ inline void add_to(uint64_t* target, uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(target), (unsigned long long)value);
}

// Cells are what a block adds up in, Total what they are added to; value(k) is that of element k.
template <class Cell, class Total, class T, class Value>
__device__ void add_up(const HistogramParams& p, const Binning<T>& binning, Cell* cells,
                       Value value) {
  auto* target = static_cast<Total*>(p.target);
  if (p.copies == 0)
    return visit_bins(p, binning,
                      [&](int64_t bin, int64_t at) { add_to(target + bin, Total(value(at))); });
  const int count = int(p.bins) * p.copies;
  for (int k = threadIdx.x; k < count; k += kHistogramBlock) cells[k] = 0;
  __syncthreads();
  const int copy = threadIdx.x % p.copies;
  visit_bins(p, binning, [&](int64_t bin, int64_t at) {
    add_to(cells + int(bin) * p.copies + copy, Cell(value(at)));
  });
  __syncthreads();
  for (int bin = threadIdx.x; bin < p.bins; bin += kHistogramBlock) {
    Total sum = 0;
    for (int k = 0; k < p.copies; ++k) sum += cells[bin * p.copies + k];
    if (sum != 0) add_to(target + bin, sum);
  }
}

template <class T>
__device__ void histogram_kernel(const HistogramParams& p) {
  __shared__ double cells[kHistogramCells];
  __shared__ double edges[kHistogramEdges];
  wait_for_previous_grid();
  const bool keeps_edges = p.edges != nullptr && p.bins < kHistogramEdges;
  if (keeps_edges)
    for (int k = threadIdx.x; k <= p.bins; k += kHistogramBlock) edges[k] = p.edges[k];
  __syncthreads();
  const Binning<T> binning(p, keeps_edges ? edges : p.edges);
  if (p.weights != nullptr)
    add_up<double, double>(p, binning, cells, [&](int64_t at) { return p.weights[at]; });
  else
    add_up<uint32_t, uint64_t>(p, binning, reinterpret_cast<uint32_t*>(cells),
                               [](int64_t) { return 1u; });
}

}  // namespace gpuarray
