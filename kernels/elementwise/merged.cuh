// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The merged walk, for results whose rows are no whole vectors: short, odd or offset ones. A thread
// writes aligned vectors of operands that are contiguous over their two innermost axes, across the
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
    const MergedHead& head = p.head;
    if (p.outer.count() > 0) {
      const uint32_t index = head.row_size.divide(at);
      at -= index * head.row_size.divisor;
      add_outer<false>(p.outer, index, outer);
    }
    const uint32_t row = head.columns.divide(at);
    column = at - row * head.columns.divisor;
#pragma unroll
    for (int k = 0; k < Operands; ++k)
      inner[k] = int32_t(row) * int32_t(p.across_step(k)) + int32_t(column) * int32_t(p.step(k));
  }
};

// Tells where a thread of the merged walk stands (a Place: see Reader).
template <uint32_t vectors, class Params, int Operands>
struct MergedPlace {
  const Params& p;
  const MergedElement<Operands>& first;

  __device__ int64_t offset(int k) const { return first.outer[k] + first.inner[k]; }
  __device__ int64_t step(int k) const { return p.step(k); }
  __device__ bool is_vector(int k) const { return vectors >> k & 1; }
};

// Reads the elements of operand k into a vector, by one access if they lie in one.
template <class Place>
struct MergedReader {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (fill_single(place.p.operands, k, vector)) return;
    const T* source = static_cast<const T*>(place.p.operands.data[k]) + place.offset(k);
    if (place.is_vector(k)) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source);
      return;
    }
    const auto columns = int32_t(place.p.head.columns.divisor), step = int32_t(place.p.step(k));
    const int32_t turn = int32_t(place.p.across_step(k)) - (columns - 1) * step;
    auto column = int32_t(place.first.column);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      vector.items[i] = *source;
      const bool ends = ++column == columns;
      source += ends ? turn : step;
      if (ends) column = 0;
    }
  }
};

// Takes the elements `at`, `at + 1`, ..., which fill no vector.
template <class... T, class Params, class Body>
__device__ void merged_tail(const Params& p, uint32_t at, Body& body) {
  using Place = MergedPlace<0, Params, sizeof...(T)>;
#pragma unroll 1
  for (; at < p.head.size; ++at) {
    const MergedElement<sizeof...(T)> element(p, at);
    const Place place{p, element};
    Elements<1, 0, T...> elements;
    elements.for_each(Reader<Place>{place});
    elements.visit(0, at, body);
    elements.for_each(Writer<written_operands<T...>(), Place>{place});
  }
}

// Calls body(index, element...) for each element of the operands T.... A thread reads a few vectors
// of all operands before it calls `body` for any. Bit k of `vectors` says that operand k is
// contiguous over its two innermost axes and aligned, or a single element. Each written operand has
// its bit.
template <uint32_t vectors, class... T, class Params, class Body>
__device__ void walk_merged(const Params& p, Body body) {
  constexpr int kCount = vector_width<T...>;
  constexpr int kVectors = merged_vectors(sizeof...(T), kCount);
  using Place = MergedPlace<vectors, Params, sizeof...(T)>;
  const uint32_t first = (blockIdx.x * (kRowsBlock * kVectors) + threadIdx.x) * kCount;
  Elements<kCount, 0, T...> elements[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const uint32_t at = first + i * (kRowsBlock * kCount);
    if (at + kCount > p.head.size) continue;
    const MergedElement<sizeof...(T)> element(p, at);
    elements[i].for_each(MergedReader<Place>{{p, element}});
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const uint32_t at = first + i * (kRowsBlock * kCount);
    if (at + kCount > p.head.size) {
      if (at < p.head.size) merged_tail<T...>(p, at, body);
      return;
    }
#pragma unroll
    for (int j = 0; j < kCount; ++j) elements[i].visit(j, at + j, body);
    const MergedElement<sizeof...(T)> element(p, at);
    elements[i].for_each(Writer<written_operands<T...>(), Place>{{p, element}});
  }
}

// Sets each element of operand 0 to Function::apply of the elements of the others.
template <uint32_t vectors, class Function, class Out, class... In>
__device__ void merged_kernel(const MergedParams<1 + sizeof...(In)>& p) {
  wait_for_previous_grid();
  walk_merged<vectors, Out, const In...>(p, Apply<Function>{});
}

}  // namespace gpuarray
