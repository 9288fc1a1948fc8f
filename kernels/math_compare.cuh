// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Comparison, minimum and maximum for every type; complex numbers in NumPy's lexicographic order.
#pragma once

#include "kernels/element.cuh"
#include "kernels/half.cuh"

namespace gpuarray::math {
namespace detail {

// half and bfloat16 as float, any other type itself.
template <class T>
GPUARRAY_HD compute_t<T> widen(T value) {
  if constexpr (is_half_v<T>)
    return to_float(value);
  else
    return value;
}

}  // namespace detail

template <class T>
GPUARRAY_HD bool isnan(T a) {
  if constexpr (is_complex_v<T>)
    return isnan(a.re) | isnan(a.im);
  else if constexpr (is_half_v<T>)
    return isnan(to_float(a));
  else
    return a != a;
}

template <class T>
GPUARRAY_HD bool equal(T a, T b) {
  if constexpr (is_complex_v<T>)
    return (a.re == b.re) & (a.im == b.im);
  else
    return detail::widen(a) == detail::widen(b);
}

template <class T>
GPUARRAY_HD bool not_equal(T a, T b) {
  return !equal(a, b);
}

// Unequal real parts decide only where no imaginary part is NaN.
template <class T>
GPUARRAY_HD bool less(T a, T b) {
  if constexpr (is_complex_v<T>)
    return ((a.re < b.re) & !isnan(a.im) & !isnan(b.im)) | ((a.re == b.re) & (a.im < b.im));
  else
    return detail::widen(a) < detail::widen(b);
}

template <class T>
GPUARRAY_HD bool less_equal(T a, T b) {
  if constexpr (is_complex_v<T>)
    return ((a.re < b.re) & !isnan(a.im) & !isnan(b.im)) | ((a.re == b.re) & (a.im <= b.im));
  else
    return detail::widen(a) <= detail::widen(b);
}

// The first operand where both are equal; a NaN where there is one.
template <class T>
GPUARRAY_HD T maximum(T a, T b) {
  if constexpr (is_inexact_v<T>)
    return less_equal(b, a) | isnan(a) ? a : b;
  else
    return b <= a ? a : b;
}
template <class T>
GPUARRAY_HD T minimum(T a, T b) {
  if constexpr (is_inexact_v<T>)
    return less_equal(a, b) | isnan(a) ? a : b;
  else
    return a <= b ? a : b;
}

// The first operand where both are equal; a NaN only where both are.
template <class T>
GPUARRAY_HD T fmax(T a, T b) {
  if constexpr (is_inexact_v<T>)
    return less_equal(b, a) | isnan(b) ? a : b;
  else
    return maximum(a, b);
}
template <class T>
GPUARRAY_HD T fmin(T a, T b) {
  if constexpr (is_inexact_v<T>)
    return less_equal(a, b) | isnan(b) ? a : b;
  else
    return minimum(a, b);
}

}  // namespace gpuarray::math
