// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_at_<rows|any>_<operation>_<dtype> for the operations and dtypes most in use, whose
// indices are int64, and the kernels that move values to parts before.
#include "kernels/dtype_classes.def"
#include "kernels/indexing/combine_moves.cuh"
#include "kernels/indexing/combine_rows.cuh"

#define GPUARRAY_AT(dtype, T, name)                                  \
  extern "C" __global__ void gpuarray_at_rows_##name##_##dtype(      \
      const __grid_constant__ gpuarray::CombineRowsParams params) {  \
    using namespace gpuarray;                                        \
    combine_rows_kernel<name##_functor, T>(params);                  \
  }                                                                  \
  extern "C" __global__ void gpuarray_at_any_##name##_##dtype(       \
      const __grid_constant__ gpuarray::IndexedParams params) {      \
    using namespace gpuarray;                                        \
    indexed_any_kernel<Combine<name##_functor, T>, int64_t>(params); \
  }
#define GPUARRAY_AT_OF(name)            \
  GPUARRAY_AT(int32, int32_t, name)     \
  GPUARRAY_AT(int64, int64_t, name)     \
  GPUARRAY_AT(float16, half, name)      \
  GPUARRAY_AT(bfloat16, bfloat16, name) \
  GPUARRAY_AT(float32, float, name)     \
  GPUARRAY_AT(float64, double, name)

using gpuarray::bfloat16;
using gpuarray::half;
GPUARRAY_AT_OF(add)
GPUARRAY_AT_OF(maximum)
GPUARRAY_AT_OF(minimum)

#define GPUARRAY_COMBINE_MOVES(name, kernel)                         \
  extern "C" __global__ void gpuarray_combine_##name(                \
      const __grid_constant__ gpuarray::CombineMovesParams params) { \
    using namespace gpuarray;                                        \
    kernel(params);                                                  \
  }
GPUARRAY_COMBINE_MOVES(sample, combine_sample_kernel)
GPUARRAY_COMBINE_MOVES(count_groups, combine_count_groups_kernel)
GPUARRAY_COMBINE_MOVES(count_parts, combine_count_parts_kernel)
GPUARRAY_COMBINE_MOVES(begins_false, combine_begins_kernel<false>)
GPUARRAY_COMBINE_MOVES(begins_true, combine_begins_kernel<true>)
GPUARRAY_COMBINE_MOVES(to_groups_4, combine_to_groups_kernel<uint32_t>)
GPUARRAY_COMBINE_MOVES(to_groups_8, combine_to_groups_kernel<uint64_t>)
GPUARRAY_COMBINE_MOVES(to_parts_4, combine_to_parts_kernel<uint32_t>)
GPUARRAY_COMBINE_MOVES(to_parts_8, combine_to_parts_kernel<uint64_t>)
