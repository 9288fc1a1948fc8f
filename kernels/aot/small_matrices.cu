// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_small_<op>_<dtype>_<n> for the operations and sizes that programs call for millions of
// matrices.
#include "kernels/linalg/tiny_matrices.cuh"

using namespace gpuarray;

#define GPUARRAY_SMALL_KERNEL(op, dtype, T, n)                                                \
  extern "C" __global__ void __launch_bounds__(kTinyBlock, 1)                                 \
      gpuarray_small_##op##_##dtype##_##n(const __grid_constant__ SmallMatrixParams params) { \
    linalg::tiny_matrices_kernel<T, n, SmallMatrixOp::op>(params);                            \
  }
#define GPUARRAY_SMALL_SIZES(op, dtype, T) \
  GPUARRAY_SMALL_KERNEL(op, dtype, T, 2)   \
  GPUARRAY_SMALL_KERNEL(op, dtype, T, 3)   \
  GPUARRAY_SMALL_KERNEL(op, dtype, T, 4)
#define GPUARRAY_SMALL_OPERATIONS(dtype, T)    \
  GPUARRAY_SMALL_SIZES(solve_vector, dtype, T) \
  GPUARRAY_SMALL_SIZES(inv, dtype, T)          \
  GPUARRAY_SMALL_SIZES(det, dtype, T)          \
  GPUARRAY_SMALL_SIZES(cholesky, dtype, T)     \
  GPUARRAY_SMALL_SIZES(eigh, dtype, T)
GPUARRAY_SMALL_OPERATIONS(float32, float)
GPUARRAY_SMALL_OPERATIONS(float64, double)
