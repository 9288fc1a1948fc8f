// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_random_<draw> for the draws of draws.def from PCG64 of which each unit makes a result,
// and what permutations are made of.
#include "kernels/random/distribution_kernel.cuh"
#include "kernels/random/fixed_draws.cuh"
#include "kernels/random/pcg64.cuh"

using namespace gpuarray;

#define GPUARRAY_KERNELS_fixed(name, type)                                  \
  extern "C" __global__ void __launch_bounds__(kRandomBlock)                \
      gpuarray_random_##name(const __grid_constant__ RandomParams params) { \
    fixed_draws<Pcg64, type>(params);                                       \
  }
#define GPUARRAY_KERNELS_picked(name, type)
#define GPUARRAY_DRAW(name, kind, type, ...) GPUARRAY_KERNELS_##kind(name, type)
#include "kernels/random/draws.def"

#define GPUARRAY_DISTRIBUTION_KERNEL(name, dtype, T)             \
  extern "C" __global__ void gpuarray_##name##_##dtype(          \
      const __grid_constant__ DistributionParams params) {       \
    random::distribution_kernel<random::name##_draw, T>(params); \
  }
GPUARRAY_DISTRIBUTION_KERNEL(distinct_place, int64, int64_t)
GPUARRAY_DISTRIBUTION_KERNEL(sort_words, uint64, uint64_t)
