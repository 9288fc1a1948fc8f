// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<distribution>_<dtype> for those that permutations are made of.
#include "kernels/random/distribution_kernel.cuh"

#define GPUARRAY_DISTRIBUTION_KERNEL(name, dtype, T)                                 \
  extern "C" __global__ void gpuarray_##name##_##dtype(                              \
      const __grid_constant__ gpuarray::DistributionParams params) {                 \
    gpuarray::random::distribution_kernel<gpuarray::random::name##_draw, T>(params); \
  }
GPUARRAY_DISTRIBUTION_KERNEL(distinct_place, int64, int64_t)
GPUARRAY_DISTRIBUTION_KERNEL(sort_words, uint64, uint64_t)
