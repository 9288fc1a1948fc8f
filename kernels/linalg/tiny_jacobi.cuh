// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Eigenvalues and singular values of matrices in registers, by Jacobi's rotations.
#pragma once

#include "kernels/linalg/tiny_qr.cuh"

namespace gpuarray::linalg {

// Rotates two columns of a matrix.
template <class T, int N>
__device__ void rotate_columns(const Rotation<T>& rotation, Tiny<T, N, N>& of, int p, int q) {
#pragma unroll
  for (int i = 0; i < N; ++i) rotation.apply(of.at[i][p], of.at[i][q]);
}

// Sorts the columns of the matrices by their values, by odd-even transposition.
template <bool descending, class R, int N, class... Matrices>
__device__ void sort_columns(R (&values)[N], Matrices&... matrices) {
#pragma unroll
  for (int round = 0; round < N; ++round)
#pragma unroll
    for (int k = round % 2; k + 1 < N; k += 2) {
      const bool turned = descending ? values[k] < values[k + 1] : values[k + 1] < values[k];
      swap_if(turned, values[k], values[k + 1]);
#pragma unroll
      for (int i = 0; i < N; ++i) (swap_if(turned, matrices.at[i][k], matrices.at[i][k + 1]), ...);
    }
}

// Rotates the elements of the lower triangle that rows and columns p and q share with others.
template <class T, int N>
__device__ void rotate_hermitian(const Rotation<T>& rotation, Tiny<T, N, N>& a, int p, int q) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (i == p || i == q) continue;
    T at_p = i > p ? a.at[i][p] : math::conjugate(a.at[p][i]);
    T at_q = i > q ? a.at[i][q] : math::conjugate(a.at[q][i]);
    rotation.apply(at_p, at_q);
    (i > p ? a.at[i][p] : a.at[p][i]) = i > p ? at_p : math::conjugate(at_p);
    (i > q ? a.at[i][q] : a.at[q][i]) = i > q ? at_q : math::conjugate(at_q);
  }
}

// Finds the eigenvalues, ascending, and the eigenvectors of a Hermitian matrix, of which the lower
// triangle is read and whose parts are about 1 at most. Returns whether it converged. Jacobi's
// cyclic method; Golub and Van Loan, "Matrix Computations", 8.5.
template <class T, int N>
__device__ bool tiny_eigh(Tiny<T, N, N>& a, real_t<T> (&values)[N], Tiny<T, N, N>& vectors) {
  using R = real_t<T>;
  set_identity(vectors);
#pragma unroll
  for (int i = 0; i < N; ++i) values[i] = real_part(a.at[i][i]);
  const R enough = epsilon<R> / 8 * largest_part(a);
  bool busy = true;
  for (int sweep = 0; busy && sweep < kJacobiSweeps; ++sweep) {
    busy = false;
#pragma unroll
    for (int p = 0; p < N - 1; ++p)
#pragma unroll
      for (int q = p + 1; q < N; ++q) {
        const T g = math::conjugate(a.at[q][p]);
        if (!(largest_part(g) > enough)) continue;
        busy = true;
        const Rotation<T> rotation = jacobi_rotation(values[p], values[q], g);
        values[p] -= rotation.shift;
        values[q] += rotation.shift;
        a.at[q][p] = T(0);
        rotate_columns(rotation, vectors, p, q);
        rotate_hermitian(rotation, a, p, q);
      }
  }
  sort_columns<false>(values, vectors);
  return !busy;
}

// Makes the columns of `a`, whose parts are about 1 at most, orthogonal by rotations, which are
// accumulated in `v`. Returns whether it converged. Hestenes' one-sided method; Golub and Van Loan,
// 8.6.3.
template <class T, int N>
__device__ bool tiny_orthogonalize(Tiny<T, N, N>& a, Tiny<T, N, N>& v) {
  using R = real_t<T>;
  set_identity(v);
  bool busy = true;
  for (int sweep = 0; busy && sweep < kJacobiSweeps; ++sweep) {
    busy = false;
    // The pairs of a round have no column in common, and are computed side by side.
    static_assert(N <= 4);
#pragma unroll
    for (int round = 1; round < 4; ++round)
#pragma unroll
      for (int p = 0; p < N; ++p) {
        const int q = p ^ round;
        if (q < p || q >= N) continue;
        R of_p = 0, of_q = 0;
        T g(0);
#pragma unroll
        for (int i = 0; i < N; ++i) {
          of_p = plus_square(of_p, a.at[i][p]);
          of_q = plus_square(of_q, a.at[i][q]);
          g = plus_conjugate(g, a.at[i][p], a.at[i][q]);
        }
        const bool rotates = !is_orthogonal(g, of_p, of_q, N);
        busy = busy || rotates;
        Rotation<T> rotation = quick_rotation(of_p, of_q, g);
        rotation.c1 = rotates ? rotation.c1 : R(0);
        rotation.s = rotates ? rotation.s : T(0);
        rotate_columns(rotation, a, p, q);
        rotate_columns(rotation, v, p, q);
      }
  }
  return !busy;
}

// Replaces columns of zeros, behind orthonormal ones, so that all are orthonormal.
template <class T, int N>
__device__ void complete_columns(Tiny<T, N, N>& a) {
  TinyQr<T, N> qr{a};
  qr.factor();
  qr.form(a);
#pragma unroll
  for (int j = 0; j < N; ++j)
#pragma unroll
    for (int i = 0; i < N; ++i)
      a.at[i][j] = real_part(qr.a.at[j][j]) < 0 ? math::negative(a.at[i][j]) : a.at[i][j];
}

// Finds a = u diag(values) v', the values descending, if the parts of `a` are about 1 at most; u
// takes its place. Returns whether it converged.
template <class T, int N>
__device__ bool tiny_svd(Tiny<T, N, N>& a, real_t<T> (&values)[N], Tiny<T, N, N>& v) {
  using R = real_t<T>;
  const bool converged = tiny_orthogonalize(a, v);
#pragma unroll
  for (int j = 0; j < N; ++j) {
    R sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) sum = plus_square(sum, a.at[i][j]);
    values[j] = math::sqrt(sum);
#pragma unroll
    for (int i = 0; i < N; ++i)
      a.at[i][j] = is_negligible(sum) ? T(0) : divide_real(a.at[i][j], values[j]);
  }
  sort_columns<true>(values, a, v);
  if (is_negligible(values[N - 1] * values[N - 1])) complete_columns(a);
  return converged;
}

}  // namespace gpuarray::linalg
