// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_select_<bytes> and gpuarray_spread_<bytes> for elements of each itemsize,
// gpuarray_count_tiles and gpuarray_nonzero.
#include "kernels/indexing/select.cuh"

#define GPUARRAY_SELECT(bytes, Word)                                                   \
  extern "C" __global__ void __launch_bounds__(gpuarray::kSelectBlock,                 \
                                               gpuarray::kSelectResidentBlocks)        \
      gpuarray_select_##bytes(const __grid_constant__ gpuarray::SelectParams params) { \
    gpuarray::select_kernel<Word>(params);                                             \
  }                                                                                    \
  extern "C" __global__ void __launch_bounds__(gpuarray::kSelectBlock,                 \
                                               gpuarray::kSelectResidentBlocks)        \
      gpuarray_spread_##bytes(const __grid_constant__ gpuarray::SelectParams params) { \
    gpuarray::spread_kernel<Word>(params);                                             \
  }
GPUARRAY_SELECT(1, uint8_t)
GPUARRAY_SELECT(2, uint16_t)
GPUARRAY_SELECT(4, uint32_t)
GPUARRAY_SELECT(8, uint64_t)
GPUARRAY_SELECT(16, uint4)

extern "C" __global__ void __launch_bounds__(gpuarray::kSelectBlock,
                                             gpuarray::kSelectResidentBlocks)
    gpuarray_count_tiles(const __grid_constant__ gpuarray::SelectParams params) {
  gpuarray::count_tiles_kernel(params);
}
extern "C" __global__ void __launch_bounds__(gpuarray::kSelectBlock,
                                             gpuarray::kSelectResidentBlocks)
    gpuarray_nonzero(const __grid_constant__ gpuarray::NonzeroParams params) {
  gpuarray::nonzero_kernel(params);
}
