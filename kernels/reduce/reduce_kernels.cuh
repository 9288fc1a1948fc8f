// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Defines the kernels of the rows of reductions.def that have dtypes, for the dtypes that the
// including source selects (kernels/dtype_classes.def). They are called
// gpuarray_reduce_<reduction>_<dtype>, or gpuarray_reduce_<reduction>_<source>_<dtype> for sums and
// products that widen integers and for averages of integers. Those that take `dtype=` have a kernel
// gpuarray_reduce_<reduction>_any_<dtype>, too, which converts elements of any dtype.
#include "kernels/dtype_classes.def"
#include "kernels/reduce/reduce.cuh"
#include "kernels/reduce/reduce_any.cuh"
#include "kernels/reduce/reduce_ops.cuh"
#include "kernels/reduce/reduce_shuffles.cuh"

using namespace gpuarray;  // because the launch bounds name the reducer's type

#define GPUARRAY_REDUCE_KERNEL(symbol, ...)                                                \
  extern "C" __global__ void __launch_bounds__(kReduceBlock, reduce_resident<__VA_ARGS__>) \
      gpuarray_reduce_##symbol(const __grid_constant__ ReduceParams params) {              \
    reduce_kernel<__VA_ARGS__>(params);                                                    \
  }

#define GPUARRAY_KERNEL(dtype, T, name) GPUARRAY_REDUCE_KERNEL(name##_##dtype, name##_reducer<T>)
#define GPUARRAY_REDUCTION(name, dtypes, ...) GPUARRAY_FOR_##dtypes(GPUARRAY_KERNEL, name)
#include "kernels/reductions.def"

#define GPUARRAY_WIDEN(source, S, dtype, T)                         \
  GPUARRAY_REDUCE_KERNEL(sum_##source##_##dtype, sum_reducer<S, T>) \
  GPUARRAY_REDUCE_KERNEL(prod_##source##_##dtype, prod_reducer<S, T>)
GPUARRAY_FOR_WIDENED(GPUARRAY_WIDEN)

#define GPUARRAY_AVERAGE(source, S)                                        \
  GPUARRAY_REDUCE_KERNEL(mean_##source##_float64, mean_reducer<S, double>) \
  GPUARRAY_REDUCE_KERNEL(var_##source##_float64, var_reducer<S, double>)
GPUARRAY_FOR_AVERAGED(GPUARRAY_AVERAGE)

#define GPUARRAY_CONVERT(dtype, T, name)                                                         \
  extern "C" __global__ void __launch_bounds__(kReduceBlock, reduce_resident<name##_reducer<T>>) \
      gpuarray_reduce_##name##_any_##dtype(const __grid_constant__ ReduceParams params,          \
                                           const __grid_constant__ AnySource source) {           \
    reduce_any_kernel<name##_reducer<T>>(params, source);                                        \
  }
GPUARRAY_FOR_ALL(GPUARRAY_CONVERT, sum)
GPUARRAY_FOR_ALL(GPUARRAY_CONVERT, prod)
GPUARRAY_FOR_INEXACT(GPUARRAY_CONVERT, mean)
GPUARRAY_FOR_INEXACT(GPUARRAY_CONVERT, var)
GPUARRAY_FOR_INEXACT(GPUARRAY_CONVERT, nansum)
GPUARRAY_FOR_INEXACT(GPUARRAY_CONVERT, nanprod)
GPUARRAY_FOR_INEXACT(GPUARRAY_CONVERT, nanmean)
GPUARRAY_FOR_INEXACT(GPUARRAY_CONVERT, nanvar)
