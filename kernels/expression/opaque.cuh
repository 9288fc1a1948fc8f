// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Returns `value` so that the compiler does not know it as a constant. Otherwise it would evaluate
// functions of constants itself, and x**2 as x * x, which may round differently from the function.
template <class T>
GPUARRAY_HD T opaque(T value) {
#ifdef __CUDA_ARCH__
  if constexpr (is_same_v<T, float>)
    asm("" : "+f"(value));
  else if constexpr (is_same_v<T, double>)
    asm("" : "+d"(value));
  else if constexpr (is_half_v<T>)
    asm("" : "+h"(value.bits));
  else if constexpr (is_complex_v<T>)
    value = {opaque(value.re), opaque(value.im)};
#else
  asm("" : "+m"(value));
#endif
  return value;
}

}  // namespace gpuarray
