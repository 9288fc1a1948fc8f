// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The element-wise kernels for any strides, one for each arity and one for casts. Any launch shape
// works: the threads of the grid loop over the elements, one at a time.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/grid.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/elementwise/params.hpp"

namespace gpuarray {

// Returns the address of operand k: its data, or its scalar, whose strides are 0.
template <class T, int Operands>
__device__ const stored_t<T>* operand(const ElementwiseParams<Operands>& p, int k) {
  const void* data = p.data[k] != nullptr ? p.data[k] : static_cast<const void*>(p.scalars[k]);
  return static_cast<const stored_t<T>*>(data);
}

// Calls body(offsets) for every element of the launch; offsets[k] is that element's offset in
// operand k, in elements.
template <int Operands, class Body>
__device__ void for_each_element(const ElementwiseParams<Operands>& p, Body body) {
  wait_for_previous_grid();
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  bool narrow = p.size <= 0xffffffff;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < p.size; i += step) {
    int64_t offsets[Operands];
    if (p.ndim == 1) {
      for (int k = 0; k < Operands; ++k) offsets[k] = i * p.strides[k][0];
    } else {
      find_offsets(i, narrow, p.ndim, p.shape, p.strides, offsets);
    }
    body(offsets);
  }
}

// Sets each element of operand 0 to that of operand 1, converted as `cast` does.
template <class To, class From>
__device__ void cast_kernel(const ElementwiseParams<2>& p) {
  To* out = static_cast<To*>(p.data[0]);
  const auto* source = operand<From>(p, 1);
  for_each_element(p, [=](const int64_t (&at)[2]) { out[at[0]] = cast<To>(From(source[at[1]])); });
}

// Sets each element of operand 0 to Functor::apply of the elements of the others. The functor is
// one of functors.cuh for loop type T, in which the inputs are stored; the output has the functor's
// result type.
template <class Functor, class T>
__device__ void unary_kernel(const ElementwiseParams<2>& p) {
  auto* out = static_cast<typename Functor::result*>(p.data[0]);
  const auto* a = operand<T>(p, 1);
  for_each_element(p, [=](const int64_t (&at)[2]) { out[at[0]] = Functor::apply(a[at[1]]); });
}

template <class Functor, class T>
__device__ void binary_kernel(const ElementwiseParams<3>& p) {
  auto* out = static_cast<typename Functor::result*>(p.data[0]);
  const auto* a = operand<T>(p, 1);
  const auto* b = operand<T>(p, 2);
  for_each_element(
      p, [=](const int64_t (&at)[3]) { out[at[0]] = Functor::apply(a[at[1]], b[at[2]]); });
}

template <class Functor, class T>
__device__ void ternary_kernel(const ElementwiseParams<4>& p) {
  auto* out = static_cast<typename Functor::result*>(p.data[0]);
  const auto* a = operand<typename Functor::first>(p, 1);
  const auto* b = operand<T>(p, 2);
  const auto* c = operand<T>(p, 3);
  for_each_element(p, [=](const int64_t (&at)[4]) {
    out[at[0]] = Functor::apply(a[at[1]], b[at[2]], c[at[3]]);
  });
}

}  // namespace gpuarray
