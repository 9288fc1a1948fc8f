// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The rows walk of expressions with operands that have an index map (src/backend/index_map.hpp). A
// map along the outer axes is applied once for a row. One along the columns tells for each element
// which stretch of the operand's row it lies in. What is written is not read.
#pragma once

#include "kernels/elementwise/rows.cuh"
#include "kernels/expression/expression_params.hpp"

namespace gpuarray {

// Returns the value whose operand has no hole where all others have zeros.
template <class T, class... Others>
GPUARRAY_HD T joined(T one, Others... others) {
  struct Bits {
    unsigned_t<T> words[sizeof(T) > 8 ? sizeof(T) / 8 : 1];
  } bits = bit_cast<Bits>(one);
  const Bits all[] = {bit_cast<Bits>(others)...};
  for (const Bits& other : all)
    for (int i = 0; i < int(sizeof(bits.words) / sizeof(bits.words[0])); ++i)
      bits.words[i] |= other.words[i];
  return bit_cast<T>(bits);
}

GPUARRAY_HD constexpr int count_bits(uint32_t word) {
  int count = 0;
  for (int bit = 0; bit < 32; ++bit) count += word >> bit & 1;
  return count;
}

// What a kernel takes for granted of its operands: bit k of `outer` and of `columns` is set if
// operand k has a map along the outer axes or along the columns, of `units` if its elements lie
// side by side along the columns, and of `holes` if its map has holes.
template <uint32_t outer, uint32_t columns, uint32_t units, uint32_t holes>
struct MappedOperands {
  static constexpr uint32_t kAny = outer | columns;

  GPUARRAY_HD static constexpr bool has_outer(int k) { return outer >> k & 1; }
  GPUARRAY_HD static constexpr bool has_columns(int k) { return columns >> k & 1; }
  GPUARRAY_HD static constexpr bool has_units(int k) { return units >> k & 1; }
  GPUARRAY_HD static constexpr bool has_holes(int k) { return holes >> k & 1; }
  static constexpr uint32_t kHoles = holes;
  // Returns where the map of operand k is in the parameters.
  GPUARRAY_HD static constexpr int place(int k) { return count_bits(kAny & ((1u << k) - 1)); }
};

// Tells where a thread stands (a Place: see Reader). Offset is the type of all offsets.
template <class Mapped, class Params, class Offset, int Operands>
struct MappedPlace {
  const Params& params;
  const typename Params::Rows& p;
  const Offset (&offsets)[Operands];
  Offset column;   // the thread's first one
  uint32_t holes;  // bit k: operand k has no elements in the row

  __device__ Offset offset(int k) const { return offsets[k]; }
  __device__ Offset step(int k) const { return Mapped::has_units(k) ? 1 : Offset(p.step(k)); }
  __device__ bool is_vector(int k) const { return k == 0 || (p.head.vectors >> k & 1); }
  __device__ const typename Params::Map& column_map(int k) const {
    return params.maps[Params::kDims - 1][Mapped::place(k)];
  }
};

// Reads the elements of operand k into a vector, from all sides of seams if need be. Those in holes
// read nothing.
template <uint32_t written, class Mapped, class Offset, class Place>
struct MappedReader {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (written >> k & 1) return splat(vector, T{});
    if (Mapped::has_holes(k) && (place.holes >> k & 1)) return splat(vector, fill<T>(k));
    if (!Mapped::has_columns(k)) return Reader<Place>{place}(k, vector);
    const T* source = static_cast<const T*>(place.p.operands.data[k]) + place.offset(k);
    const auto& map = place.column_map(k);
    const Offset first = place.column, step = place.step(k);
    const auto is_hole = [&](Offset at) { return Mapped::has_holes(k) && map.is_hole_at(at); };
    if (Count == 1 || map.is_one_piece(first, first + Count - 1)) {
      if (is_hole(first)) return splat(vector, fill<T>(k));
      source += map.moved(first, step);
      const Offset apart = step * map.step_at(first);
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[i * apart];
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        vector.items[i] =
            is_hole(first + i) ? fill<T>(k) : source[i * step + map.moved(first + i, step)];
    }
  }

 private:
  // Returns what elements in a hole of operand k are.
  template <class T>
  __device__ T fill(int k) const {
    if constexpr (Mapped::kHoles == 0)
      return T{};
    else
      return *reinterpret_cast<const T*>(place.params.fills[Mapped::place(k)].words);
  }
};

// Adds the offset of element `index` of the outer axes, as add_outer() does, with the maps. Returns
// a mask of the operands that have a hole there.
template <class Mapped, bool wide, class Params, class Offset, int Operands, class Number>
__device__ uint32_t add_mapped_outer(const Params& params, Number index,
                                     Offset (&offsets)[Operands]) {
  const auto& outer = params.rows.outer;
  uint32_t holes = 0;
#pragma unroll
  for (int axis = Params::kDims - 2; axis >= 0; --axis) {
    const Number quotient = axis > 0 ? divide<wide>(index, outer.extents[axis]) : 0;
    const auto position =
        Offset(axis > 0 ? index - quotient * Number(outer.extents[axis].extent) : index);
#pragma unroll
    for (int k = 0; k < Operands; ++k) {
      const auto stride = Offset(outer.strides[k][axis]);
      offsets[k] += position * stride;
      if (!Mapped::has_outer(k)) continue;
      const auto& map = params.maps[axis][Mapped::place(k)];
      if (Mapped::has_holes(k) && map.is_hole_at(position))
        holes |= 1u << k;
      else
        offsets[k] += map.moved(position, stride);
    }
    index = quotient;
  }
  return holes;
}

// As rows_block(), which has no maps.
template <int Count, bool wide, class Mapped, class... T, class Params, class Number, class Body>
__device__ void mapped_block(const Params& params, Number block, Body& body) {
  constexpr int kOperands = sizeof...(T), kRows = rows_per_thread<Count, kOperands>;
  constexpr uint32_t kWritten = written_operands<T...>();
  using Offset = choose_t<wide, int64_t, int32_t>;
  using Place = MappedPlace<Mapped, Params, Offset, kOperands>;
  const auto& p = params.rows;
  const RowsHead& head = p.head;
  const Number height = kRowsBlock >> head.log_width;
  const uint32_t lane = threadIdx.x & ((1u << head.log_width) - 1);
  const Number row_block = divide<wide>(block, head.row_blocks);
  const Number column_block = block - row_block * Number(head.row_blocks.extent);
  const auto column = ((Offset(column_block) << head.log_width) + Offset(lane)) * Count;
  const Number first = row_block * (height * kRows) + Number(threadIdx.x >> head.log_width);
  if (column >= head.columns) return;
  Elements<Count, 0, T...> elements[kRows];
  Offset offsets[kRows][kOperands];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const Number row = first + i * height;
    if (row >= Number(head.rows)) continue;
    Place place{params, p, offsets[i], column, 0};
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[i][k] = column * place.step(k);
    place.holes = add_mapped_outer<Mapped, wide>(params, row, offsets[i]);
    elements[i].for_each(MappedReader<kWritten, Mapped, Offset, Place>{place});
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const Number row = first + i * height;
    if (row >= Number(head.rows)) continue;
    const int64_t index = int64_t(row) * head.columns + column;
#pragma unroll
    for (int j = 0; j < Count; ++j) elements[i].visit(j, index + j, body);
    const Place place{params, p, offsets[i], column, 0};
    elements[i].for_each(Writer<kWritten, Place>{place});
  }
}

// Does what walk_rows() does where operands have maps. A walk that is not `wide` has all offsets
// below 2^31, too.
template <bool vectors, bool wide, uint32_t outer, uint32_t columns, uint32_t units, uint32_t holes,
          class... T, class Params, class Body>
__device__ void walk_mapped_rows(const Params& params, Body body) {
  constexpr int kCount = width_of<vectors, T...>();
  using Number = choose_t<wide, int64_t, uint32_t>;
  using Mapped = MappedOperands<outer, columns, units, holes>;
  Number block = blockIdx.x;
  do {
    mapped_block<kCount, wide, Mapped, T...>(params, block, body);
    if constexpr (wide) block += gridDim.x;
  } while (wide && block < params.rows.head.blocks);
}

}  // namespace gpuarray
