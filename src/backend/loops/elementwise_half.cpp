// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#define GPUARRAY_ONLY_HALF
#include "backend/loops/rows.hpp"
#include "kernels/dtype_classes.def"
#include "kernels/element/functors.cuh"

namespace gpuarray::loops {

#define GPUARRAY_LOOP(dtype, T, name, arity)                                      \
  loops.elementwise[static_cast<int>(Op::name)][static_cast<int>(DType::dtype)] = \
      arity##_row<name##_functor<T>, T>;

// Adds the operations that work on the bits of an element, or whose result depends on its dtype.
// All others compute in float and round once, so that the loops of float32 serve them.
void add_half_loops(Loops& loops) {
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, positive, unary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, negative, unary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, conjugate, unary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, absolute, unary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, fabs, unary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, spacing, unary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, copysign, binary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, nextafter, binary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, maximum, binary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, minimum, binary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, fmax, binary)
  GPUARRAY_FOR_HALF(GPUARRAY_LOOP, fmin, binary)
#define GPUARRAY_WHERE(dtype, T, ...)                                              \
  loops.elementwise[static_cast<int>(Op::where)][static_cast<int>(DType::dtype)] = \
      ternary_row<where_functor<unsigned_t<T>>, unsigned_t<T>>;
  GPUARRAY_FOR_HALF(GPUARRAY_WHERE, where)
#define GPUARRAY_CLIP(dtype, T, ...)                                              \
  loops.elementwise[static_cast<int>(Op::clip)][static_cast<int>(DType::dtype)] = \
      clip_row<maximum_functor<T>, minimum_functor<T>, T>;
  GPUARRAY_FOR_HALF(GPUARRAY_CLIP, clip)
}

}  // namespace gpuarray::loops
