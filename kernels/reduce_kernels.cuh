// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels of reductions.def for the dtypes that the including source selects:
// gpuarray_<reduction>_<dtype>.
#include "kernels/dtype_classes.def"
#include "kernels/reduce.cuh"
#include "kernels/reduce_ops.cuh"

#define GPUARRAY_KERNEL(dtype, T, name)                        \
  extern "C" __global__ void gpuarray_reduce_##name##_##dtype( \
      const __grid_constant__ gpuarray::ReduceParams params) { \
    using namespace gpuarray;                                  \
    reduce_kernel<name##_reducer<T>>(params);                  \
  }

#define GPUARRAY_REDUCTION(name, dtypes, ...) GPUARRAY_FOR_##dtypes(GPUARRAY_KERNEL, name)
#include "kernels/reductions.def"
