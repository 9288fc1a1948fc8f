// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Householder's QR factors of matrices in registers.
#pragma once

#include "kernels/linalg/tiny_tile.cuh"

namespace gpuarray::linalg {

// The factors as LAPACK's geqrf leaves them: R, below it the reflectors without their first
// element, and the reflectors' factors. Golub and Van Loan, "Matrix Computations", 5.2.
template <class T, int N>
struct TinyQr {
  Tiny<T, N, N> a;
  T tau[N];

  __device__ void factor() {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const Reflector<T> h = reflector(a.at[k][k], norm_below(k));
      a.at[k][k] = T(h.beta);
      tau[k] = h.tau;
#pragma unroll
      for (int i = k + 1; i < N; ++i) a.at[i][k] = math::multiply(a.at[i][k], h.factor);
      reflect(a, k, math::conjugate(h.tau), k + 1);
    }
  }

  // Makes the unitary factor.
  __device__ void form(Tiny<T, N, N>& q) const {
    set_identity(q);
#pragma unroll
    for (int k = N - 1; k >= 0; --k) reflect(q, k, tau[k], k);
  }

 private:
  __device__ real_t<T> norm_below(int k) const {
    real_t<T> largest = 0, sum = 0;
#pragma unroll
    for (int i = k + 1; i < N; ++i) largest = larger_size(largest, largest_part(a.at[i][k]));
    const PowerOfTwo<real_t<T>> scale = scale_of(largest);
#pragma unroll
    for (int i = k + 1; i < N; ++i) sum = plus_square(sum, scaled(a.at[i][k], scale.factor));
    return math::sqrt(sum) * scale.undo;
  }

  // Applies I - factor v v' of reflector k to the columns from `begin` on.
  __device__ void reflect(Tiny<T, N, N>& to, int k, T factor, int begin) const {
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (j < begin) continue;
      T sum = to.at[k][j];
#pragma unroll
      for (int i = k + 1; i < N; ++i) sum = plus_conjugate(sum, a.at[i][k], to.at[i][j]);
      sum = math::multiply(factor, sum);
      to.at[k][j] = math::subtract(to.at[k][j], sum);
#pragma unroll
      for (int i = k + 1; i < N; ++i) to.at[i][j] = minus_product(to.at[i][j], a.at[i][k], sum);
    }
  }
};

}  // namespace gpuarray::linalg
