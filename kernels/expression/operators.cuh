// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The operators of complex numbers that users' kernels use. Their results equal those of array
// operations to the last bit.
#pragma once

#include "kernels/element/math.cuh"

namespace gpuarray {

#define GPUARRAY_COMPLEX_OPERATOR(symbol, function)              \
  template <class T>                                             \
  GPUARRAY_HD auto operator symbol(complex<T> a, complex<T> b) { \
    return math::function(a, b);                                 \
  }                                                              \
  template <class T, Number N>                                   \
  GPUARRAY_HD auto operator symbol(complex<T> a, N b) {          \
    return math::function(a, complex<T>(T(b)));                  \
  }                                                              \
  template <class T, Number N>                                   \
  GPUARRAY_HD auto operator symbol(N a, complex<T> b) {          \
    return math::function(complex<T>(T(a)), b);                  \
  }

#define GPUARRAY_COMPLEX_ARITHMETIC(symbol, function)                     \
  GPUARRAY_COMPLEX_OPERATOR(symbol, function)                             \
  template <class T, class Other>                                         \
  GPUARRAY_HD complex<T>& operator symbol## = (complex<T> & a, Other b) { \
    return a = a symbol b;                                                \
  }

GPUARRAY_COMPLEX_ARITHMETIC(+, add)
GPUARRAY_COMPLEX_ARITHMETIC(-, subtract)
GPUARRAY_COMPLEX_ARITHMETIC(*, multiply)
GPUARRAY_COMPLEX_ARITHMETIC(/, divide)
GPUARRAY_COMPLEX_OPERATOR(==, equal)
GPUARRAY_COMPLEX_OPERATOR(!=, not_equal)

#undef GPUARRAY_COMPLEX_ARITHMETIC
#undef GPUARRAY_COMPLEX_OPERATOR

template <class T>
GPUARRAY_HD complex<T> operator-(complex<T> a) {
  return math::negative(a);
}
template <class T>
GPUARRAY_HD T real(complex<T> a) {
  return a.re;
}
template <class T>
GPUARRAY_HD T imag(complex<T> a) {
  return a.im;
}
template <class T>
GPUARRAY_HD complex<T> conj(complex<T> a) {
  return math::conjugate(a);
}
template <class T>
GPUARRAY_HD T abs(complex<T> a) {
  return math::absolute(a);
}

}  // namespace gpuarray
