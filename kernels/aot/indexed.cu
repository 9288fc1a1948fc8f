// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_gather_<rows|any>_<bytes of a word>_<dtype of the indices>,
// gpuarray_scatter_<rows|any>_<bytes of a word>, whose indices are int64, and the kernels that make
// positions of indices, drop those that repeat, or scatter in buckets.
#include "kernels/indexing/buckets.cuh"
#include "kernels/indexing/indexed.cuh"
#include "kernels/indexing/resolve.cuh"

#define GPUARRAY_INDEXED(action, suffix, Action, Index)             \
  extern "C" __global__ void gpuarray_##action##_rows_##suffix(     \
      const __grid_constant__ gpuarray::IndexedRowsParams params) { \
    gpuarray::indexed_rows_kernel<gpuarray::Action, Index>(params); \
  }                                                                 \
  extern "C" __global__ void gpuarray_##action##_any_##suffix(      \
      const __grid_constant__ gpuarray::IndexedParams params) {     \
    gpuarray::indexed_any_kernel<gpuarray::Action, Index>(params);  \
  }
#define GPUARRAY_INDEXED_WORDS(bytes, Word)                      \
  GPUARRAY_INDEXED(gather, bytes##_int32, Gather<Word>, int32_t) \
  GPUARRAY_INDEXED(gather, bytes##_int64, Gather<Word>, int64_t) \
  GPUARRAY_INDEXED(scatter, bytes, Scatter<Word>, int64_t)

GPUARRAY_INDEXED_WORDS(1, uint8_t)
GPUARRAY_INDEXED_WORDS(2, uint16_t)
GPUARRAY_INDEXED_WORDS(4, uint32_t)
GPUARRAY_INDEXED_WORDS(8, uint64_t)
GPUARRAY_INDEXED_WORDS(16, uint4)

extern "C" __global__ void gpuarray_resolve(
    const __grid_constant__ gpuarray::ResolveParams params) {
  gpuarray::resolve_kernel(params);
}
extern "C" __global__ void gpuarray_drop_few(
    const __grid_constant__ gpuarray::WinnerParams params) {
  gpuarray::drop_few_kernel(params);
}
#define GPUARRAY_WINNERS(bytes, Number)                        \
  extern "C" __global__ void gpuarray_claim_##bytes(           \
      const __grid_constant__ gpuarray::WinnerParams params) { \
    gpuarray::claim_kernel<Number>(params);                    \
  }                                                            \
  extern "C" __global__ void gpuarray_drop_##bytes(            \
      const __grid_constant__ gpuarray::WinnerParams params) { \
    gpuarray::drop_kernel<Number>(params);                     \
  }
GPUARRAY_WINNERS(4, uint32_t)
GPUARRAY_WINNERS(8, uint64_t)

extern "C" __global__ void gpuarray_bucket_bounds(
    const __grid_constant__ gpuarray::BucketParams params) {
  gpuarray::bucket_bounds_kernel(params);
}
extern "C" __global__ void gpuarray_bucket_long(
    const __grid_constant__ gpuarray::BucketParams params) {
  gpuarray::bucket_long_kernel(params);
}
#define GPUARRAY_BUCKETS(bytes, Word)                          \
  extern "C" __global__ void gpuarray_bucket_pack_##bytes(     \
      const __grid_constant__ gpuarray::BucketParams params) { \
    gpuarray::bucket_pack_kernel<Word>(params);                \
  }                                                            \
  extern "C" __global__ void gpuarray_bucket_write_##bytes(    \
      const __grid_constant__ gpuarray::BucketParams params) { \
    gpuarray::bucket_write_kernel<Word>(params);               \
  }
GPUARRAY_BUCKETS(1, uint8_t)
GPUARRAY_BUCKETS(2, uint16_t)
GPUARRAY_BUCKETS(4, uint32_t)
GPUARRAY_BUCKETS(8, uint64_t)
