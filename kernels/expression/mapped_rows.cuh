// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The rows walk of expressions with operands that have an index map (src/backend/index_map.hpp). A
// map along the outer axes is applied once for a row. One along the columns tells for each element
// which of two stretches of the operand's row it lies in.
#pragma once

#include "kernels/elementwise/rows.cuh"
#include "kernels/expression/expression_params.hpp"

namespace gpuarray {

GPUARRAY_HD constexpr int count_bits(uint32_t word) {
  int count = 0;
  for (int bit = 0; bit < 32; ++bit) count += word >> bit & 1;
  return count;
}

// The maps of a kernel: bit k of `outer` and of `columns` is set if operand k has a map along the
// outer axes or along the columns.
template <uint32_t outer, uint32_t columns>
struct MapMasks {
  static constexpr uint32_t kAny = outer | columns;
  static constexpr int kCount = count_bits(kAny);

  GPUARRAY_HD static constexpr bool has(int k) { return kAny >> k & 1; }
  GPUARRAY_HD static constexpr bool has_outer(int k) { return outer >> k & 1; }
  GPUARRAY_HD static constexpr bool has_columns(int k) { return columns >> k & 1; }
  // Returns where the map of operand k is in the parameters.
  GPUARRAY_HD static constexpr int place(int k) { return count_bits(kAny & ((1u << k) - 1)); }
};

// Tells where a thread stands (a Place: see Reader).
template <class Masks, class Params, int Operands>
struct MappedPlace {
  const Params& p;  // of the rows
  const int64_t (&offsets)[Operands];
  const AxisMap (&columns)[at_least_one<Masks::kCount>];  // the maps along the columns
  int64_t column;                                          // the thread's first one

  __device__ int64_t offset(int k) const { return offsets[k]; }
  __device__ int64_t step(int k) const { return p.step(k); }
  __device__ bool is_vector(int k) const { return k == 0 || (p.head.vectors >> k & 1); }
};

// Reads the elements of operand k into a vector, from both sides of a seam if need be.
template <class Masks, class Place>
struct MappedReader {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (!Masks::has_columns(k)) return Reader<Place>{place}(k, vector);
    if (fill_single(place.p.operands, k, vector)) return;
    const T* source = static_cast<const T*>(place.p.operands.data[k]) + place.offset(k);
    const AxisMap& map = place.columns[Masks::place(k)];
    const int64_t step = place.step(k), before = map.limit - place.column;
    if (Count == 1 || before <= 0 || before >= Count) {
      source += before > 0 ? map.below : map.above;
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[i * step];
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        vector.items[i] = source[i * step + (i < before ? map.below : map.above)];
    }
  }
};

// Adds the offset of element `index` of the outer axes, as add_outer() does, with the maps.
template <class Masks, bool wide, class Params, int Operands, class Number>
__device__ void add_mapped_outer(const Params& params, Number index,
                                 int64_t (&offsets)[Operands]) {
  const auto& outer = params.rows.outer;
  constexpr int kAxes = Params::kDims - 1;
#pragma unroll
  for (int axis = kAxes - 1; axis >= 0; --axis) {
    const Number quotient = axis > 0 ? divide<wide>(index, outer.extents[axis]) : 0;
    const int64_t position =
        axis > 0 ? index - quotient * Number(outer.extents[axis].extent) : index;
#pragma unroll
    for (int k = 0; k < Operands; ++k) {
      offsets[k] += position * outer.strides[k][axis];
      if (Masks::has_outer(k)) {
        const AxisMap& map = params.maps[axis][Masks::place(k)];
        offsets[k] += position < map.limit ? map.below : map.above;
      }
    }
    index = quotient;
  }
}

// As rows_block(), which has no maps.
template <int Count, bool wide, class Masks, class... T, class Params, class Number, class Body>
__device__ void mapped_block(const Params& params, Number block, Body& body) {
  constexpr int kOperands = sizeof...(T), kRows = rows_per_thread<Count, kOperands>;
  const auto& p = params.rows;
  using Place = MappedPlace<Masks, typename Params::Rows, kOperands>;
  const RowsHead& head = p.head;
  const Number height = kRowsBlock >> head.log_width;
  const uint32_t lane = threadIdx.x & ((1u << head.log_width) - 1);
  const Number row_block = divide<wide>(block, head.row_blocks);
  const Number column_block = block - row_block * Number(head.row_blocks.extent);
  const int64_t column = ((int64_t(column_block) << head.log_width) + lane) * Count;
  const Number first = row_block * (height * kRows) + Number(threadIdx.x >> head.log_width);
  if (column >= head.columns) return;
  Elements<Count, 0, T...> elements[kRows];
  int64_t offsets[kRows][kOperands];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const Number row = first + i * height;
    if (row >= Number(head.rows)) continue;
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[i][k] = column * p.step(k);
    add_mapped_outer<Masks, wide>(params, row, offsets[i]);
    const Place place{p, offsets[i], params.maps[Params::kDims - 1], column};
    elements[i].for_each(MappedReader<Masks, Place>{place});
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const Number row = first + i * height;
    if (row >= Number(head.rows)) continue;
    const int64_t index = int64_t(row) * head.columns + column;
#pragma unroll
    for (int j = 0; j < Count; ++j) elements[i].visit(j, index + j, body);
    const Place place{p, offsets[i], params.maps[Params::kDims - 1], column};
    elements[i].for_each(Writer<written_operands<T...>(), Place>{place});
  }
}

// Does what walk_rows() does where operands have maps.
template <bool vectors, bool wide, uint32_t outer, uint32_t columns, class... T, class Params,
          class Body>
__device__ void walk_mapped_rows(const Params& params, Body body) {
  constexpr int kCount = width_of<vectors, T...>();
  using Number = choose_t<wide, int64_t, uint32_t>;
  Number block = blockIdx.x;
  do {
    mapped_block<kCount, wide, MapMasks<outer, columns>, T...>(params, block, body);
    if constexpr (wide) block += gridDim.x;
  } while (wide && block < params.rows.head.blocks);
}

}  // namespace gpuarray
