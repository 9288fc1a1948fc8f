// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Triangular factors of matrices in registers.
#pragma once

#include "kernels/linalg/tiny_tile.cuh"

namespace gpuarray::linalg {

// The LU factors with partial pivoting of a matrix, by Gaussian elimination. Golub and Van Loan,
// "Matrix Computations", 3.4.
template <class T, int N>
struct TinyLu {
  Tiny<T, N, N> a;         // U, and below it L without its unit diagonal
  uint32_t exchanges = 0;  // bit k * N + i: rows k and i changed places
  bool odd = false;        // whether the exchanges are odd
  bool singular = false;

  // Factors `a`. A column without a pivot is left as it is.
  __device__ void factor() {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      find_pivot(k);
      const bool zero = rough_size(a.at[k][k]) == 0;
      singular = singular || zero;
#pragma unroll
      for (int i = k + 1; i < N; ++i) {
        const T l = zero ? T(0) : math::divide(a.at[i][k], a.at[k][k]);
        a.at[i][k] = l;
#pragma unroll
        for (int j = k + 1; j < N; ++j) a.at[i][j] = minus_product(a.at[i][j], l, a.at[k][j]);
      }
    }
  }

  // Solves for some right-hand sides in place.
  template <int Columns>
  __device__ void solve(Tiny<T, N, Columns>& x) const {
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
      for (int i = k + 1; i < N; ++i)
#pragma unroll
        for (int j = 0; j < Columns; ++j)
          swap_if((exchanges >> (k * N + i)) & 1, x.at[k][j], x.at[i][j]);
#pragma unroll
    for (int k = 0; k < N; ++k) eliminate<Columns>(x, k, k + 1, N);
#pragma unroll
    for (int k = N - 1; k >= 0; --k) {
#pragma unroll
      for (int j = 0; j < Columns; ++j) x.at[k][j] = math::divide(x.at[k][j], a.at[k][k]);
      eliminate<Columns>(x, k, 0, k);
    }
  }

  __device__ Determinant<T> determinant() const {
    Determinant<T> result(odd);
#pragma unroll
    for (int k = 0; k < N; ++k) result.multiply(a.at[k][k]);
    return result;
  }
  __device__ void add_logarithms(Determinant<T>& result) const {
#pragma unroll
    for (int k = 0; k < N; ++k) result.multiply_logarithm(a.at[k][k]);
  }

 private:
  // Brings the largest element of column k, from row k on, to row k; NaN is the largest.
  __device__ void find_pivot(int k) {
    real_t<T> best = rough_size(a.at[k][k]);
#pragma unroll
    for (int i = k + 1; i < N; ++i) {
      const real_t<T> size = rough_size(a.at[i][k]);
      const bool larger = size > best || (size != size && best == best);
      best = larger ? size : best;
      odd = odd != larger;
      exchanges |= uint32_t(larger) << (k * N + i);
#pragma unroll
      for (int j = 0; j < N; ++j) swap_if(larger, a.at[k][j], a.at[i][j]);
    }
  }

  // Subtracts row k of x, times column k of the factors, from rows `begin` to `end`.
  template <int Columns>
  __device__ void eliminate(Tiny<T, N, Columns>& x, int k, int begin, int end) const {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (i >= begin && i < end)
#pragma unroll
        for (int j = 0; j < Columns; ++j)
          x.at[i][j] = minus_product(x.at[i][j], a.at[i][k], x.at[k][j]);
  }
};

// Replaces a Hermitian matrix, of which the lower triangle is read, by its lower Cholesky factor.
// Returns whether it is positive definite. Golub and Van Loan, 4.2.
template <class T, int N>
__device__ bool tiny_cholesky(Tiny<T, N, N>& a) {
  bool positive = true;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const real_t<T> square = real_part(a.at[k][k]);
    positive = positive && square > 0;
    const real_t<T> root = math::sqrt(square);
    a.at[k][k] = T(root);
#pragma unroll
    for (int i = k + 1; i < N; ++i) a.at[i][k] = divide_real(a.at[i][k], root);
#pragma unroll
    for (int j = k + 1; j < N; ++j) {
      a.at[k][j] = T(0);
#pragma unroll
      for (int i = j; i < N; ++i)
        a.at[i][j] = minus_product(a.at[i][j], a.at[i][k], math::conjugate(a.at[j][k]));
    }
  }
  return positive;
}

}  // namespace gpuarray::linalg
