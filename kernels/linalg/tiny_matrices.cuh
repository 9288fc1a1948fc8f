// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of matrices of up to kMostTiny rows and columns, each of which one thread holds in
// registers.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/errors/note_error.cuh"
#include "kernels/linalg/tiny_jacobi.cuh"
#include "kernels/linalg/tiny_lu.cuh"

namespace gpuarray::linalg {

// What the operations on the matrices of one block share.
template <class T, int N>
struct TinyBlock {
  using R = real_t<T>;
  const SmallMatrixParams& p;
  T* shared;
  int64_t first;  // the number of the block's first matrix
  Tiny<T, N, N> a;

  __device__ void load() {
    load_tiny(p, p.a, first, shared, a);
    conjugate_if(p.conjugated, a);
  }
  template <class E, int Rows, int Columns>
  __device__ void store(const SmallMatrixOperand& to, const Tiny<E, Rows, Columns>& values,
                        int begin = 0, int columns = Columns) {
    if (to.data != nullptr)
      store_tiny(p, to, first, reinterpret_cast<E*>(shared), values, begin, columns);
  }
  // Stores a vector.
  __device__ void store(const SmallMatrixOperand& to, const R (&values)[N], R factor, bool valid) {
    Tiny<R, N, 1> column;
#pragma unroll
    for (int i = 0; i < N; ++i) column.at[i][0] = valid ? values[i] * factor : nan<R>();
    store(to, column);
  }
  // Notes an error about this thread's matrix, if it has one. It is called last, because calls of
  // functions move what is held in registers to memory.
  __device__ void note(bool valid, NotedKind kind) const {
    const int64_t matrix = first + int64_t(threadIdx.x);
    if (!valid && matrix < p.matrices) note_error(p.errors, kind, matrix % p.noted);
  }

  // Solves for the columns of b, `Columns` at a time, or of the identity.
  template <int Columns, bool inverts>
  __device__ void solve() {
    load();
    TinyLu<T, N> lu{a};
    lu.factor();
    int begin = 0;
    do {
      const int columns = p.k - begin < Columns ? p.k - begin : Columns;
      Tiny<T, N, Columns> x;
      if constexpr (inverts)
        set_identity(x);
      else
        load_tiny(p, p.b, first, shared, x, begin, columns);
      lu.template solve<Columns>(x);
      if (lu.singular) fill(x, all_nan<T>());
      store(p.x, x, begin, columns);
      begin += Columns;
    } while (!inverts && (Columns > 1 || N == 1) && begin < p.k);
    note(!lu.singular, NotedKind::singular);
  }

  template <bool logarithmic>
  __device__ void determinant() {
    load();
    TinyLu<T, N> lu{a};
    lu.factor();
    Determinant<T> result = lu.determinant();
    if (logarithmic || !result.is_exact()) lu.add_logarithms(result);
    Tiny<T, 1, 1> value{{{logarithmic         ? result.sign
                          : result.is_exact() ? result.product
                                              : result.from_logarithm()}}};
    store(p.x, value);
    if constexpr (logarithmic) store(p.y, Tiny<R, 1, 1>{{{result.logarithm}}});
  }

  __device__ void cholesky() {
    load();
    const bool valid = tiny_cholesky(a);
    if (!valid) fill(a, all_nan<T>());
    conjugate_if(p.conjugated, a);
    store(p.x, a);
    note(valid, NotedKind::not_positive_definite);
  }

  template <bool raw>
  __device__ void qr() {
    load();
    TinyQr<T, N> qr{a};
    qr.factor();
    if constexpr (raw) {
      Tiny<T, N, 1> tau;
#pragma unroll
      for (int i = 0; i < N; ++i) tau.at[i][0] = qr.tau[i];
      store(p.x, qr.a);
      store(p.y, tau);
    } else {
      if (p.x.data != nullptr) {
        qr.form(a);
        store(p.x, a);
      }
#pragma unroll
      for (int i = 0; i < N * N; ++i)
        if (i / N > i % N) qr.a.at[i / N][i % N] = T(0);
      store(p.y, qr.a);
    }
  }

  // Scales the matrix so that its largest part is about 1, and sets it to 0 if it is not finite, of
  // which `finite` tells.
  __device__ PowerOfTwo<R> scale(bool& finite) {
    const R size = largest_part(a);
    finite = size < infinity<R>();
    const PowerOfTwo<R> scale = scale_of(finite ? size : R(0));
#pragma unroll
    for (int i = 0; i < N * N; ++i)
      a.at[i / N][i % N] = finite ? scaled(a.at[i / N][i % N], scale.factor) : T(0);
    return scale;
  }

  // Takes the element of a single row as it is, as LAPACK does.
  __device__ void eigh_of_one() {
    load();
    const R values[N] = {real_part(a.at[0][0])};
    fill(a, T(1));
    store(p.x, a);
    store(p.y, values, R(1), true);
  }

  __device__ void eigh() {
    if constexpr (N == 1) return eigh_of_one();
    load();
#pragma unroll
    for (int i = 0; i < N * N; ++i)
      if (i / N < i % N) a.at[i / N][i % N] = T(0);
    bool finite;
    const PowerOfTwo<R> scaling = scale(finite);
    R values[N];
    Tiny<T, N, N> vectors;
    const bool converged = tiny_eigh(a, values, vectors), valid = finite && converged;
    if (!valid) fill(vectors, all_nan<T>());
    store(p.x, vectors);
    store(p.y, values, scaling.undo, valid);
    // LAPACK does not iterate over two rows, so NaN is no error there.
    note(valid || (N == 2 && !finite), finite ? NotedKind::no_convergence : NotedKind::not_finite);
  }

  __device__ void svd() {
    load();
    bool finite;
    const PowerOfTwo<R> scaling = scale(finite);
    R values[N];
    Tiny<T, N, N> v;
    const bool converged = tiny_svd(a, values, v), valid = finite && converged;
    if (!valid) fill(a, all_nan<T>());
    if (!valid) fill(v, all_nan<T>());
    conjugate_if(p.conjugated, a);
    store(p.x, a);
    store(p.y, values, scaling.undo, valid);
    conjugate_if(!p.conjugated, v);
    store(p.z, v);
    note(valid, finite ? NotedKind::no_convergence : NotedKind::not_finite);
  }
};

// Computes `op` of each matrix of N rows and columns. Blocks have kTinyBlock threads and loop over
// the batch, so that any grid works.
template <class T, int N, SmallMatrixOp op>
__device__ void tiny_matrices_kernel(const SmallMatrixParams& p) {
  wait_for_previous_grid();
  __shared__ T shared[kTinyTile<N, N>];
  for (int64_t first = int64_t(blockIdx.x) * kTinyBlock; first < p.matrices;
       first += int64_t(gridDim.x) * kTinyBlock) {
    TinyBlock<T, N> block{p, shared, first, {}};
    if constexpr (op == SmallMatrixOp::solve)
      block.template solve<N, false>();
    else if constexpr (op == SmallMatrixOp::solve_vector)
      block.template solve<1, false>();
    else if constexpr (op == SmallMatrixOp::inv)
      block.template solve<N, true>();
    else if constexpr (op == SmallMatrixOp::det)
      block.template determinant<false>();
    else if constexpr (op == SmallMatrixOp::slogdet)
      block.template determinant<true>();
    else if constexpr (op == SmallMatrixOp::cholesky)
      block.cholesky();
    else if constexpr (op == SmallMatrixOp::qr)
      block.template qr<false>();
    else if constexpr (op == SmallMatrixOp::raw_qr)
      block.template qr<true>();
    else if constexpr (op == SmallMatrixOp::eigh)
      block.eigh();
    else
      block.svd();
  }
}

}  // namespace gpuarray::linalg
