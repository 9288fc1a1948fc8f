// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The flat walk, over contiguous arrays: each thread takes one vector of every operand, which is 16
// bytes of the widest dtype. Blocks have kFlatBlock threads, and the grid covers all elements once.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/operands.cuh"
#include "kernels/elementwise/walk_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Tells where a thread of the flat walk stands (a Place: see Reader). `at` is the index of its
// first element, which is the offset in every operand.
template <class Params>
struct FlatPlace {
  const Params& p;
  int64_t at;

  __device__ int64_t offset(int) const { return at; }
  __device__ int64_t step(int) const { return 1; }
  // Full vectors begin where operand 0 is aligned, so that operand 0 always has vectors.
  __device__ bool is_vector(int k) const { return k == 0 || (p.head.aligned >> k & 1); }
};

// Reads the elements `at`, ..., `at + Count - 1` of all operands, calls `body` for each, and writes
// back.
template <int Count, class... T, class Params, class Body>
__device__ void flat_at(const Params& p, int64_t at, Body& body) {
  const FlatPlace<Params> place{p, at};
  Elements<Count, 0, T...> elements;
  elements.for_each(Reader<FlatPlace<Params>>{place});
  visit_all<decltype(p.operands)::kIsRolled>(elements, at, body);
  elements.for_each(Writer<written_operands<T...>(), FlatPlace<Params>>{place});
}

// Calls body(index, element...) for each element of the operands T..., a vector a thread, or one
// element a thread if not `vectors`.
template <bool vectors, class... T, class Params, class Body>
__device__ void walk_flat(const Params& p, Body body) {
  constexpr int kWidth = width_of<vectors, T...>();
  const int64_t size = p.head.size, head = p.head.head;
  const int64_t thread = int64_t(blockIdx.x) * kFlatBlock + threadIdx.x;
  const int64_t at = head + thread * kWidth;
  const bool full = at + kWidth <= size;
  if (full) flat_at<kWidth, T...>(p, at, body);
  // One loop takes both the elements before the first vector, one a thread, and those after the
  // last, so that its body is compiled once.
  const int64_t tail = full ? size : at;
  int64_t i = thread < head ? thread : tail;
#pragma unroll 1
  while (i < size) {
    flat_at<1, T...>(p, i, body);
    i = i < head ? tail : i + 1;
  }
}

// Sets each element of operand 0 to Function::apply of the elements of the others, which have types
// In. Operands that are not aligned where operand 0 is are accessed element by element.
template <class Function, class Out, class... In>
__device__ void flat_kernel(const FlatParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  walk_flat<true, Out, const In...>(p, Apply<Function>{});
}

}  // namespace gpuarray
