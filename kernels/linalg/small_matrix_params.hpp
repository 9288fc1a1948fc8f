// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters of the kernels of small matrices. The host includes this file too, and fills them.
#pragma once

#include "kernels/element/noted_error.hpp"
#include "kernels/element/param_dims.hpp"

namespace gpuarray {

// The most rows and columns of a small matrix, and of one that a single thread holds in registers.
inline constexpr int kMostSmall = 32;
inline constexpr int kMostTiny = 4;

// What is computed of each matrix a, which has m rows and n columns; it is square but for qr and
// svd. Factors that are not asked for have no data.
enum class SmallMatrixOp : int32_t {
  solve,     // x (n x k) with a @ x = b
  inv,       // x = the inverse
  det,       // x = the determinant
  slogdet,   // x = its sign, y = the logarithm of its magnitude
  cholesky,  // x = the triangular factor, upper or lower
  qr,        // x = Q with k columns, y = R with k rows
  raw_qr,    // x = the transposed result of LAPACK's geqrf (n x m), y = its min(m, n) factors tau
  eigh,      // x = eigenvectors, y = eigenvalues, ascending
  svd        // x = U, y = singular values, descending, z = V^H; k = columns of U and rows of V^H
};

// The order in which a block reads and writes the elements of its matrices: that of memory.
enum class SmallMatrixOrder : int32_t { rows, columns, matrices };

// A batch of matrices, or of vectors or numbers, which are matrices of one column or element.
struct SmallMatrixOperand {
  void* data;  // null if there is none
  SmallMatrixOrder order;
  int64_t strides[2];  // of rows and columns; elements
  int64_t batch_strides[kParamDims];
};

struct SmallMatrixParams {
  int32_t m, n, k;
  bool upper;        // of cholesky and eigh: the upper triangle is read
  int64_t matrices;  // of the batch
  int32_t batch_ndim;
  int64_t batch_shape[kParamDims];
  SmallMatrixOperand a, b, x, y, z;
  MatrixErrors errors;
};

}  // namespace gpuarray
