// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_random_<draw> and gpuarray_random_<draw>_results for the draws of draws.def from PCG64
// that must look for results.
#include "kernels/random/pcg64.cuh"
#include "kernels/random/picked_draws.cuh"

using namespace gpuarray;

#define GPUARRAY_KERNELS_fixed(name, type)
#define GPUARRAY_KERNELS_picked(name, type)                                           \
  extern "C" __global__ void __launch_bounds__(kRandomPartBlock, kRandomResident)     \
      gpuarray_random_##name(const __grid_constant__ RandomParams params) {           \
    picked_draws<Pcg64, type>(params);                                                \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(kRandomPartBlock, kRandomResident)     \
      gpuarray_random_##name##_results(const __grid_constant__ RandomParams params) { \
    picked_results<Pcg64, type>(params);                                              \
  }
#define GPUARRAY_DRAW(name, kind, type, ...) GPUARRAY_KERNELS_##kind(name, type)
#include "kernels/random/draws.def"
