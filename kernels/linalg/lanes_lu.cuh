// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Triangular factors of matrices whose rows the lanes hold.
#pragma once

#include "kernels/linalg/lanes.cuh"

namespace gpuarray::linalg {

// The LU factors with partial pivoting of a matrix, by Gaussian elimination. Golub and Van Loan,
// "Matrix Computations", 3.4.
template <class T, int L>
struct LanesLu {
  using R = real_t<T>;
  Shared<T, L> a;  // the matrix; then U, and below it L without its unit diagonal
  int n, lane;
  int row;           // of the matrix, which now is in the lane's place
  bool odd = false;  // whether the exchanges of rows are odd
  bool singular = false;

  __device__ LanesLu(Shared<T, L> matrix, int size, int own)
      : a(matrix), n(size), lane(own), row(own) {}

  // Factors the matrix. A column without a pivot is left as it is.
  __device__ void factor() {
    for (int k = 0; k < n; ++k) {
      exchange(k, find_pivot(k));
      const T pivot = a(k, k);
      const bool zero = rough_size(pivot) == 0, below = lane > k && lane < n;
      singular = singular || zero;
      if (below) {
        const T l = zero ? T(0) : math::divide(a(lane, k), pivot);
        a(lane, k) = l;
        for (int j = k + 1; j < n; ++j) a(lane, j) = minus_product(a(lane, j), l, a(k, j));
      }
      __syncwarp();
    }
  }

  // Solves for some right-hand sides in place; each lane holds its own row of them.
  template <int Columns>
  __device__ void solve(T (&x)[Columns]) const {
    for (int k = 0; k < n; ++k) eliminate(x, k, lane > k && lane < n);
    for (int k = n - 1; k >= 0; --k) {
      if (lane == k)
#pragma unroll
        for (T& element : x) element = math::divide(element, a(k, k));
      eliminate(x, k, lane < k);
    }
  }

  __device__ Determinant<T> determinant() const {
    Determinant<T> result(odd);
    for (int k = 0; k < n; ++k) result.multiply(a(k, k));
    return result;
  }
  __device__ void add_logarithms(Determinant<T>& result) const {
    for (int k = 0; k < n; ++k) result.multiply_logarithm(a(k, k));
  }

 private:
  // Returns the row, from row k on, of the largest element of column k; NaN is the largest.
  __device__ int find_pivot(int k) const {
    R best = lane >= k && lane < n ? rough_size(a(lane, k)) : R(-1);
    if (best != best) best = infinity<R>();
    int pivot = lane;
#pragma unroll
    for (int distance = L / 2; distance > 0; distance /= 2) {
      const R size = from_lane<L>(best, lane ^ distance);
      const int other = from_lane<L>(pivot, lane ^ distance);
      const bool larger = size > best || (size == best && other < pivot);
      best = larger ? size : best;
      pivot = larger ? other : pivot;
    }
    return pivot;
  }

  __device__ void exchange(int k, int pivot) {
    if (pivot != k && lane < n) {
      const T before = a(k, lane);
      a(k, lane) = a(pivot, lane);
      a(pivot, lane) = before;
    }
    row = from_lane<L>(row, lane == k ? pivot : lane == pivot ? k : lane);
    odd = odd != (pivot != k);
    __syncwarp();
  }

  // Subtracts lane k's row of x, times the lane's element of column k, where `takes_part`.
  template <int Columns>
  __device__ void eliminate(T (&x)[Columns], int k, bool takes_part) const {
    const T factor = takes_part ? a(lane, k) : T(0);
#pragma unroll
    for (int j = 0; j < Columns; ++j) {
      const T found = from_lane<L>(x[j], k);
      if (takes_part) x[j] = minus_product(x[j], factor, found);
    }
  }
};

// Replaces a Hermitian matrix, of which the lower triangle is read, by its lower Cholesky factor.
// Returns whether it is positive definite. Golub and Van Loan, 4.2.
template <class T, int L>
__device__ bool lanes_cholesky(Shared<T, L> a, int n, int lane) {
  using R = real_t<T>;
  bool positive = true;
  R diagonal(0);
  for (int k = 0; k < n; ++k) {
    const R square = real_part(a(k, k)), root = math::sqrt(square);
    positive = positive && square > 0;
    if (lane == k) diagonal = root;
    const bool below = lane > k && lane < n;
    const T l = below ? divide_real(a(lane, k), root) : T(0);
    if (below) a(lane, k) = l;
    __syncwarp();
    if (below)
      for (int j = k + 1; j <= lane; ++j)
        a(lane, j) = minus_product(a(lane, j), l, math::conjugate(a(j, k)));
    __syncwarp();
  }
  if (lane < n) a(lane, lane) = T(diagonal);
  __syncwarp();
  return positive;
}

}  // namespace gpuarray::linalg
