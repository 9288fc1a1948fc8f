// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Defines the kernel gpuarray_<operation>_<dtype> for each row of ops.def and each of its dtypes
// that the including source selects (kernels/dtype_classes.def).
#include "kernels/dtype_classes.def"
#include "kernels/element/functors.cuh"
#include "kernels/elementwise/elementwise.cuh"

#define GPUARRAY_KERNEL(dtype, T, name, arity, operands)                      \
  extern "C" __global__ void gpuarray_##name##_##dtype(                       \
      const __grid_constant__ gpuarray::ElementwiseParams<operands> params) { \
    using namespace gpuarray;                                                 \
    arity##_kernel<name##_functor<T>, T>(params);                             \
  }

#define GPUARRAY_UNARY(name, slot, dtypes, ...) \
  GPUARRAY_FOR_##dtypes(GPUARRAY_KERNEL, name, unary, 2)
#define GPUARRAY_BINARY(name, slot, dtypes, ...) \
  GPUARRAY_FOR_##dtypes(GPUARRAY_KERNEL, name, binary, 3)
#define GPUARRAY_TERNARY(name, slot, dtypes, ...) \
  GPUARRAY_FOR_##dtypes(GPUARRAY_KERNEL, name, ternary, 4)
#include "kernels/ops.def"
