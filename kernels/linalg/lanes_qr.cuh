// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Householder's QR factors of matrices whose columns the lanes hold.
#pragma once

#include "kernels/linalg/lanes.cuh"

namespace gpuarray::linalg {

// The factors as LAPACK's geqrf leaves them: R, below it the reflectors without their first
// element, and the reflectors' factors. Golub and Van Loan, "Matrix Computations", 5.2.
template <class T, int L>
struct LanesQr {
  using R = real_t<T>;
  Shared<T, L> a;
  int m, n, lane;
  T tau;  // of the lane's reflector

  __device__ int reflectors() const { return m < n ? m : n; }

  __device__ void factor() {
    for (int k = 0; k < reflectors(); ++k) {
      const bool below = lane > k && lane < m;
      const T x = below ? a(lane, k) : T(0);
      const Reflector<T> h = reflector(a(k, k), norm(x));
      __syncwarp();
      if (below) a(lane, k) = math::multiply(x, h.factor);
      if (lane == k) {
        a(k, k) = T(h.beta);
        tau = h.tau;
      }
      __syncwarp();
      if (lane > k && lane < n) reflect(a, k, math::conjugate(h.tau));
      __syncwarp();
    }
  }

  // Makes the first `columns` columns of the unitary factor.
  __device__ void form(Shared<T, L> q, int columns) const {
    for (int i = 0; i < m; ++i)
      if (lane < columns) q(i, lane) = T(i == lane ? 1 : 0);
    for (int k = reflectors() - 1; k >= 0; --k) {
      const T factor = from_lane<L>(tau, k);
      if (lane >= k && lane < columns) reflect(q, k, factor);
    }
    __syncwarp();
  }

 private:
  // Returns the norm of what the lanes give.
  __device__ R norm(T x) const {
    const R largest =
        over_lanes<L>(largest_part(x), lane, [](R a, R b) { return larger_size(a, b); });
    const PowerOfTwo<R> scale = scale_of(largest);
    const R square = plus_square(R(0), scaled(x, scale.factor));
    return math::sqrt(over_lanes<L>(square, lane, [](R a, R b) { return a + b; })) * scale.undo;
  }

  // Applies I - factor v v' of reflector k to the lane's column.
  __device__ void reflect(Shared<T, L> to, int k, T factor) const {
    T sum = to(k, lane);
    for (int i = k + 1; i < m; ++i) sum = plus_conjugate(sum, a(i, k), to(i, lane));
    sum = math::multiply(factor, sum);
    to(k, lane) = math::subtract(to(k, lane), sum);
    for (int i = k + 1; i < m; ++i) to(i, lane) = minus_product(to(i, lane), a(i, k), sum);
  }
};

}  // namespace gpuarray::linalg
