// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_random_<draw> for the draws of draws.def from PCG64, and what permutations are made of.
#include "kernels/random/distribution_kernel.cuh"
#include "kernels/random/fixed_draws.cuh"
#include "kernels/random/pcg64.cuh"
#include "kernels/random/picked_draws.cuh"

#define GPUARRAY_BOUNDS_fixed __launch_bounds__(gpuarray::kRandomBlock)
#define GPUARRAY_BOUNDS_picked \
  __launch_bounds__(gpuarray::kRandomTileBlock, gpuarray::kRandomResident)

#define GPUARRAY_DRAW(name, kind, type, ...)                                \
  extern "C" __global__ void GPUARRAY_BOUNDS_##kind gpuarray_random_##name( \
      const __grid_constant__ gpuarray::RandomParams params) {              \
    gpuarray::kind##_draws<gpuarray::Pcg64, gpuarray::type>(params);        \
  }
#include "kernels/random/draws.def"

#define GPUARRAY_DISTRIBUTION_KERNEL(name, dtype, T)                                 \
  extern "C" __global__ void gpuarray_##name##_##dtype(                              \
      const __grid_constant__ gpuarray::DistributionParams params) {                 \
    gpuarray::random::distribution_kernel<gpuarray::random::name##_draw, T>(params); \
  }
GPUARRAY_DISTRIBUTION_KERNEL(distinct_place, int64, int64_t)
GPUARRAY_DISTRIBUTION_KERNEL(sort_words, uint64, uint64_t)
