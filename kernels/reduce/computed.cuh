// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Elements that a reduction or scan computes of operands instead of reading them. The source
// (src/backend/expression_source.cpp) defines a Map. All its names begin with gpuarray, as users'
// names are in scope:
// - GpuarrayGiven, the constants of the kernel, and gpuarray_element, the type of an element;
// - GpuarrayRow, which moves along with the elements, as pointers to operands: gpuarray_row(given,
//   k) makes that of row k, and gpuarray_moved(row, n) that of the elements from the nth one on;
// - gpuarray_pack, the elements that are read together: if they are several, they are so only where
//   gpuarray_is_aligned(given) holds, or in a row;
// - gpuarray_load<count>(given, row, at, i), which reads the operands of `count` elements to a
//   GpuarrayLoaded<count>. The first of them has place `at` from the row on and number i of all;
// - gpuarray_compute(given, row, loaded, k, i), which returns element k of those, number i of all.
#pragma once

#include "kernels/element/divisor.hpp"
#include "kernels/element/inputs.cuh"
#include "kernels/reduce/reduce_params.hpp"

namespace gpuarray {

// `count` neighbouring elements of an operand in registers. If they are aligned to their bytes, or
// to 16, they are read by vectors.
template <class T, int count, bool is_aligned>
class Neighbours {
  static constexpr int most = 16 / sizeof(T), width = !is_aligned ? 1 : count < most ? count : most;
  Vec<stored_t<T>, width> parts_[count / width];

 public:
  Neighbours() = default;
  __device__ explicit Neighbours(const stored_t<T>* source) {
#pragma unroll
    for (int k = 0; k < count / width; ++k)
      parts_[k] = reinterpret_cast<const Vec<stored_t<T>, width>*>(source)[k];
  }
  __device__ T operator[](int k) const { return parts_[k / width].items[k % width]; }
};

// An operand as a parameter of the kernel. Along a row its elements lie side by side, or there is
// one for the row.
template <class T, bool is_split>
struct ComputedOperand {
  const stored_t<T>* data;
  int64_t row_stride;  // elements

  __device__ const stored_t<T>* row(int64_t row) const { return data + row * row_stride; }
};

// The same of rows that lie along two axes. There are less than 2^31 of them.
template <class T>
struct ComputedOperand<T, true> {
  const stored_t<T>* data;
  int64_t row_stride, outer_stride;  // elements
  Divisor rows;                      // along the inner axis
  uint32_t unused;                   // fills the struct to a multiple of 8 bytes

  __device__ const stored_t<T>* row(int64_t row) const {
    const uint32_t outer = rows.divide(uint32_t(row));
    return data + outer * outer_stride + (row - int64_t(outer) * rows.divisor) * row_stride;
  }
};

// The elements from one on, which are used as a pointer to them: by + and []. Neighbours can be
// read together, as a pack.
template <class Map>
struct ComputedElements {
  template <int count>
  using Loaded = typename Map::template GpuarrayLoaded<count>;
  static constexpr int pack = Map::gpuarray_pack;

  const typename Map::GpuarrayGiven& given;
  typename Map::GpuarrayRow operands;
  int64_t place;  // the number of the first element; packs begin where `pack` divides it

  __device__ bool is_aligned() const
    requires(pack > 1)
  {
    return Map::gpuarray_is_aligned(given);
  }
  __device__ ComputedElements operator+(int64_t n) const {
    return {given, Map::gpuarray_moved(operands, n), place + n};
  }
  template <int count>
  __device__ Loaded<count> load(int64_t at) const {
    return Map::template gpuarray_load<count>(given, operands, at, place + at);
  }
  // Returns element k of a pack that was loaded from the first element on.
  template <class Pack>
  __device__ auto compute(const Pack& loaded, int k) const {
    return Map::gpuarray_compute(given, operands, loaded, k, place + k);
  }
  __device__ auto operator[](int64_t at) const { return (*this + at).compute(load<1>(at), 0); }
};

// The elements by rows. A row is what an output reduces, or if the kernel reduces columns has an
// element of each output. They have the places of the elements of the contiguous array at
// params.source, so that they are taken in the same order and give the same bits.
template <class Map, bool are_columns_>
struct ComputedRows {
  static constexpr bool are_columns = are_columns_;

  const ReduceParams& params;
  const typename Map::GpuarrayGiven& given;

  __device__ ComputedElements<Map> row(int64_t row) const {
    const uint64_t first =
        reinterpret_cast<uint64_t>(params.source) / sizeof(typename Map::gpuarray_element);
    return {given, Map::gpuarray_row(given, row), int64_t(first + row * params.count)};
  }
};

}  // namespace gpuarray
