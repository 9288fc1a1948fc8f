// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_matmul_<dtype>, and gpuarray_matmul_small_<dtype>, whose threads compute one element
// each.
#include "kernels/dtype_classes.def"
#include "kernels/matmul/matmul.cuh"

#define GPUARRAY_MATMUL_KERNEL(name, T, each)                                  \
  extern "C" __global__ void __launch_bounds__(gpuarray::kMatmulBlock)         \
      gpuarray_##name(const __grid_constant__ gpuarray::MatmulParams params) { \
    using namespace gpuarray;                                                  \
    matmul_kernel<T, each>(params);                                            \
  }
#define GPUARRAY_MATMUL_KERNELS(dtype, T, ...)                     \
  GPUARRAY_MATMUL_KERNEL(matmul_##dtype, T, gpuarray::kMatmulEach) \
  GPUARRAY_MATMUL_KERNEL(matmul_small_##dtype, T, 1)
GPUARRAY_FOR_ALL(GPUARRAY_MATMUL_KERNELS, )
