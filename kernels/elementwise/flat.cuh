// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Element-wise operations on contiguous arrays: one 16-byte access a thread and operand.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/elementwise/params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

template <int Operands>
struct FlatReader {
  const FlatParams<Operands>& p;
  int64_t at;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    const T* source = static_cast<const T*>(p.data[k]) + at;
    if (p.data[k] == nullptr) {
      splat(vector, read_scalar<T>(p.scalars[k]));
    } else if (Count == 1 || (p.aligned >> k & 1)) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[i];
    }
  }
};

template <int Count, class Function, class Out, class... In>
__device__ void flat_at(const FlatParams<1 + sizeof...(In)>& p, int64_t at) {
  Inputs<Count, 1, In...> inputs;
  inputs.load(FlatReader<1 + sizeof...(In)>{p, at});
  Vec<Out, Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i) result.items[i] = inputs.template evaluate<Function>(i);
  store(static_cast<Out*>(p.data[0]) + at, result);
}

template <class Function, class Out, class... In>
__device__ void flat_kernel(const FlatParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  constexpr int kWidth = vector_width<Out, In...>;
  const int64_t thread = int64_t(blockIdx.x) * kFlatBlock + threadIdx.x;
  const int64_t at = p.head + thread * kWidth;
  const bool full = at + kWidth <= p.size;
  if (full) flat_at<kWidth, Function, Out, In...>(p, at);
  // One element before the first vector, then those after the last: a single loop is compiled.
  const int64_t tail = full ? p.size : at;
  int64_t i = thread < p.head ? thread : tail;
#pragma unroll 1
  while (i < p.size) {
    flat_at<1, Function, Out, In...>(p, i);
    i = i < p.head ? tail : i + 1;
  }
}

}  // namespace gpuarray
