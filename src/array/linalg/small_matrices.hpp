// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"

// Linear algebra of batches of matrices of 1 to 32 rows and columns on CUDA devices, by kernels of
// this project. Arrays are of dtype float32, float64, complex64 or complex128 and have any strides;
// their last two axes are matrices, the others the batch. Results are new and C-contiguous. Work is
// queued on the current stream and does not wait. A matrix that is singular (solve, inv), not
// positive definite (cholesky), not finite (eigh, svd) or whose iteration does not converge is
// noted, so that the next wait throws LinAlgError; its results are NaN. Each throws ShapeError,
// TypeError and DeviceError for operands that it does not take, before anything is queued, and what
// launching throws.
namespace gpuarray::ops {

// Returns whether the functions below take matrices of the array's shape, of at least two axes.
bool has_small_matrices(const Array& a);
// Returns whether small_solve() takes them in a dtype, in which they may have more rows.
bool has_small_systems(const Array& a, DType dtype);

// Error messages name `what`, which must outlive the process's streams.

// Returns x with a @ x = b; the batches broadcast, and b (..., n, k) has a's dtype.
Array small_solve(const Array& a, const Array& b, const char* what);
Array small_inv(const Array& a, const char* what);
Array small_det(const Array& a);
// Cholesky's factor of the lower or the upper triangle, which alone is read. The other is 0.
Array small_cholesky(const Array& a, bool upper, const char* what);

struct SlogdetResult {
  Array sign, logarithm;  // the sign is of a's dtype, the logarithm real
};
SlogdetResult small_slogdet(const Array& a);

enum class QrMode : uint8_t { reduced, complete, r, raw };
// Q and R as NumPy's modes have them; without Q for `r`. For `raw` the matrix of reflectors, which
// NumPy shows transposed, and their factors tau.
struct QrResult {
  Array q, r;
};
QrResult small_qr(const Array& a, QrMode mode);

struct EighResult {
  Array values, vectors;  // the values are real and ascending; no vectors if not asked for
};
EighResult small_eigh(const Array& a, bool upper, bool with_vectors, const char* what);

struct SvdResult {
  Array u, values, vh;  // the values are real and descending; the others only if asked for
};
SvdResult small_svd(const Array& a, bool full, bool with_vectors, const char* what);

}  // namespace gpuarray::ops
