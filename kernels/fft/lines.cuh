// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel that transforms lines of up to 1024 points which lie anywhere in memory.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/math_float.cuh"
#include "kernels/fft/dft.cuh"
#include "kernels/fft/lines_params.hpp"

namespace gpuarray::fft {

// How a block does lines of P * Q points. Each of Q threads of a line transforms P points, and then
// each of P threads Q; real and imaginary parts change hands in shared memory one after the other.
// Neighbouring threads have neighbouring points of rows, and else the same point of neighbouring
// lines, so that both kinds lie side by side in memory.
template <class R, int P, int Q, bool inverse, bool from_rows, bool to_rows>
class Lines {
 public:
  using Real = R;
  static constexpr int kThreads = P > Q ? P : Q;  // of a line
  static constexpr int kLines = fft_lines_of_block(kThreads, 2 * sizeof(R));
  static constexpr int kPitch = Q | 1;
  // Against bank conflicts the elements between lines are 32 / kLines beyond a multiple of 32.
  static constexpr int kLinePitch = (P * kPitch + 31) / 32 * 32 + (kLines < 32 ? 32 / kLines : 1);

  __device__ Lines(const FftLinesParams& params, R* shared) : p(params), shared_(shared) {}

  __device__ void transform(int64_t outer, int64_t first) {
    complex<R> x[P], y[Q];
    const int thread = int(threadIdx.x);
    const bool loads = Q == kThreads || thread < kLines * Q;
    const bool stores = P == kThreads || thread < kLines * P;
    const int from = from_rows ? thread / Q : thread % kLines;
    const int j = from_rows ? thread % Q : thread / kLines;
    const int to = to_rows ? thread / P : thread % kLines;
    const int k = to_rows ? thread % P : thread / kLines;
    if (loads) {
      load(x, outer, first + from, j);
      dft<P>(x);
      if constexpr (Q > 1) multiply_by_roots(x, Roots{1.0 / (P * Q)}, j);
    }
    exchange<false>(x, y, loads, stores, from * kLinePitch + j, to * kLinePitch + k * kPitch);
    exchange<true>(x, y, loads, stores, from * kLinePitch + j, to * kLinePitch + k * kPitch);
    if (stores) {
      dft<Q>(y);
      if (p.total != 0) twiddle(y, first + to, k);
      store(y, outer, first + to, k);
    }
  }

 private:
  // Returns powers of exp(-2 pi i turn).
  struct Roots {
    double turn;
    __device__ complex<R> operator()(int64_t power) const {
      const complex<double> made = unit_root(double(power) * turn);
      return {R(made.re), R(made.im)};
    }
  };
  // The inverse is the transform of what has its parts exchanged, before and after.
  static __device__ complex<R> exchanged(complex<R> a) {
    return inverse ? complex<R>(a.im, a.re) : a;
  }

  __device__ void load(complex<R> (&x)[P], int64_t outer, int64_t inner, int j) const {
    if (inner >= p.inner) inner = p.inner - 1;  // is transformed for nothing
    const complex<R>* data = static_cast<const complex<R>*>(p.source.data) +
                             outer * p.source.steps[0] + inner * p.source.steps[1] +
                             j * p.source.point;
    const int64_t step = Q * p.source.point;
#pragma unroll
    for (int i = 0; i < P; ++i, data += step) x[i] = exchanged(*data);
  }

  template <bool imaginary>
  __device__ void exchange(const complex<R> (&x)[P], complex<R> (&y)[Q], bool loads, bool stores,
                           int from, int to) const {
    __syncthreads();
    if (loads) {
#pragma unroll
      for (int i = 0; i < P; ++i) shared_[from + i * kPitch] = imaginary ? x[i].im : x[i].re;
    }
    __syncthreads();
    if (stores) {
#pragma unroll
      for (int i = 0; i < Q; ++i) (imaginary ? y[i].im : y[i].re) = shared_[to + i];
    }
  }

  __device__ void twiddle(complex<R> (&y)[Q], int64_t inner, int k) const {
    const int64_t column = inner / p.columns;
    multiply_by_roots(y, Roots{1.0 / double(p.total)}, P * column, k * column);
  }

  __device__ void store(const complex<R> (&y)[Q], int64_t outer, int64_t inner, int k) const {
    if (inner >= p.inner) return;
    complex<R>* data = static_cast<complex<R>*>(p.target.data) + outer * p.target.steps[0] +
                       inner * p.target.steps[1] + k * p.target.point;
    const int64_t step = P * p.target.point;
    const R scale = R(p.scale);
#pragma unroll
    for (int i = 0; i < Q; ++i, data += step) {
      const complex<R> made = exchanged(y[i]);
      *data = {made.re * scale, made.im * scale};
    }
  }

  const FftLinesParams& p;
  R* shared_;
};

// Transforms all lines. Blocks have kThreads * kLines threads and loop over the lines, so that any
// grid works.
template <class L>
__device__ void lines_kernel(const FftLinesParams& p) {
  wait_for_previous_grid();
  __shared__ typename L::Real shared[L::kLines * L::kLinePitch];
  const int64_t tiles = (p.inner + L::kLines - 1) / L::kLines;
  L lines(p, shared);
  for (int64_t tile = blockIdx.x; tile < p.outer * tiles; tile += gridDim.x)
    lines.transform(tile / tiles, tile % tiles * L::kLines);
}

}  // namespace gpuarray::fft
