// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "kernels/linalg/small_matrix_params.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// A batch of matrices, which must not overlap if it is written. The strides count elements; those
// of a vector are {its stride, 0}.
struct MatrixOperand {
  void* data = nullptr;
  Strides batch;  // along the plan's batch; 0 where it is broadcast
  int64_t strides[2] = {};
};

// Describes an operation on each matrix of a batch; SmallMatrixOp says what its operands are. m and
// n are at most kMostSmall, or kMostShared for `solve` of elements of up to 8 bytes. The plan
// borrows all memory that it points to.
struct SmallMatrixPlan {
  SmallMatrixOp op;
  DType dtype;  // float32, float64, complex64 or complex128
  Shape batch;  // not empty of elements
  int64_t m = 0, n = 0, k = 0;
  bool upper = false;
  MatrixOperand a, b, x, y, z;
  const char* function = nullptr;  // named by errors; lives for the process
};

// Queues the operation on the stream, whose device is a CUDA device, and does not wait for it. The
// caller keeps the memory open during the call. A matrix that is singular (solve, inv), not
// positive definite (cholesky), not finite (eigh, svd) or whose iteration does not converge is
// noted for the next wait, and its results are NaN; the others are computed. Throws what launching
// and compiling throw.
void small_matrices(const SmallMatrixPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
