// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels of norms: roots of sums of squares, which are added in double precision.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/element/math_float.cuh"
#include "kernels/linalg/norms_params.hpp"

namespace gpuarray::linalg {

template <class S, bool squares>
__device__ void add_term(double& sum, S value) {
  const double wide = double(value);
  sum = squares ? math::detail::fma(wide, wide, sum) : sum + wide;
}

// Returns the part of the sum of the terms of `count` numbers that is this thread's, one of
// Threads.
template <class S, bool squares, int Threads>
__device__ double sum_of(const S* data, int64_t count, bool vectors, int thread) {
  constexpr int width = 16 / sizeof(S), rounds = kNormsVectors;
  double sums[width] = {};
  int64_t i = int64_t(thread) * width;
  if (vectors) {
    for (; i + (rounds - 1) * Threads * width + width <= count; i += rounds * Threads * width) {
      Vec<S, width> loaded[rounds];
#pragma unroll
      for (int round = 0; round < rounds; ++round)
        loaded[round] = *reinterpret_cast<const Vec<S, width>*>(data + i + round * Threads * width);
#pragma unroll
      for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int k = 0; k < width; ++k) add_term<S, squares>(sums[k], loaded[round].items[k]);
    }
    for (; i < count; i += Threads * width)
#pragma unroll
      for (int k = 0; k < width; ++k)
        if (i + k < count) add_term<S, squares>(sums[k], data[i + k]);
  } else {
    for (i = thread; i < count; i += width * Threads)
#pragma unroll
      for (int k = 0; k < width; ++k)
        if (i + k * Threads < count) add_term<S, squares>(sums[k], data[i + k * Threads]);
  }
  double sum = sums[0];
#pragma unroll
  for (int k = 1; k < width; ++k) sum += sums[k];
  return sum;
}

__device__ inline double over_warp(double sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, distance);
  return sum;
}

// Returns the sum over all threads of the block in its first thread.
__device__ inline double over_block(double sum, double* shared) {
  sum = over_warp(sum);
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return sum;
  for (int warp = 1; warp < kNormsBlock / 32; ++warp) sum += shared[warp];
  return sum;
}

// A thread takes rows, which the block has read in the order of memory.
template <class S, class O>
__device__ void norms_of_threads(const NormsParams& p) {
  // An element in so many is left out, against bank conflicts.
  constexpr int bank = 128 / sizeof(S);
  __shared__ S shared[kNormsTile + kNormsTile / bank];
  const int columns = int(p.columns);
  const int rows = kNormsTile / columns;
  auto place = [&](int element) { return element + element / bank; };
  for (int64_t first = int64_t(blockIdx.x) * rows; first < p.rows;
       first += int64_t(gridDim.x) * rows) {
    const int64_t left = (p.rows - first) * columns;
    const int count = left < rows * columns ? int(left) : rows * columns;
    const S* data = static_cast<const S*>(p.source) + first * columns;
    __syncthreads();
#pragma unroll 8
    for (int i = int(threadIdx.x); i < count; i += kNormsBlock) shared[place(i)] = data[i];
    __syncthreads();
    for (int row = int(threadIdx.x); row * columns < count; row += kNormsBlock) {
      double sum = 0;
      for (int k = 0; k < columns; ++k) add_term<S, true>(sum, shared[place(row * columns + k)]);
      static_cast<O*>(p.target)[first + row] = O(math::sqrt(sum));
    }
  }
}

// Computes norms of S as O. Blocks have kNormsBlock threads and loop over rows, so that any grid
// works.
template <class S, class O, NormsKind kind>
__device__ void norms_kernel(const NormsParams& p) {
  wait_for_previous_grid();
  constexpr bool squares = kind != NormsKind::totals;
  const S* source = static_cast<const S*>(p.source);
  if constexpr (kind == NormsKind::thread) {
    norms_of_threads<S, O>(p);
  } else if constexpr (kind == NormsKind::warp) {
    const int64_t warps = int64_t(gridDim.x) * (kNormsBlock / 32);
    for (int64_t row = int64_t(blockIdx.x) * (kNormsBlock / 32) + threadIdx.x / 32; row < p.rows;
         row += warps) {
      const double sum = over_warp(sum_of<S, squares, 32>(source + row * p.columns, p.columns,
                                                          p.vectors, int(threadIdx.x) % 32));
      if (threadIdx.x % 32 == 0) static_cast<O*>(p.target)[row] = O(math::sqrt(sum));
    }
  } else {
    __shared__ double shared[kNormsBlock / 32];
    for (int64_t item = blockIdx.x; item < p.rows * p.parts; item += gridDim.x) {
      const int64_t row = item / p.parts, begin = item % p.parts * p.part;
      const int64_t count = p.columns - begin < p.part ? p.columns - begin : p.part;
      const double sum =
          over_block(sum_of<S, squares, kNormsBlock>(source + row * p.columns + begin, count,
                                                     p.vectors, int(threadIdx.x)),
                     shared);
      if (threadIdx.x != 0) continue;
      if constexpr (kind == NormsKind::parts)
        static_cast<double*>(p.target)[item] = sum;
      else
        static_cast<O*>(p.target)[row] = O(math::sqrt(sum));
    }
  }
}

}  // namespace gpuarray::linalg
