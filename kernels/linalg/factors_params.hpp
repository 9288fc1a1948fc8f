// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/errors/noted_error.hpp"

namespace gpuarray {

// What the kernel takes that writes the addresses of the matrices of batches: pointers[set][k] =
// base[set] + k * step[set].
struct PointersParams {
  static constexpr int kSets = 2;

  void** pointers[kSets];
  char* base[kSets];
  int64_t step[kSets];  // bytes
  int64_t count;        // matrices
  int32_t sets;
};

// What the kernel takes that looks at the status of each matrix of a batch. Where info is not 0 it
// fills the results with NaN, and where info is positive it notes an error too.
struct InfoParams {
  static constexpr int kResults = 3;

  const int32_t* info;
  int64_t count;  // matrices
  MatrixErrors errors;
  NotedKind kind;
  int32_t doubles;          // whether the results have parts of 8 bytes, else of 4
  void* results[kResults];  // null from the first that there is not
  int64_t parts[kResults];  // real numbers in each matrix's result
};

// What the kernel takes that computes determinants from factorizations P A = L U, which it finds
// column by column. The pivots count from 1, and have 8 bytes if `wide`, else 4. Singular matrices,
// whose info is positive, have the determinant 0, and those with NaN, whose info is negative, NaN.
struct DetParams {
  const void* factors;
  const void* pivots;
  const int32_t* info;
  int64_t n;
  int64_t count;  // matrices
  int32_t wide;
  void* det;        // the determinants, or null
  void* sign;       // their signs, of the matrices' type, where det is null
  void* logarithm;  // the logarithms of their magnitudes, real
};

// What the kernel takes that writes the order of rows which pivots stand for, from 0 on.
struct PermutationParams {
  const void* pivots;
  int32_t wide;
  int64_t n;
  int64_t count;  // matrices
  int64_t* order;
};

// What the kernel takes that clears one side of the diagonal of square matrices, which lie row by
// row: what is below it if `upper` is to be kept, else what is above it.
struct TriangleParams {
  void* data;
  int64_t n;
  int64_t count;  // matrices
  int32_t upper;
};

// What the kernel takes that makes the columns of Q of Householder reflectors, in place. A matrix
// has `rows` x `columns` elements, column by column; reflector j lies below the diagonal of column
// j, and its factor is tau[j].
struct FormQParams {
  void* data;
  const void* tau;
  int64_t rows;
  int64_t columns;
  int64_t reflectors;
  int64_t count;  // matrices
};

}  // namespace gpuarray
