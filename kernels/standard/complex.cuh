// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cuda/std/complex>

#include "kernels/standard/math.cuh"

// The functions of real numbers are those of math.cuh, so that unqualified calls are not ambiguous.
// These are less specialized than CCCL's, which argument-dependent lookup finds as well.
#define GPUARRAY_UNARY(name)                                                 \
  template <class Z, class = cuda::std::enable_if_t<gpuarray_is_complex<Z>>> \
  __host__ __device__ inline auto name(const Z& z) {                         \
    return cuda::std::name(z);                                               \
  }

namespace std {
using cuda::std::arg;
using cuda::std::complex;
using cuda::std::conj;
using cuda::std::imag;
using cuda::std::norm;
using cuda::std::polar;
using cuda::std::proj;
using cuda::std::real;

template <class Z>
inline constexpr bool gpuarray_is_complex = false;
template <class T>
inline constexpr bool gpuarray_is_complex<complex<T>> = true;

GPUARRAY_UNARY(abs)
GPUARRAY_UNARY(acos)
GPUARRAY_UNARY(acosh)
GPUARRAY_UNARY(asin)
GPUARRAY_UNARY(asinh)
GPUARRAY_UNARY(atan)
GPUARRAY_UNARY(atanh)
GPUARRAY_UNARY(cos)
GPUARRAY_UNARY(cosh)
GPUARRAY_UNARY(exp)
GPUARRAY_UNARY(log)
GPUARRAY_UNARY(log10)
GPUARRAY_UNARY(sin)
GPUARRAY_UNARY(sinh)
GPUARRAY_UNARY(sqrt)
GPUARRAY_UNARY(tan)
GPUARRAY_UNARY(tanh)

template <class X, class Y,
          class = cuda::std::enable_if_t<gpuarray_is_complex<X> || gpuarray_is_complex<Y>>>
__host__ __device__ inline auto pow(const X& x, const Y& y) {
  return cuda::std::pow(x, y);
}
}  // namespace std

#undef GPUARRAY_UNARY
