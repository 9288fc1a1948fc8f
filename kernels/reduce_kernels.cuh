// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernels of reductions.def for the dtypes that the including source selects:
// gpuarray_reduce_<reduction>_<dtype>, and gpuarray_reduce_<reduction>_<source>_<dtype> for the
// sums and products that widen integers.
#include "kernels/dtype_classes.def"
#include "kernels/reduce.cuh"
#include "kernels/reduce_ops.cuh"

#define GPUARRAY_REDUCE_KERNEL(symbol, ...)                                             \
  extern "C" __global__ void __launch_bounds__(gpuarray::kReduceBlock,                  \
                                               gpuarray::kReduceResidentBlocks)         \
      gpuarray_reduce_##symbol(const __grid_constant__ gpuarray::ReduceParams params) { \
    using namespace gpuarray;                                                           \
    reduce_kernel<__VA_ARGS__>(params);                                                 \
  }

#define GPUARRAY_KERNEL(dtype, T, name) GPUARRAY_REDUCE_KERNEL(name##_##dtype, name##_reducer<T>)
#define GPUARRAY_REDUCTION(name, dtypes, ...) GPUARRAY_FOR_##dtypes(GPUARRAY_KERNEL, name)
#include "kernels/reductions.def"

#define GPUARRAY_WIDEN(source, S, dtype, T)                         \
  GPUARRAY_REDUCE_KERNEL(sum_##source##_##dtype, sum_reducer<S, T>) \
  GPUARRAY_REDUCE_KERNEL(prod_##source##_##dtype, prod_reducer<S, T>)
GPUARRAY_FOR_WIDENED(GPUARRAY_WIDEN)
