// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Comparison, minimum and maximum for every type. Complex numbers are compared in NumPy's
// lexicographic order.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/half.cuh"

namespace gpuarray::math {
namespace detail {

// Converts half and bfloat16 to float, and returns any other type as it is.
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
  else if constexpr (is_native_float_v<T>)
    return a != a;
  else
    return false;
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

// Complex numbers with unequal real parts are ordered by them only if neither imaginary part is
// NaN.
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

namespace detail {

// Whether NumPy's maximum and minimum return the first of two equal operands, which matters for
// zeros of different signs. Its loops for half and complex do; the others return the second.
template <class T>
inline constexpr bool is_first_kept_v = is_same_v<T, half> || is_complex_v<T>;

template <class T>
GPUARRAY_HD bool is_larger(T a, T b) {
  if constexpr (is_first_kept_v<T>)
    return less_equal(b, a);
  else
    return less(b, a);
}
template <class T>
GPUARRAY_HD bool is_smaller(T a, T b) {
  if constexpr (is_first_kept_v<T>)
    return less_equal(a, b);
  else
    return less(a, b);
}

}  // namespace detail

// maximum and minimum return NaN if either operand is NaN. The first choice is one instruction of
// the processors.
template <class T>
GPUARRAY_HD T maximum(T a, T b) {
  const T larger = detail::is_larger(a, b) ? a : b;
  return isnan(a) ? a : larger;
}
template <class T>
GPUARRAY_HD T minimum(T a, T b) {
  const T smaller = detail::is_smaller(a, b) ? a : b;
  return isnan(a) ? a : smaller;
}

// fmax and fmin return NaN only if both operands are NaN.
template <class T>
GPUARRAY_HD T fmax(T a, T b) {
  const T larger = detail::is_larger(a, b) ? a : b;
  return isnan(b) ? a : larger;
}
template <class T>
GPUARRAY_HD T fmin(T a, T b) {
  const T smaller = detail::is_smaller(a, b) ? a : b;
  return isnan(b) ? a : smaller;
}

}  // namespace gpuarray::math
