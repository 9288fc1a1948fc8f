// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Arithmetic on complex numbers by NumPy's formulas.
#pragma once

#include "kernels/element/math_float.cuh"

namespace gpuarray::math {

template <NativeFloat T>
GPUARRAY_HD complex<T> add(complex<T> a, complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <NativeFloat T>
GPUARRAY_HD complex<T> subtract(complex<T> a, complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <NativeFloat T>
GPUARRAY_HD complex<T> multiply(complex<T> a, complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Divides by the method of Smith, "Algorithm 116: complex division", CACM 5(8), 1962.
template <NativeFloat T>
GPUARRAY_HD complex<T> divide(complex<T> a, complex<T> b) {
  const bool upright = absolute(b.re) < absolute(b.im);
  const T larger = upright ? b.im : b.re, smaller = upright ? b.re : b.im;
  const T x = upright ? a.im : a.re, y = upright ? a.re : a.im;
  const T ratio = smaller / larger;
  const T scale = T(1) / (larger + smaller * ratio);
  const T re = x + y * ratio, im = upright ? x * ratio - y : y - x * ratio;
  const bool zero = (b.re == 0) & (b.im == 0);
  return {zero ? a.re * infinity<T>() : re * scale, zero ? a.im * infinity<T>() : im * scale};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> reciprocal(complex<T> a) {
  if (absolute(a.im) <= absolute(a.re)) {
    const T ratio = a.im / a.re;
    const T scale = a.re + a.im * ratio;
    return {T(1) / scale, -ratio / scale};
  }
  const T ratio = a.re / a.im;
  const T scale = a.re * ratio + a.im;
  return {ratio / scale, T(-1) / scale};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> negative(complex<T> a) {
  return {-a.re, -a.im};
}
template <NativeFloat T>
GPUARRAY_HD complex<T> conjugate(complex<T> a) {
  return {a.re, -a.im};
}
template <NativeFloat T>
GPUARRAY_HD T absolute(complex<T> a) {
  return hypot(a.re, a.im);
}
template <NativeFloat T>
GPUARRAY_HD T angle(complex<T> a) {
  return arctan2(a.im, a.re);
}
template <NativeFloat T>
GPUARRAY_HD complex<T> rint(complex<T> a) {
  return {rint(a.re), rint(a.im)};
}

// Returns a / |a|, 0 for 0, and the unit along the axis of an infinite part if only one part is
// infinite.
template <NativeFloat T>
GPUARRAY_HD complex<T> sign(complex<T> a) {
  if (isinf(a)) {
    if (isinf(a.re) && isinf(a.im)) return {nan<T>(), nan<T>()};
    return {isinf(a.re) ? copysign(T(1), a.re) : T(0), isinf(a.im) ? copysign(T(1), a.im) : T(0)};
  }
  if (a.re == 0 && a.im == 0) return {T(0), T(0)};
  T size = absolute(a);
  if (isinf(size)) {
    a = {a.re / 2, a.im / 2};
    size = absolute(a);
  }
  return {a.re / size, a.im / size};
}

}  // namespace gpuarray::math
