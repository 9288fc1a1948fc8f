// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functions of the platform's math library under NumPy's names, and the project's own in their
// place where the host has some. half and bfloat16 are computed in float.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/half.cuh"
#include "kernels/element/math_angle.cuh"
#ifndef __CUDACC__
#include "kernels/element/host/hyperbolic.cuh"
#include "kernels/element/host/power.cuh"
#include "kernels/element/host/remainder.cuh"
#endif

namespace gpuarray::math {

#define GPUARRAY_LIBM_UNARY(name, function)                    \
  GPUARRAY_HD float name(float a) { return ::function##f(a); } \
  GPUARRAY_HD double name(double a) { return ::function(a); }  \
  template <Half T>                                            \
  GPUARRAY_HD T name(T a) {                                    \
    return round_to<T>(::function##f(to_float(a)));            \
  }

#define GPUARRAY_LIBM_BINARY(name, function)                               \
  GPUARRAY_HD float name(float a, float b) { return ::function##f(a, b); } \
  GPUARRAY_HD double name(double a, double b) { return ::function(a, b); } \
  template <Half T>                                                        \
  GPUARRAY_HD T name(T a, T b) {                                           \
    return round_to<T>(::function##f(to_float(a), to_float(b)));           \
  }

GPUARRAY_LIBM_UNARY(sqrt, sqrt)
GPUARRAY_LIBM_UNARY(floor, floor)
GPUARRAY_LIBM_UNARY(ceil, ceil)
GPUARRAY_LIBM_UNARY(trunc, trunc)
GPUARRAY_LIBM_UNARY(rint, rint)

// The host has its own of these functions, which compilers make vectors of; GPUs keep CUDA's, as
// their float64 arithmetic is slow.
#ifdef __CUDACC__
GPUARRAY_LIBM_BINARY(fmod, fmod)
GPUARRAY_LIBM_UNARY(cbrt, cbrt)
GPUARRAY_LIBM_UNARY(exp, exp)
GPUARRAY_LIBM_UNARY(exp2, exp2)
GPUARRAY_LIBM_UNARY(expm1, expm1)
GPUARRAY_LIBM_UNARY(log, log)
GPUARRAY_LIBM_UNARY(log2, log2)
GPUARRAY_LIBM_UNARY(log10, log10)
GPUARRAY_LIBM_UNARY(log1p, log1p)
GPUARRAY_LIBM_UNARY(sinh, sinh)
GPUARRAY_LIBM_UNARY(cosh, cosh)
GPUARRAY_LIBM_UNARY(tanh, tanh)
GPUARRAY_LIBM_UNARY(arcsinh, asinh)
GPUARRAY_LIBM_UNARY(arccosh, acosh)
GPUARRAY_LIBM_UNARY(arctanh, atanh)
GPUARRAY_LIBM_BINARY(power, pow)
#else
GPUARRAY_HALF_UNARY(cbrt)
GPUARRAY_HALF_UNARY(exp)
GPUARRAY_HALF_UNARY(exp2)
GPUARRAY_HALF_UNARY(expm1)
GPUARRAY_HALF_UNARY(log)
GPUARRAY_HALF_UNARY(log2)
GPUARRAY_HALF_UNARY(log10)
GPUARRAY_HALF_UNARY(log1p)
GPUARRAY_HALF_UNARY(sinh)
GPUARRAY_HALF_UNARY(cosh)
GPUARRAY_HALF_UNARY(tanh)
GPUARRAY_HALF_UNARY(arcsinh)
GPUARRAY_HALF_UNARY(arccosh)
GPUARRAY_HALF_UNARY(arctanh)

template <Half T>
inline T fmod(T a, T b) {
  return round_to<T>(fmod(to_float(a), to_float(b)));
}
template <Half T>
inline T power(T a, T b) {
  return round_to<T>(power(to_float(a), to_float(b)));
}
#endif

#undef GPUARRAY_LIBM_UNARY
#undef GPUARRAY_LIBM_BINARY

namespace detail {

GPUARRAY_HD float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
GPUARRAY_HD double fma(double a, double b, double c) { return ::fma(a, b, c); }

}  // namespace detail
}  // namespace gpuarray::math
