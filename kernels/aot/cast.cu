// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_cast_<from>_<to> for every pair of dtypes; a pair of equal dtypes copies.
#include "kernels/dtype_classes.def"
#include "kernels/elementwise/elementwise.cuh"

#define GPUARRAY_CAST_KERNEL(to, To, from, ...)                        \
  extern "C" __global__ void gpuarray_cast_##from##_##to(              \
      const __grid_constant__ gpuarray::ElementwiseParams<2> params) { \
    using namespace gpuarray;                                          \
    cast_kernel<To, __VA_ARGS__>(params);                              \
  }
#define GPUARRAY_DTYPE(from, From, ...) GPUARRAY_FOR_ALL(GPUARRAY_CAST_KERNEL, from, From)
#include "kernels/dtypes.def"
