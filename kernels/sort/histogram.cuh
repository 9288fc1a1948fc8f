// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/sort/bins.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Calls add(bin, index) for each element of the grid's share that lies in a bin. The threads of the
// grid loop over tiles of kHistogramBlock x kHistogramItems elements.
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

// Add a value to *target atomically, in shared or global memory.
__device__ inline void add_to(double* target, double value) { atomicAdd(target, value); }
__device__ inline void add_to(uint32_t* target, uint32_t value) { atomicAdd(target, value); }
__device__ inline void add_to(uint64_t* target, uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(target), (unsigned long long)value);
}

// Adds value(k) of each element k to the total of its bin: first to cells in shared memory, in
// p.copies copies so that threads collide less, then to p.target. Without copies it adds to
// p.target directly. All threads of the block must call it.
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

// Adds the elements' counts or weights to p.target. Blocks have kHistogramBlock threads; any grid
// works.
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
