// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_search_<dtype> for every dtype, gpuarray_histogram_<dtype> for real numbers.
#include "kernels/dtype_classes.def"
#include "kernels/sort/histogram.cuh"
#include "kernels/sort/search.cuh"

#define GPUARRAY_SEARCH_KERNEL(dtype, T, ...)                                          \
  extern "C" __global__ void __launch_bounds__(gpuarray::kSearchBlock)                 \
      gpuarray_search_##dtype(const __grid_constant__ gpuarray::SearchParams params) { \
    gpuarray::search_kernel<T>(params);                                                \
  }
using namespace gpuarray;
GPUARRAY_FOR_ALL(GPUARRAY_SEARCH_KERNEL, )

#define GPUARRAY_HISTOGRAM_KERNEL(dtype, T, ...)                                             \
  extern "C" __global__ void __launch_bounds__(gpuarray::kHistogramBlock)                    \
      gpuarray_histogram_##dtype(const __grid_constant__ gpuarray::HistogramParams params) { \
    gpuarray::histogram_kernel<T>(params);                                                   \
  }
GPUARRAY_FOR_NUMBER_REAL(GPUARRAY_HISTOGRAM_KERNEL, )
