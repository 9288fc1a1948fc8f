// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "kernels/dtype_classes.def"
#include "kernels/matmul.cuh"

#define GPUARRAY_MATMUL_KERNEL(dtype, T, ...)                  \
  extern "C" __global__ void gpuarray_matmul_##dtype(          \
      const __grid_constant__ gpuarray::MatmulParams params) { \
    using namespace gpuarray;                                  \
    matmul_kernel<T>(params);                                  \
  }
GPUARRAY_FOR_ALL(GPUARRAY_MATMUL_KERNEL, )
