// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Powers of complex numbers, with NumPy's special cases.
#pragma once

#include "kernels/element/math_complex_exp.cuh"
#include "kernels/element/math_complex_log.cuh"

namespace gpuarray::math {
namespace detail {

// Returns a power by repeated squaring, from the lowest bit of the exponent on. A negative exponent
// takes the reciprocal at the end.
template <NativeFloat T>
GPUARRAY_HD complex<T> integer_power(complex<T> a, int exponent) {
  if (exponent == 1) return a;
  if (exponent == 2) return multiply(a, a);
  if (exponent == 3) return multiply(a, multiply(a, a));
  complex<T> result = {T(1), T(0)};
  for (int rest = exponent < 0 ? -exponent : exponent; rest != 0; rest >>= 1) {
    if (rest & 1) result = multiply(result, a);
    if (rest > 1) a = multiply(a, a);
  }
  return exponent < 0 ? divide({T(1), T(0)}, result) : result;
}

}  // namespace detail

template <NativeFloat T>
GPUARRAY_HD complex<T> power(complex<T> a, complex<T> b) {
  if (b.re == 0 && b.im == 0) return {T(1), T(0)};
  if (a.re == 0 && a.im == 0)
    return b.re > 0 ? complex<T>{T(0), T(0)} : complex<T>{nan<T>(), nan<T>()};
  if (b.im == 0 && absolute(b.re) < 100 && b.re == trunc(b.re))
    return detail::integer_power(a, int(b.re));
  // The exponent is computed in double, because its absolute error grows with its size.
  using Wide = complex<double>;
  const Wide exponent = multiply(Wide{b.re, b.im}, log(Wide{a.re, a.im}));
  const Wide result = exp(exponent);
  return {T(result.re), T(result.im)};
}

}  // namespace gpuarray::math
