// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_histogram_<dtype> for integers and real floating-point numbers.
#include "kernels/dtype_classes.def"
#include "kernels/sort/histogram.cuh"

#define GPUARRAY_HISTOGRAM_KERNEL(dtype, T, ...)                                             \
  extern "C" __global__ void __launch_bounds__(gpuarray::kHistogramBlock)                    \
      gpuarray_histogram_##dtype(const __grid_constant__ gpuarray::HistogramParams params) { \
    gpuarray::histogram_kernel<T>(params);                                                   \
  }
using namespace gpuarray;
GPUARRAY_FOR_NUMBER_REAL(GPUARRAY_HISTOGRAM_KERNEL, )
