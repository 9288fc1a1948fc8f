// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel that solves systems of more rows than a warp has lanes: a block has one matrix, in
// shared memory.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/errors/note_error.cuh"
#include "kernels/linalg/lanes.cuh"

namespace gpuarray::linalg {

// The LU factors with partial pivoting of a matrix, by Gaussian elimination. Golub and Van Loan,
// "Matrix Computations", 3.4. All threads of the block call all functions together.
template <class T>
struct BlockLu {
  using R = real_t<T>;
  static constexpr int kPitch = kMostShared + 1, kWarps = kSolveBlock / 32;

  T* a;        // the matrix by rows; then U, and below it L without its unit diagonal
  int* order;  // the rows of the matrix that are in their places
  int* pivot;  // the row of the pivot
  int n;
  bool singular = false;

  __device__ T& at(int row, int column) const { return a[row * kPitch + column]; }

  // Factors the matrix. A column without a pivot is left as it is.
  __device__ void factor() {
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    for (int k = 0; k < n; ++k) {
      if (warp == 0) find_pivot(k, lane);
      __syncthreads();
      exchange(k, *pivot);
      __syncthreads();
      const T found = at(k, k);
      const bool zero = rough_size(found) == 0;
      singular = singular || zero;
      for (int i = k + 1 + warp; i < n; i += kWarps) {
        const T l = zero ? T(0) : math::divide(at(i, k), found);
        for (int j = k + 1 + lane; j < n; j += 32) at(i, j) = minus_product(at(i, j), l, at(k, j));
        __syncwarp();
        if (lane == 0) at(i, k) = l;
      }
      __syncthreads();
    }
  }

  // Solves for a column, of which each lane of a warp holds the rows lane and lane + 32.
  __device__ void solve(T (&x)[2], int lane) const {
    for (int k = 0; k < n; ++k) eliminate(x, k, lane, k + 1, n);
    for (int k = n - 1; k >= 0; --k) {
      if (lane == k && k < 32) x[0] = math::divide(x[0], at(k, k));
      if (lane + 32 == k) x[1] = math::divide(x[1], at(k, k));
      eliminate(x, k, lane, 0, k);
    }
  }

 private:
  // Finds the largest element of column k, from row k on; NaN is the largest, and else the first.
  __device__ void find_pivot(int k, int lane) const {
    R best = -1;
    int row = k;
    for (int i = k + lane; i < n; i += 32) {
      const R size = rough_size(at(i, k));
      if (size > best || (size != size && best == best)) best = size, row = i;
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      const R other = from_lane<32>(best, lane ^ distance);
      const int place = from_lane<32>(row, lane ^ distance);
      const bool same = other == best || (other != other && best != best);
      const bool larger = other > best || (other != other && best == best);
      if (same ? place < row : larger) best = other, row = place;
    }
    if (lane == 0) *pivot = row;
  }

  __device__ void exchange(int k, int with) const {
    if (with == k) return;
    for (int j = int(threadIdx.x); j < n; j += kSolveBlock) {
      const T above = at(k, j);
      at(k, j) = at(with, j);
      at(with, j) = above;
    }
    if (threadIdx.x == 0) {
      const int above = order[k];
      order[k] = order[with];
      order[with] = above;
    }
  }

  // Subtracts x[k], times column k of the factors, from rows `begin` to `end`.
  __device__ void eliminate(T (&x)[2], int k, int lane, int begin, int end) const {
    const T own = k < 32 ? x[0] : x[1];
    const T value = from_lane<32>(own, k % 32);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = lane + 32 * half;
      if (row >= begin && row < end) x[half] = minus_product(x[half], at(row, k), value);
    }
  }
};

// Solves the systems of matrices of up to kMostShared rows. Blocks have kSolveBlock threads and
// loop over the batch, so that any grid works.
template <class T>
__device__ void block_solve_kernel(const SmallMatrixParams& p) {
  wait_for_previous_grid();
  __shared__ T a[kMostShared * BlockLu<T>::kPitch];
  __shared__ int order[kMostShared], pivot;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  for (int64_t matrix = blockIdx.x; matrix < p.matrices; matrix += gridDim.x) {
    BlockLu<T> lu{a, order, &pivot, p.n};
    __syncthreads();
    const T* data = matrix_data<T>(p, p.a, matrix);
    const bool by_columns = p.a.order == SmallMatrixOrder::columns;
    for (int i = warp; i < p.n; i += BlockLu<T>::kWarps)
      for (int j = lane; j < p.n; j += 32) {
        const int row = by_columns ? j : i, column = by_columns ? i : j;
        lu.at(row, column) = data[row * p.a.strides[0] + column * p.a.strides[1]];
      }
    for (int i = int(threadIdx.x); i < p.n; i += kSolveBlock) order[i] = i;
    __syncthreads();
    lu.factor();
    for (int column = warp; column < p.k; column += BlockLu<T>::kWarps) {
      T x[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = lane + 32 * half;
        x[half] = row < p.n ? *element_of<T>(p, p.b, matrix, order[row], column) : T(0);
      }
      lu.solve(x, lane);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = lane + 32 * half;
        if (row < p.n)
          *element_of<T>(p, p.x, matrix, row, column) = lu.singular ? all_nan<T>() : x[half];
      }
    }
    if (lu.singular && threadIdx.x == 0)
      note_error(p.errors, NotedKind::singular, matrix % p.noted);
  }
}

}  // namespace gpuarray::linalg
