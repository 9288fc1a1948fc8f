// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The merged walk, for results whose rows are no whole vectors: short, odd or offset ones. A thread
// writes aligned vectors of operand 0, which is contiguous over its two innermost axes, across the
// ends of rows; operands of other strides are read element by element. Blocks have kRowsBlock
// threads, and the grid covers all elements once.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/merged_params.hpp"
#include "kernels/elementwise/operands.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Where an element is in each operand: the offset along the outer axes and that along the others.
template <int Operands>
struct MergedElement {
  int64_t outer[Operands] = {};
  int32_t inner[Operands];
  uint32_t column;

  // Finds element number `at`.
  template <class Params>
  __device__ MergedElement(const Params& p, uint32_t at) {
    if (p.outer.ndim > 0) {
      const uint32_t index = p.row_size.divide(at);
      at -= index * p.row_size.divisor;
      add_outer<false>(p.outer, index, outer);
    }
    const uint32_t row = p.columns.divide(at);
    column = at - row * p.columns.divisor;
#pragma unroll
    for (int k = 0; k < Operands; ++k)
      inner[k] = int32_t(row) * p.across_steps[k] + int32_t(column) * p.steps[k];
  }
};

// Tells where a thread of the merged walk stands (a Place: see Reader).
template <class Params, int Operands>
struct MergedPlace {
  const Params& p;
  const MergedElement<Operands>& first;

  __device__ int64_t offset(int k) const { return first.outer[k] + first.inner[k]; }
  __device__ int64_t step(int k) const { return p.steps[k]; }
  __device__ bool is_vector(int k) const { return k == 0; }
};

// Reads the elements of operand k into a vector, by one access if its bit in `vectors` is set.
template <uint32_t vectors, class Place>
struct MergedReader {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (fill_single(place.p.operands, k, vector)) return;
    const T* source = static_cast<const T*>(place.p.operands.data[k]) + place.offset(k);
    if (vectors >> k & 1) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source);
      return;
    }
    uint32_t column = place.first.column;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      vector.items[i] = *source;
      const bool ends = ++column == place.p.columns.divisor;
      source += ends ? place.p.turns[k] : place.p.steps[k];
      if (ends) column = 0;
    }
  }
};

// Sets the elements `at`, `at + 1`, ... of operand 0, which fill no vector.
template <class... T, class Params, class Body>
__device__ void merged_tail(const Params& p, uint32_t at, Body& body) {
  using Place = MergedPlace<Params, sizeof...(T)>;
#pragma unroll 1
  for (; at < p.size; ++at) {
    const MergedElement<sizeof...(T)> element(p, at);
    const Place place{p, element};
    Elements<1, 0, T...> elements;
    elements.for_each(Reader<Place>{place});
    elements.visit(0, at, body);
    elements.for_each(Writer<written_operands<T...>(), Place>{place});
  }
}

// Calls body(index, element...) for each element of the operands T.... A thread reads a few vectors
// of all operands before it calls `body` for any.
template <uint32_t vectors, class... T, class Params, class Body>
__device__ void walk_merged(const Params& p, Body body) {
  constexpr int kCount = vector_width<T...>;
  constexpr int kVectors = kRowsElements > kCount ? kRowsElements / kCount : 1;
  using Place = MergedPlace<Params, sizeof...(T)>;
  const uint32_t first = (blockIdx.x * (kRowsBlock * kVectors) + threadIdx.x) * kCount;
  Elements<kCount, 0, T...> elements[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const uint32_t at = first + i * (kRowsBlock * kCount);
    if (at + kCount > p.size) continue;
    const MergedElement<sizeof...(T)> element(p, at);
    elements[i].for_each(MergedReader<vectors, Place>{{p, element}});
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const uint32_t at = first + i * (kRowsBlock * kCount);
    if (at + kCount > p.size) {
      if (at < p.size) merged_tail<T...>(p, at, body);
      return;
    }
#pragma unroll
    for (int j = 0; j < kCount; ++j) elements[i].visit(j, at + j, body);
    const MergedElement<sizeof...(T)> element(p, at);
    elements[i].for_each(Writer<written_operands<T...>(), Place>{{p, element}});
  }
}

// Sets each element of operand 0 to Function::apply of the elements of the others. Bit k of
// `vectors` says that operand k is contiguous and aligned as operand 0 is, or a scalar.
template <uint32_t vectors, class Function, class Out, class... In>
__device__ void merged_kernel(const MergedParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  walk_merged<vectors, Out, const In...>(p, Apply<Function>{});
}

}  // namespace gpuarray
