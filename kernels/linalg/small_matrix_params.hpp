// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters of the kernels of small matrices. The host includes this file too, and fills them.
#pragma once

#include "kernels/element/param_dims.hpp"
#include "kernels/errors/noted_error.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The most rows and columns of a small matrix, and of one that a single thread holds in registers.
inline constexpr int kMostSmall = 32;
inline constexpr int kMostTiny = 4;
// The most rows of a system that a block solves in shared memory, for elements of up to 8 bytes.
inline constexpr int kMostShared = 64;

// What is computed of each matrix a, which has m rows and n columns; it is square but for qr and
// svd. Factors that are not asked for have no data.
enum class SmallMatrixOp : int32_t {
  solve,         // x (n x k) with a @ x = b
  solve_vector,  // the same for k = 1
  inv,           // x = the inverse
  det,           // x = the determinant
  slogdet,       // x = its sign, y = the logarithm of its magnitude
  cholesky,      // x = the triangular factor, upper or lower
  qr,            // x = Q with k columns, y = R with k rows
  raw_qr,        // x = the result of LAPACK's geqrf (m x n), y = its min(m, n) factors tau
  eigh,          // x = eigenvectors, y = eigenvalues, ascending
  svd            // m >= n: x = U with k columns, y = singular values, descending, z = V
};
inline constexpr int kSmallMatrixOps = int(SmallMatrixOp::svd) + 1;

// The order in which a block reads and writes the elements of its matrices: that of memory.
enum class SmallMatrixOrder : int32_t { rows, columns, matrices };

// A batch of matrices, or of vectors or numbers, which are matrices of one column or element.
struct SmallMatrixOperand {
  void* data;  // null if there is none
  SmallMatrixOrder order;
  // Whether matrices without gaps follow each other in memory, each by its rows or columns.
  bool dense;
  int64_t strides[2];  // of rows and columns; elements
  int64_t batch_strides[kParamDims];
};

struct SmallMatrixParams {
  int32_t m, n, k;
  // Whether matrices are conjugated: a, and of the results x of cholesky and either x or z of svd.
  // With exchanged strides they thereby are transposed.
  bool conjugated;
  int64_t matrices;  // of the batch
  int64_t noted;     // of them that errors tell apart; others repeat them with more columns of b
  int32_t batch_ndim;
  int64_t batch_shape[kParamDims];
  SmallMatrixOperand a, b, x, y, z;
  MatrixErrors errors;
};

// Returns the matrices in shared memory that an operation needs besides what lanes hold.
GPUARRAY_HD constexpr int lanes_buffers(SmallMatrixOp op) {
  return op == SmallMatrixOp::qr || op == SmallMatrixOp::svd ? 2 : 1;
}
// Returns the threads of a block whose groups of `lanes` threads share matrices of elements of
// `itemsize` bytes.
GPUARRAY_HD constexpr int lanes_block(SmallMatrixOp op, int lanes, int itemsize) {
  const int bytes = lanes_buffers(op) * (lanes + 1) * itemsize;  // for a thread
  int block = kLanesBlock;
  while (block > 32 && block * bytes > kLanesBytes) block /= 2;
  return block;
}

}  // namespace gpuarray
