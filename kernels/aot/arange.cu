// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_arange_<dtype> for every dtype.
#include "kernels/dtype_classes.def"
#include "kernels/elementwise/arange.cuh"

#define GPUARRAY_ARANGE_KERNEL(dtype, T, ...)                                                    \
  extern "C" __global__ void gpuarray_arange_##dtype(void* out, int64_t length, T start, T step, \
                                                     int64_t steps, T last) {                    \
    gpuarray::arange_kernel<T>(static_cast<T*>(out), length, start, step, steps, last);          \
  }
using namespace gpuarray;
GPUARRAY_FOR_ALL(GPUARRAY_ARANGE_KERNEL, )
