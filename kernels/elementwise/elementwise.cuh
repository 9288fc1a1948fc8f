// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The element-wise kernels for any strides, one for each arity and one for casts. Any launch shape
// works: the threads of the grid loop over the elements, one at a time.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/elementwise/any_dtype.cuh"
#include "kernels/elementwise/params.hpp"

namespace gpuarray {

// Returns the address of operand k: its data, or its scalar, whose strides are 0.
template <int Operands>
__device__ const void* address_of(const ElementwiseParams<Operands>& p, int k) {
  return p.data[k] != nullptr ? p.data[k] : static_cast<const void*>(p.scalars[k]);
}

// Operand k, whose elements are read as T from whatever dtype they have in memory.
template <class T>
class Input {
 public:
  template <int Operands>
  __device__ Input(const ElementwiseParams<Operands>& p, int k)
      : data_(address_of(p, k)), dtype_(ElementDType(p.dtypes[k])) {}

  __device__ T operator[](int64_t at) const {
    if (dtype_ == dtype_of<T>) return T(static_cast<const stored_t<T>*>(data_)[at]);
    return load_as<T>(data_, at, dtype_);
  }

 private:
  const void* data_;
  ElementDType dtype_;
};

// Operand 0, whose elements of type T are written as whatever dtype they have in memory.
template <class T>
class Output {
 public:
  template <int Operands>
  __device__ explicit Output(const ElementwiseParams<Operands>& p)
      : data_(p.data[0]), dtype_(ElementDType(p.dtypes[0])) {}

  __device__ void set(int64_t at, T value) const {
    if (dtype_ == dtype_of<T>)
      static_cast<stored_t<T>*>(data_)[at] = value;
    else
      store_as<T>(data_, at, dtype_, value);
  }

 private:
  void* data_;
  ElementDType dtype_;
};

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
  auto* out = static_cast<stored_t<To>*>(p.data[0]);
  const auto* source = static_cast<const stored_t<From>*>(address_of(p, 1));
  for_each_element(p, [=](const int64_t (&at)[2]) { out[at[0]] = cast<To>(From(source[at[1]])); });
}

// Sets each element of operand 0 to Functor::apply of the elements of the others. The functor is
// one of functors.cuh for loop type T. Operands of other dtypes are converted on load, and the
// functor's result type to that of the output.
template <class Functor, class T>
__device__ void unary_kernel(const ElementwiseParams<2>& p) {
  const Output<typename Functor::result> out(p);
  const Input<T> a(p, 1);
  for_each_element(p, [=](const int64_t (&at)[2]) { out.set(at[0], Functor::apply(a[at[1]])); });
}

template <class Functor, class T>
__device__ void binary_kernel(const ElementwiseParams<3>& p) {
  const Output<typename Functor::result> out(p);
  const Input<T> a(p, 1), b(p, 2);
  for_each_element(
      p, [=](const int64_t (&at)[3]) { out.set(at[0], Functor::apply(a[at[1]], b[at[2]])); });
}

template <class Functor, class T>
__device__ void ternary_kernel(const ElementwiseParams<4>& p) {
  const Output<typename Functor::result> out(p);
  const Input<typename Functor::first> a(p, 1);
  const Input<T> b(p, 2), c(p, 3);
  for_each_element(p, [=](const int64_t (&at)[4]) {
    out.set(at[0], Functor::apply(a[at[1]], b[at[2]], c[at[3]]));
  });
}

}  // namespace gpuarray
