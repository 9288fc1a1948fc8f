// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_cast_<from>_<to> for every pair; a pair of equal dtypes copies.
#include "kernels/cast.cuh"
#include "kernels/dtype_classes.def"
#include "kernels/elementwise.cuh"

namespace gpuarray {

template <class To, class From>
__device__ void cast_kernel(const ElementwiseParams<2>& p) {
  To* out = static_cast<To*>(p.data[0]);
  const From* source = operand<From>(p, 1);
  for_each_element(p, [=](const int64_t (&at)[2]) { out[at[0]] = cast<To>(source[at[1]]); });
}

}  // namespace gpuarray

#define GPUARRAY_CAST_KERNEL(to, To, from, ...)                        \
  extern "C" __global__ void gpuarray_cast_##from##_##to(              \
      const __grid_constant__ gpuarray::ElementwiseParams<2> params) { \
    using namespace gpuarray;                                          \
    cast_kernel<To, __VA_ARGS__>(params);                              \
  }
#define GPUARRAY_DTYPE(from, From, ...) GPUARRAY_FOR_ALL(GPUARRAY_CAST_KERNEL, from, From)
#include "kernels/dtypes.def"
