// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// PyCUDA's complex numbers: the names of their functions for those that kernels have here.
#pragma once

extern "C++" {

#include "kernels/expression/operators.cuh"

namespace gpuarray {

using math::cos;
using math::cosh;
using math::exp;
using math::log;
using math::log10;
using math::sin;
using math::sinh;
using math::sqrt;
using math::tan;
using math::tanh;

template <class T>
GPUARRAY_HD T norm(complex<T> a) {
  return a.re * a.re + a.im * a.im;
}
template <class T>
GPUARRAY_HD T arg(complex<T> a) {
  return math::angle(a);
}
template <class T>
GPUARRAY_HD complex<T> pow(complex<T> a, complex<T> b) {
  return math::power(a, b);
}
template <class T, Number N>
GPUARRAY_HD complex<T> pow(complex<T> a, N b) {
  return math::power(a, complex<T>(T(b)));
}
template <class T, Number N>
GPUARRAY_HD complex<T> pow(N a, complex<T> b) {
  return math::power(complex<T>(T(a)), b);
}

}  // namespace gpuarray

namespace pycuda {
using gpuarray::complex;
}

}  // extern "C++"
