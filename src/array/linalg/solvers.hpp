// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "array/array.hpp"
#include "backend/linalg/solvers.hpp"

// Factorizations of batches of matrices on CUDA devices, as steps of which gpuarray/_linalg puts
// its functions together. All arrays are C-contiguous with at least two dimensions unless their
// contract says otherwise, are not empty, and have a dtype of LAPACK. The libraries see their
// matrices transposed, column by column: below A is the transpose of `a`. Whatever is `in place`
// overwrites its argument. `operation` names the public function for errors and lives for the
// process. Each function queues its work as those of array/ops.hpp do, and throws ValueError for
// arrays that do not fit, and what the functions of backend/linalg/solvers.hpp throw.
namespace gpuarray::ops {

struct Lu {
  Array pivots;  // int32 or int64 of shape (..., n), from 1 on
  Array info;    // int32 of the batch's shape, positive for singular matrices
};
// Factorizes P A = L U in place.
Lu lu(const Array& a, const char* operation);
// Solves op(A) X = B in place of `b`, of shape (..., columns, n); `transpose` as lu_solve() of the
// backend takes it.
void lu_solve(const Array& factors, const Array& pivots, const Array& b, int transpose,
              const char* operation);
struct Determinant {
  Array sign, logarithm;  // of slogdet, or
  Array det;
};
// Returns the determinants, or their signs and logarithms if `logarithms`.
Determinant determinant(const Array& factors, const Lu& lu, bool logarithms, const char* operation);
// Returns the order of rows that the pivots stand for, int64 from 0 on.
Array row_order(const Array& pivots, const char* operation);

// Solves op(A) X = B for a triangular A in place of `b`, of shape (..., columns, n).
void triangular_solve(const Array& a, const Array& b, bool upper, bool unit, int transpose,
                      const char* operation);
// Factorizes the hermitian A in place, from the triangle of `a` that `upper` tells, and clears the
// other one. Returns `info`, positive for matrices that are not positive definite.
Array cholesky(const Array& a, bool upper, const char* operation);

// Factorizes A = Q R in place, and returns tau, of shape (..., min(rows, columns)).
Array qr(const Array& a, const char* operation);
// Makes Q in place, of the reflectors in the first tau.shape[-1] rows of `a`.
void form_q(const Array& a, const Array& tau, const char* operation);

struct Spectrum {
  Array values;
  Array u, vt;  // as the libraries see them: rows of these are columns of U
  Array info;   // positive where the iteration did not converge
};
// Computes eigenvalues of hermitian matrices, of which it reads one triangle of `a`, and puts the
// eigenvectors of A in place of `a`, one a row, if `vectors`. It is destroyed otherwise.
Spectrum eigh(const Array& a, bool upper, bool vectors, const char* operation);
// Computes singular values of A, which has no fewer rows than columns, and destroys `a`. With
// `columns` > 0 it gives U with so many of them, and V^H.
Spectrum svd(const Array& a, int64_t columns, const char* operation);
// Computes eigenvalues of A, which it destroys, and right eigenvectors if `vectors`. The values are
// complex; the vectors of a real A are packed as LAPACK's geev packs them.
Spectrum eig(const Array& a, bool vectors, const char* operation);

// Notes an error of this kind for the first matrix whose `info` is positive, and fills the results
// of such matrices with NaN. Each result's first axes are those of `info`.
void note_failures(const Array& info, NotedKind kind, std::span<const Array> results,
                   const char* operation);

}  // namespace gpuarray::ops
