// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_HALF
#include "backend/loops/reduce.hpp"
#include "kernels/dtype_classes.def"
#include "kernels/reduce/reduce_ops.cuh"

namespace gpuarray::loops {

#define GPUARRAY_LOOP(dtype, T, name, kind)                                                \
  loops.reductions[0][static_cast<int>(Reduction::name)][static_cast<int>(DType::dtype)] = \
      kind##_loops<name##_reducer<T>>();

// Sums and products accumulate in float, where those of float32 do in double. All others have the
// same totals as the loops of float32, or of float64 for the variance.
void add_half_reductions(Loops& loops) {
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, sum, reduce)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, prod, reduce)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, mean, reduce)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nansum, reduce)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanprod, reduce)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanmean, reduce)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, max, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, min, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, any, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, all, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, argmax, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, argmin, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, var, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanmax, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanmin, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanargmax, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanargmin, converting)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nanvar, converting)
}

}  // namespace gpuarray::loops
