// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "kernels/random/distribution_kernel.cuh"

namespace gpuarray {

#define GPUARRAY_BUILT(name, dtype, type)                           \
  extern "C" __global__ void gpuarray_##name##_##dtype(             \
      const __grid_constant__ DistributionParams params) {          \
    random::distribution_kernel<random::name##_draw, type>(params); \
  }

GPUARRAY_BUILT(distinct_place, int64, int64_t)
GPUARRAY_BUILT(sort_words, uint64, uint64_t)

}  // namespace gpuarray
