// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Reductions of elements whose dtype only the launch knows, converted one by one.
#pragma once

#include "kernels/elementwise/any_dtype.cuh"
#include "kernels/reduce/any_source.hpp"
#include "kernels/reduce/reduce.cuh"

namespace gpuarray {

// The elements from an offset on as type T.
template <class T>
struct AnyElements {
  const AnySource& source;
  int64_t offset;  // elements

  __device__ AnyElements operator+(int64_t n) const { return {source, offset + n}; }
  __device__ T operator[](int64_t at) const {
    return load_as<T>(source.data, offset + at, static_cast<ElementDType>(source.dtype));
  }
};

// Reduces the elements of `source`, on the paths `general` and `partials`.
template <class Reducer>
__device__ void reduce_any_kernel(const ReduceParams& p, const AnySource& source) {
  reduce_kernel<Reducer>(p, AnyElements<typename Reducer::value>{source, 0});
}

}  // namespace gpuarray
