// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_<path>_cast_<from>_<to>: copies of each itemsize on every path, and the conversions most
// in use of contiguous arrays.
#include "kernels/flat.cuh"
#include "kernels/rows.cuh"
#include "kernels/tile.cuh"

#define GPUARRAY_CAST(path, Params, from, From, to, To)                    \
  extern "C" __global__ void gpuarray_##path##_cast_##from##_##to(         \
      const __grid_constant__ gpuarray::Params<2> params) {                \
    using namespace gpuarray;                                              \
    path##_kernel<Converting<cast_functor<To>, To, To>, To, From>(params); \
  }
#define GPUARRAY_COPY(dtype, ...)                                         \
  GPUARRAY_CAST(flat, FlatParams, dtype, __VA_ARGS__, dtype, __VA_ARGS__) \
  GPUARRAY_CAST(rows, RowsParams, dtype, __VA_ARGS__, dtype, __VA_ARGS__) \
  GPUARRAY_CAST(tile, TileParams, dtype, __VA_ARGS__, dtype, __VA_ARGS__)
GPUARRAY_COPY(uint8, uint8_t)
GPUARRAY_COPY(uint16, uint16_t)
GPUARRAY_COPY(uint32, uint32_t)
GPUARRAY_COPY(uint64, uint64_t)
GPUARRAY_COPY(complex128, complex<double>)

#define GPUARRAY_CONVERT(from, From, to, To)          \
  GPUARRAY_CAST(flat, FlatParams, from, From, to, To) \
  GPUARRAY_CAST(flat, FlatParams, to, To, from, From)
GPUARRAY_CONVERT(float32, float, float64, double)
GPUARRAY_CONVERT(float32, float, float16, half)
GPUARRAY_CONVERT(float32, float, bfloat16, bfloat16)
GPUARRAY_CONVERT(float32, float, int32, int32_t)
GPUARRAY_CONVERT(float32, float, uint8, uint8_t)
GPUARRAY_CONVERT(float32, float, bool_, bool)
GPUARRAY_CONVERT(float64, double, int32, int32_t)
GPUARRAY_CONVERT(float64, double, int64, int64_t)
GPUARRAY_CONVERT(int32, int32_t, int64, int64_t)
