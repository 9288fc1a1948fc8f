// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<path>_cast_<from>_<to> for the copies and conversions of hot.def,
// gpuarray_copy_rows for all small elements, gpuarray_join for all dtypes, and
// gpuarray_triangle_<bytes> for elements of so many bytes.
#include "kernels/elementwise/copy_rows.cuh"
#include "kernels/elementwise/flat.cuh"
#include "kernels/elementwise/join.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/elementwise/tile.cuh"
#include "kernels/elementwise/triangle.cuh"

#define GPUARRAY_CAST(path, Params, from, From, to, To)                    \
  extern "C" __global__ void gpuarray_##path##_cast_##from##_##to(         \
      const __grid_constant__ gpuarray::Params<2> params) {                \
    using namespace gpuarray;                                              \
    path##_kernel<Converting<cast_functor<To>, To, To>, To, From>(params); \
  }
#define GPUARRAY_HOT_COPY(dtype, ...)                                     \
  GPUARRAY_CAST(flat, FlatParams, dtype, __VA_ARGS__, dtype, __VA_ARGS__) \
  GPUARRAY_CAST(rows, RowsParams, dtype, __VA_ARGS__, dtype, __VA_ARGS__) \
  GPUARRAY_CAST(tile, TileParams, dtype, __VA_ARGS__, dtype, __VA_ARGS__)
#define GPUARRAY_HOT_CAST(...) GPUARRAY_CAST(flat, FlatParams, __VA_ARGS__)
#include "kernels/hot.def"

extern "C" __global__ void gpuarray_copy_rows(
    const __grid_constant__ gpuarray::CopyRowsParams params) {
  gpuarray::copy_rows_kernel(params);
}

extern "C" __global__ void gpuarray_join(const __grid_constant__ gpuarray::JoinParams params) {
  gpuarray::join_kernel(params);
}

#define GPUARRAY_TRIANGLE(bytes, Word)                           \
  extern "C" __global__ void gpuarray_triangle_##bytes(          \
      const __grid_constant__ gpuarray::TriangleParams params) { \
    gpuarray::triangle_kernel<Word>(params);                     \
  }
GPUARRAY_TRIANGLE(1, uint8_t)
GPUARRAY_TRIANGLE(2, uint16_t)
GPUARRAY_TRIANGLE(4, uint32_t)
GPUARRAY_TRIANGLE(8, uint64_t)
GPUARRAY_TRIANGLE(16, uint4)
