// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_random_<draw> for the draws of draws.def from PCG64, and what permutations are made of.
#include "kernels/random/distribution_kernel.cuh"
#include "kernels/random/fixed_draws.cuh"
#include "kernels/random/pcg64.cuh"
#include "kernels/random/picked_draws.cuh"

#define GPUARRAY_KERNEL(name, threads, resident, call)                                \
  extern "C" __global__ void __launch_bounds__(gpuarray::threads, resident)           \
      gpuarray_random_##name(const __grid_constant__ gpuarray::RandomParams params) { \
    call(params);                                                                     \
  }
#define GPUARRAY_KERNELS_fixed(name, type) \
  GPUARRAY_KERNEL(name, kRandomBlock, 1, (gpuarray::fixed_draws<gpuarray::Pcg64, gpuarray::type>))
#define GPUARRAY_KERNELS_picked(name, type)                                    \
  GPUARRAY_KERNEL(name, kRandomPartBlock, gpuarray::kRandomResident,           \
                  (gpuarray::picked_draws<gpuarray::Pcg64, gpuarray::type>))   \
  GPUARRAY_KERNEL(name##_results, kRandomPartBlock, gpuarray::kRandomResident, \
                  (gpuarray::picked_results<gpuarray::Pcg64, gpuarray::type>))
#define GPUARRAY_DRAW(name, kind, type, ...) GPUARRAY_KERNELS_##kind(name, type)
#include "kernels/random/draws.def"

#define GPUARRAY_DISTRIBUTION_KERNEL(name, dtype, T)                                 \
  extern "C" __global__ void gpuarray_##name##_##dtype(                              \
      const __grid_constant__ gpuarray::DistributionParams params) {                 \
    gpuarray::random::distribution_kernel<gpuarray::random::name##_draw, T>(params); \
  }
GPUARRAY_DISTRIBUTION_KERNEL(distinct_place, int64, int64_t)
GPUARRAY_DISTRIBUTION_KERNEL(sort_words, uint64, uint64_t)
