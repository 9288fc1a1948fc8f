// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The flat walk, over contiguous arrays: one access of 16 bytes a thread and operand.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/operands.cuh"
#include "kernels/elementwise/walk_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

template <class Params>
struct FlatPlace {
  const Params& p;
  int64_t at;

  __device__ int64_t offset(int) const { return at; }
  __device__ int64_t step(int) const { return 1; }
  // The walk begins at a vector of operand 0, so that this one always has vectors.
  __device__ bool is_vector(int k) const { return k == 0 || (p.head.aligned >> k & 1); }
};

// The elements `at`, ..., at + Count - 1.
template <int Count, class... T, class Params, class Body>
__device__ void flat_at(const Params& p, int64_t at, Body& body) {
  const FlatPlace<Params> place{p, at};
  Elements<Count, 0, T...> elements;
  elements.for_each(Reader<FlatPlace<Params>>{place});
#pragma unroll
  for (int i = 0; i < Count; ++i) elements.visit(i, at + i, body);
  elements.for_each(Writer<written_operands<T...>(), FlatPlace<Params>>{place});
}

// Calls body(index, element...) for each element of the operands T..., by vectors or one a thread.
template <bool vectors, class... T, class Params, class Body>
__device__ void walk_flat(const Params& p, Body body) {
  constexpr int kWidth = width_of<vectors, T...>();
  const int64_t size = p.head.size, head = p.head.head;
  const int64_t thread = int64_t(blockIdx.x) * kFlatBlock + threadIdx.x;
  const int64_t at = head + thread * kWidth;
  const bool full = at + kWidth <= size;
  if (full) flat_at<kWidth, T...>(p, at, body);
  // One element before the first vector, then those after the last: a single loop is compiled.
  const int64_t tail = full ? size : at;
  int64_t i = thread < head ? thread : tail;
#pragma unroll 1
  while (i < size) {
    flat_at<1, T...>(p, i, body);
    i = i < head ? tail : i + 1;
  }
}

template <class Function, class Out, class... In>
__device__ void flat_kernel(const FlatParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  walk_flat<true, Out, const In...>(p, Apply<Function>{});
}

}  // namespace gpuarray
