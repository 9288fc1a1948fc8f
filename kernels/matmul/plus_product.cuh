// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/math_complex.cuh"
#include "kernels/element/math_float.cuh"
#include "kernels/element/math_integer.cuh"

namespace gpuarray {

// Return sum + a * b. Floating products are added with a single rounding.
template <class T>
GPUARRAY_HD T plus_product(T sum, T a, T b) {
  if constexpr (is_native_float_v<T>)
    return math::detail::fma(a, b, sum);
  else
    return math::add(sum, math::multiply(a, b));
}
template <class T>
GPUARRAY_HD complex<T> plus_product(complex<T> sum, complex<T> a, complex<T> b) {
  return {plus_product(plus_product(sum.re, a.re, b.re), -a.im, b.im),
          plus_product(plus_product(sum.im, a.re, b.im), a.im, b.re)};
}

}  // namespace gpuarray
