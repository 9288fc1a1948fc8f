// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Factorizations of batches of matrices by cuSOLVER and cuBLAS, of any size. Each function queues
// its work on `stream` and does not wait for the device, unless its contract says so; those that
// wait throw CaptureError while the stream captures. `label` names the operation for errors and
// the log. `info` has an int32 for each matrix, which is positive where the matrix has no such
// factorization. Empty batches and matrices are the callers' to leave out. All throw DeviceError
// without the libraries, OutOfMemory and CudaError.
#pragma once

#include "backend/linalg/matrices.hpp"
#include "kernels/linalg/factors_params.hpp"

namespace gpuarray {

// Returns whether lu() and lu_solve() take the batch in one call, which makes the pivots int32, or
// matrix by matrix with int64 pivots.
bool lu_is_batched(int64_t count, int64_t rows, int64_t columns);
// Computes P A = L U in place; the pivots count from 1.
void lu(const Matrices& a, void* pivots, int32_t* info, const StreamPtr& stream,
        const LaunchLabel& label);
// Solves op(A) X = B in place of B. `transpose` is 0 for A, 1 for its transpose and 2 for the
// conjugate of that.
void lu_solve(const Matrices& factors, const void* pivots, bool wide, const Matrices& b,
              int transpose, const StreamPtr& stream, const LaunchLabel& label);
// Solves op(A) X = B for triangular A in place of B, with the `transpose` of lu_solve().
void triangular_solve(const Matrices& a, const Matrices& b, bool upper, bool unit, int transpose,
                      const StreamPtr& stream, const LaunchLabel& label);
// Computes the Cholesky factor in place, from the lower or the upper triangle.
void cholesky(const Matrices& a, bool upper, int32_t* info, const StreamPtr& stream,
              const LaunchLabel& label);
// Computes A = Q R in place: R in the upper triangle, the reflectors of Q below it and in `tau`,
// which has min(rows, columns) elements for each matrix.
void qr(const Matrices& a, void* tau, const StreamPtr& stream, const LaunchLabel& label);
// Replaces the first `reflectors` columns, as qr() has left them, by the columns of Q.
void form_q(const Matrices& a, int64_t reflectors, const void* tau, const StreamPtr& stream,
            const LaunchLabel& label);
// Computes the eigenvalues of hermitian matrices, in ascending order, from one triangle, and in
// place of the matrices their eigenvectors if `vectors`. Waits for the device for large matrices,
// but not while the stream captures.
void eigh(const Matrices& a, bool upper, bool vectors, void* values, int32_t* info,
          const StreamPtr& stream, const LaunchLabel& label);
// Computes singular values, in descending order, of matrices that have no fewer rows than columns,
// which it destroys. `u` and `vt` are null in data for values alone; u has the columns asked for.
// Waits for the device.
void svd(const Matrices& a, void* values, const Matrices& u, const Matrices& vt, int32_t* info,
         const StreamPtr& stream, const LaunchLabel& label);
// Computes the complex eigenvalues of general matrices, which it destroys, and their right
// eigenvectors unless vectors.data is null. Waits for the device. DeviceError for a cuSOLVER
// before that of CUDA 12.8.
void eig(const Matrices& a, void* values, const Matrices& vectors, int32_t* info,
         const StreamPtr& stream, const LaunchLabel& label);

// Launch the kernels of kernels/linalg/factors.cuh.
void note_failures(const InfoParams& params, const StreamPtr& stream, const LaunchLabel& label);
void determinants(const DetParams& params, const StreamPtr& stream, const LaunchLabel& label);
void row_orders(const PermutationParams& params, const StreamPtr& stream, const LaunchLabel& label);
void reflected(const FormQParams& params, const StreamPtr& stream, const LaunchLabel& label);
void keep_triangle(const TriangleParams& params, const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
