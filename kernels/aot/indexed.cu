// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<gather|scatter>_<rows|any>_<bytes of a word>_<dtype of the indices>, and what makes
// positions of indices.
#include "kernels/indexed.cuh"
#include "kernels/resolve.cuh"

#define GPUARRAY_INDEXED(name, Action, bytes, Word, dtype, Index)                         \
  extern "C" __global__ void gpuarray_##name##_rows_##bytes##_##dtype(                    \
      const __grid_constant__ gpuarray::IndexedRowsParams params) {                       \
    gpuarray::indexed_rows_kernel<gpuarray::Action<Word>, Index>(params);                 \
  }                                                                                       \
  extern "C" __global__ void gpuarray_##name##_any_##bytes##_##dtype(                     \
      const __grid_constant__ gpuarray::IndexedParams params) {                           \
    gpuarray::indexed_any_kernel<gpuarray::Action<Word>, Index>(params);                  \
  }
#define GPUARRAY_INDEXED_WORDS(dtype, Index)                                              \
  GPUARRAY_INDEXED(gather, Gather, 1, uint8_t, dtype, Index)                              \
  GPUARRAY_INDEXED(gather, Gather, 2, uint16_t, dtype, Index)                             \
  GPUARRAY_INDEXED(gather, Gather, 4, uint32_t, dtype, Index)                             \
  GPUARRAY_INDEXED(gather, Gather, 8, uint64_t, dtype, Index)                             \
  GPUARRAY_INDEXED(gather, Gather, 16, uint4, dtype, Index)                               \
  GPUARRAY_INDEXED(scatter, Scatter, 1, uint8_t, dtype, Index)                            \
  GPUARRAY_INDEXED(scatter, Scatter, 2, uint16_t, dtype, Index)                           \
  GPUARRAY_INDEXED(scatter, Scatter, 4, uint32_t, dtype, Index)                           \
  GPUARRAY_INDEXED(scatter, Scatter, 8, uint64_t, dtype, Index)                           \
  GPUARRAY_INDEXED(scatter, Scatter, 16, uint4, dtype, Index)

GPUARRAY_INDEXED_WORDS(int32, int32_t)
GPUARRAY_INDEXED_WORDS(int64, int64_t)

extern "C" __global__ void gpuarray_resolve(const __grid_constant__ gpuarray::ResolveParams params) {
  gpuarray::resolve_kernel(params);
}
#define GPUARRAY_WINNERS(dtype, Number)                                      \
  extern "C" __global__ void gpuarray_claim_##dtype(                         \
      const __grid_constant__ gpuarray::WinnerParams params) {               \
    gpuarray::claim_kernel<Number>(params);                                  \
  }                                                                          \
  extern "C" __global__ void gpuarray_drop_##dtype(                          \
      const __grid_constant__ gpuarray::WinnerParams params) {               \
    gpuarray::drop_kernel<Number>(params);                                   \
  }
GPUARRAY_WINNERS(uint32, uint32_t)
GPUARRAY_WINNERS(uint64, uint64_t)
