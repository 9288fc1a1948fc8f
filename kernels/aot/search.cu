// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_search_<dtype>, _search_levels_ and _search_tree_ for every dtype, and
// gpuarray_histogram_<dtype> for real numbers.
#include "kernels/dtype_classes.def"
#include "kernels/sort/histogram.cuh"
#include "kernels/sort/search_tree.cuh"

#define GPUARRAY_SEARCH_KERNEL(dtype, T, name)                                           \
  extern "C" __global__ void __launch_bounds__(gpuarray::kSearchBlock)                   \
      gpuarray_##name##_##dtype(const __grid_constant__ gpuarray::SearchParams params) { \
    gpuarray::name##_kernel<T>(params);                                                  \
  }
using namespace gpuarray;
GPUARRAY_FOR_ALL(GPUARRAY_SEARCH_KERNEL, search)
GPUARRAY_FOR_ALL(GPUARRAY_SEARCH_KERNEL, search_levels)
GPUARRAY_FOR_ALL(GPUARRAY_SEARCH_KERNEL, search_tree)

#define GPUARRAY_HISTOGRAM_KERNEL(dtype, T, ...)                                             \
  extern "C" __global__ void __launch_bounds__(gpuarray::kHistogramBlock)                    \
      gpuarray_histogram_##dtype(const __grid_constant__ gpuarray::HistogramParams params) { \
    gpuarray::histogram_kernel<T>(params);                                                   \
  }
GPUARRAY_FOR_NUMBER_REAL(GPUARRAY_HISTOGRAM_KERNEL, )
