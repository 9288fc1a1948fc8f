// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of matrices of up to L rows and columns, each of which L lanes of a warp compute.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/errors/note_error.cuh"
#include "kernels/linalg/lanes_jacobi.cuh"

namespace gpuarray::linalg {

// What the operations on one matrix share. A group without a matrix computes the last one, and
// stores nothing.
template <class T, int L>
struct LanesGroup {
  using R = real_t<T>;
  const SmallMatrixParams& p;
  Shared<T, L> a, spare;
  int64_t matrix;
  bool active;
  int lane;

  __device__ void load() { load_lanes(p, p.a, matrix, p.m, p.n, lane, a); }
  template <class Value>
  __device__ void store(const SmallMatrixOperand& to, int rows, int columns, const Value& value) {
    store_lanes<L, T>(p, to, matrix, rows, columns, lane, active, value);
  }
  // Stores the number that each of the first `count` lanes gives, at its place.
  template <class E>
  __device__ void store_lane(const SmallMatrixOperand& to, int count, int place, E value) {
    if (active && lane < count) matrix_data<E>(p, to, matrix)[place * to.strides[0]] = value;
  }
  __device__ void note(bool valid, NotedKind kind) const {
    if (!valid && active && lane == 0) note_error(p.errors, kind, matrix % p.noted);
  }

  // Solves for the columns of b, `Columns` at a time, or of the identity.
  template <int Columns, bool inverts>
  __device__ void solve() {
    load();
    LanesLu<T, L> lu(a, p.n, lane);
    lu.factor();
    for (int begin = 0; begin < p.k; begin += Columns) {
      T x[Columns];
#pragma unroll
      for (int j = 0; j < Columns; ++j) {
        const bool inside = lane < p.n && begin + j < p.k;
        if constexpr (inverts)
          x[j] = T(lu.row == begin + j ? 1 : 0);
        else
          x[j] = inside ? *element_of<T>(p, p.b, matrix, lu.row, begin + j) : T(0);
      }
      lu.solve(x);
#pragma unroll
      for (int j = 0; j < Columns; ++j)
        if (active && lane < p.n && begin + j < p.k)
          *element_of<T>(p, p.x, matrix, lane, begin + j) = lu.singular ? all_nan<T>() : x[j];
    }
    note(!lu.singular, NotedKind::singular);
  }

  template <bool logarithmic>
  __device__ void determinant() {
    load();
    LanesLu<T, L> lu(a, p.n, lane);
    lu.factor();
    Determinant<T> result = lu.determinant();
    if (logarithmic || !result.is_exact()) lu.add_logarithms(result);
    store_lane(p.x, 1, 0,
               logarithmic         ? result.sign
               : result.is_exact() ? result.product
                                   : result.from_logarithm());
    if constexpr (logarithmic) store_lane(p.y, 1, 0, result.logarithm);
    __syncwarp();
  }

  __device__ void cholesky() {
    load();
    const bool valid = lanes_cholesky(a, p.n, lane);
    store(p.x, p.n, p.n, [&](int row, int column) {
      if (!valid) return all_nan<T>();
      return column > row ? T(0) : conjugate_if(p.conjugated, a(row, column));
    });
    note(valid, NotedKind::not_positive_definite);
  }

  template <bool raw>
  __device__ void qr() {
    load();
    LanesQr<T, L> qr{a, p.m, p.n, lane, T(0)};
    qr.factor();
    if constexpr (raw) {
      store(p.x, p.m, p.n, [&](int row, int column) { return a(row, column); });
      store_lane(p.y, qr.reflectors(), lane, qr.tau);
    } else {
      if (p.x.data != nullptr) {
        qr.form(spare, p.k);
        store(p.x, p.m, p.k, [&](int row, int column) { return spare(row, column); });
      }
      store(p.y, p.k, p.n,
            [&](int row, int column) { return row > column ? T(0) : a(row, column); });
    }
  }

  // Scales the matrix so that its largest part is about 1, and sets it to 0 if it is not finite, of
  // which `finite` tells.
  __device__ PowerOfTwo<R> scale(bool& finite) {
    R largest = 0;
    if (lane < p.n)
      for (int i = 0; i < p.m; ++i) largest = larger_size(largest, largest_part(a(i, lane)));
    largest = over_lanes<L>(largest, lane, [](R x, R y) { return larger_size(x, y); });
    finite = largest < infinity<R>();
    const PowerOfTwo<R> scale = scale_of(finite ? largest : R(0));
    if (lane < p.n)
      for (int i = 0; i < p.m; ++i) a(i, lane) = finite ? scaled(a(i, lane), scale.factor) : T(0);
    __syncwarp();
    return scale;
  }

  // Copies the lower triangle to the upper one, and sets the imaginary parts of the diagonal to 0.
  __device__ void mirror() {
    if (lane < p.n) {
      for (int i = 0; i < lane; ++i) a(i, lane) = math::conjugate(a(lane, i));
      a(lane, lane) = T(real_part(a(lane, lane)));
    }
    __syncwarp();
  }

  // Returns the largest sum of the sizes of a column, which no eigenvalue's size exceeds.
  __device__ R row_sum() const {
    R sum = 0;
    if (lane < p.n)
      for (int i = 0; i < p.n; ++i) sum += rough_size(a(i, lane));
    return over_lanes<L>(sum, lane, [](R x, R y) { return x > y ? x : y; });
  }

  // Returns v' a v of the vector x / norm that the lane holds.
  __device__ R rayleigh(const T (&x)[L], R norm) const {
    R total = 0;
    for_rows<L>(p.n, [&](int i) {
      T sum(0);
      for_rows<L>(p.n, [&](int k) {
        if (k < p.n && i < p.n) sum = plus_product(sum, a(i, k), x[k]);
      });
      total += real_part(plus_conjugate(T(0), x[i], sum));
    });
    return total / norm / norm;
  }

  __device__ void eigh() {
    load();
    mirror();
    bool finite;
    const PowerOfTwo<R> scaling = scale(finite);
    // The columns of a positive definite matrix that rotations have made orthogonal are its
    // eigenvectors, and their norms its eigenvalues. Adding `shift` to the diagonal makes it so.
    const R bound = row_sum(), shift = bound > 0 ? R(1.25) * bound : R(1);
    LanesJacobi<T, L, false> jacobi;
    for_rows<L>(L, [&](int i) {
      jacobi.x[i] = i < p.n && lane < p.n ? a(i, lane) : T(0);
      if (i == lane && lane < p.n) jacobi.x[i] = math::add(jacobi.x[i], T(shift));
    });
    const bool converged = jacobi.orthogonalize(p.n, p.n, lane), valid = finite && converged;
    const R norm = jacobi.norm(p.n);
    const R value = lane < p.n ? rayleigh(jacobi.x, norm) * scaling.undo : R(0);
    const int place = place_of<L>(value, p.n, lane);
    __syncwarp();
    for_rows<L>(p.n, [&](int i) {
      if (i < p.n && lane < p.n) a(i, place) = divide_real(jacobi.x[i], norm);
    });
    store_lane(p.y, p.n, place, valid ? value : nan<R>());
    store(p.x, p.n, p.n,
          [&](int row, int column) { return valid ? a(row, column) : all_nan<T>(); });
    note(valid, finite ? NotedKind::no_convergence : NotedKind::not_finite);
  }

  // Finds a = U diag(values) V'.
  __device__ void svd() {
    load();
    bool finite;
    const PowerOfTwo<R> scaling = scale(finite);
    LanesJacobi<T, L, true> jacobi;
    for_rows<L>(L, [&](int i) {
      jacobi.x[i] = i < p.m && lane < p.n ? a(i, lane) : T(0);
      jacobi.v[i] = T(i == lane ? 1 : 0);
    });
    const bool converged = jacobi.orthogonalize(p.m, p.n, lane), valid = finite && converged;
    const R value = jacobi.norm(p.m);
    const int place = place_of<L>(-value, p.n, lane);
    __syncwarp();
    for_rows<L>(p.m, [&](int i) {
      if (lane >= p.n) return;
      if (i < p.m)
        spare(i, place) = is_negligible(value * value) ? T(0) : divide_real(jacobi.x[i], value);
      if (i < p.n) a(i, place) = jacobi.v[i];
    });
    store_lane(p.y, p.n, place, valid ? value * scaling.undo : nan<R>());
    store(p.z, p.n, p.n, [&](int row, int column) {
      return valid ? conjugate_if(!p.conjugated, a(row, column)) : all_nan<T>();
    });
    if (p.x.data != nullptr) store_left_vectors(valid);
    note(valid, finite ? NotedKind::no_convergence : NotedKind::not_finite);
  }

  // Stores the columns of the spare matrix, which are orthonormal but for zeros at the end, and as
  // many more as are wanted. All are those of the QR factors, but for their signs.
  __device__ void store_left_vectors(bool valid) {
    LanesQr<T, L> qr{spare, p.m, p.n, lane, T(0)};
    qr.factor();
    qr.form(a, p.k);
    store(p.x, p.m, p.k, [&](int row, int column) {
      if (!valid) return all_nan<T>();
      const bool turned = column < p.n && real_part(spare(column, column)) < 0;
      return conjugate_if(p.conjugated, turned ? math::negative(a(row, column)) : a(row, column));
    });
  }
};

// Computes `op` of each matrix of up to L rows and columns. Blocks have lanes_block() threads and
// loop over the batch, so that any grid works.
template <class T, int L, SmallMatrixOp op>
__device__ void lanes_matrices_kernel(const SmallMatrixParams& p) {
  wait_for_previous_grid();
  constexpr int groups = lanes_block(op, L, sizeof(T)) / L, size = Shared<T, L>::kSize;
  __shared__ T shared[groups * lanes_buffers(op) * size];
  T* own = shared + int(threadIdx.x) / L * lanes_buffers(op) * size;
  for (int64_t first = int64_t(blockIdx.x) * groups; first < p.matrices;
       first += int64_t(gridDim.x) * groups) {
    const int64_t matrix = first + int64_t(threadIdx.x) / L;
    const bool active = matrix < p.matrices;
    LanesGroup<T, L> group{p,
                           {own},
                           {own + (lanes_buffers(op) - 1) * size},
                           active ? matrix : p.matrices - 1,
                           active,
                           int(threadIdx.x) % L};
    if constexpr (op == SmallMatrixOp::solve)
      group.template solve<4, false>();
    else if constexpr (op == SmallMatrixOp::solve_vector)
      group.template solve<1, false>();
    else if constexpr (op == SmallMatrixOp::inv)
      group.template solve<4, true>();
    else if constexpr (op == SmallMatrixOp::det)
      group.template determinant<false>();
    else if constexpr (op == SmallMatrixOp::slogdet)
      group.template determinant<true>();
    else if constexpr (op == SmallMatrixOp::cholesky)
      group.cholesky();
    else if constexpr (op == SmallMatrixOp::qr)
      group.template qr<false>();
    else if constexpr (op == SmallMatrixOp::raw_qr)
      group.template qr<true>();
    else if constexpr (op == SmallMatrixOp::eigh)
      group.eigh();
    else
      group.svd();
  }
}

}  // namespace gpuarray::linalg
