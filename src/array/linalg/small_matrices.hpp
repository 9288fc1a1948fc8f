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

// Returns whether the functions below take the array, which has at least two axes. small_solve()
// takes up to 64 rows of elements of up to 8 bytes too.
bool has_small_matrices(const Array& a);

// Returns x with a @ x = b; the batches broadcast, and b (..., n, k) has a's dtype.
Array small_solve(const Array& a, const Array& b);
Array small_inv(const Array& a);
Array small_det(const Array& a);
// Cholesky's factor of the lower or the upper triangle, which alone is read. The other is 0.
Array small_cholesky(const Array& a, bool upper);

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
EighResult small_eigh(const Array& a, bool upper, bool with_vectors);

struct SvdResult {
  Array u, values, vh;  // the values are real and descending; the others only if asked for
};
SvdResult small_svd(const Array& a, bool full, bool with_vectors);

}  // namespace gpuarray::ops
