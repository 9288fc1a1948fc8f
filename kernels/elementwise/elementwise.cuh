// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// One kernel body for every row of ops.def and every cast: a grid-stride walk over any strides.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/grid.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/elementwise/params.hpp"

namespace gpuarray {

template <class T, int Operands>
__device__ const stored_t<T>* operand(const ElementwiseParams<Operands>& p, int k) {
  const void* data = p.data[k] != nullptr ? p.data[k] : static_cast<const void*>(p.scalars[k]);
  return static_cast<const stored_t<T>*>(data);
}

// Calls body(offsets) for every element of the launch.
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

template <class To, class From>
__device__ void cast_kernel(const ElementwiseParams<2>& p) {
  To* out = static_cast<To*>(p.data[0]);
  const auto* source = operand<From>(p, 1);
  for_each_element(p, [=](const int64_t (&at)[2]) { out[at[0]] = cast<To>(From(source[at[1]])); });
}

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
