// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_matmul_<dtype>, and gpuarray_matmul_small_<dtype>, whose threads compute one element
// each. gpuarray_dot_<dtype>, and gpuarray_vdot_<dtype> of the complex ones; those called
// dot_apart and vdot_apart are for vectors that are aligned at different places.
#include "kernels/dtype_classes.def"
#include "kernels/matmul/dot.cuh"
#include "kernels/matmul/matmul.cuh"

using namespace gpuarray;  // because launch bounds name the reducer's type

#define GPUARRAY_MATMUL_KERNEL(name, T, each)                        \
  extern "C" __global__ void __launch_bounds__(kMatmulBlock)         \
      gpuarray_##name(const __grid_constant__ MatmulParams params) { \
    matmul_kernel<T, each>(params);                                  \
  }
#define GPUARRAY_MATMUL_KERNELS(dtype, T, ...)           \
  GPUARRAY_MATMUL_KERNEL(matmul_##dtype, T, kMatmulEach) \
  GPUARRAY_MATMUL_KERNEL(matmul_small_##dtype, T, 1)
GPUARRAY_FOR_ALL(GPUARRAY_MATMUL_KERNELS, )

#define GPUARRAY_DOT_KERNEL(name, T, conjugates, has_vectors)                               \
  extern "C" __global__ void __launch_bounds__(kReduceBlock,                                \
                                               reduce_resident<dot_reducer<T, conjugates>>) \
      gpuarray_##name(const __grid_constant__ ReduceParams params, const void* other) {     \
    dot_kernel<T, conjugates, has_vectors>(params, other);                                  \
  }
#define GPUARRAY_DOT_KERNELS(dtype, T, name, conjugates)   \
  GPUARRAY_DOT_KERNEL(name##_##dtype, T, conjugates, true) \
  GPUARRAY_DOT_KERNEL(name##_apart_##dtype, T, conjugates, false)
GPUARRAY_FOR_ALL(GPUARRAY_DOT_KERNELS, dot, false)
GPUARRAY_FOR_COMPLEX(GPUARRAY_DOT_KERNELS, vdot, true)
