// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Arithmetic on real floating-point numbers.
#pragma once

#include "kernels/element/half.cuh"

namespace gpuarray::math {

template <NativeFloat T>
GPUARRAY_HD T add(T a, T b) {
  return a + b;
}
template <NativeFloat T>
GPUARRAY_HD T subtract(T a, T b) {
  return a - b;
}
template <NativeFloat T>
GPUARRAY_HD T multiply(T a, T b) {
  return a * b;
}
template <NativeFloat T>
GPUARRAY_HD T divide(T a, T b) {
  return a / b;
}
template <NativeFloat T>
GPUARRAY_HD T reciprocal(T a) {
  return T(1) / a;
}

GPUARRAY_HALF_UNARY(reciprocal)
GPUARRAY_HALF_BINARY(add)
GPUARRAY_HALF_BINARY(subtract)
GPUARRAY_HALF_BINARY(multiply)
GPUARRAY_HALF_BINARY(divide)

}  // namespace gpuarray::math
