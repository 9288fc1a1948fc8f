// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The rows walk, over any strides: each thread takes the same columns of a few rows, so that
// operands that repeat for every row come from the cache, and the index of a row is divided once
// for all its elements. Blocks have kRowsBlock threads.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/operands.cuh"
#include "kernels/elementwise/walk_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Divides n by an extent. The numbers are below 2^31 unless the walk is `wide`.
template <bool wide, class Number>
__device__ Number divide(Number n, const AxisExtent& by) {
  if constexpr (wide) return n / by.extent;
  return by.divisor.divide(uint32_t(n));
}

// Adds the offset of element `index` of the outer axes to the offset of each operand. If their
// number is not fixed, the outermost one, which needs no division, comes after the loop.
template <bool wide, int Operands, int Axes, bool is_fixed, class Number>
__device__ void add_outer(const OuterAxes<Operands, Axes, is_fixed>& outer, Number index,
                          int64_t (&offsets)[Operands]) {
  constexpr int kUnrolled = is_fixed ? at_least_one<Axes> : 1;
#pragma unroll kUnrolled
  for (int axis = outer.count() - 1; axis >= int(!is_fixed); --axis) {
    const Number quotient = axis > 0 ? divide<wide>(index, outer.extents[axis]) : 0;
    const int64_t position = index - quotient * Number(outer.extents[axis].extent);
#pragma unroll
    for (int k = 0; k < Operands; ++k) offsets[k] += position * outer.strides[k][axis];
    index = quotient;
  }
  if constexpr (!is_fixed)
#pragma unroll
    for (int k = 0; k < Operands; ++k) offsets[k] += int64_t(index) * outer.strides[k][0];
}

// Tells where a thread of the rows walk stands (a Place: see Reader).
template <class Params, int Operands>
struct RowsPlace {
  const Params& p;
  const int64_t (&offsets)[Operands];  // of the thread's first element in a row

  __device__ int64_t offset(int k) const { return offsets[k]; }
  __device__ int64_t step(int k) const { return p.step(k); }
  // Threads take vectors only where every row is a whole number of aligned vectors of operand 0.
  __device__ bool is_vector(int k) const { return k == 0 || (p.head.vectors >> k & 1); }
};

// The number of rows that a thread takes, which balances loads in flight against registers.
template <int Count, int Operands>
inline constexpr int rows_per_thread = Operands > kRowsFewOperands || Count >= kRowsElements ? 1
                                       : kRowsElements / Count > kRowsMost ? kRowsMost
                                                                           : kRowsElements / Count;

// Takes the share of this thread in block number `block` of the walk: `Count` neighbouring columns
// of a few rows. It reads the elements of all its rows before it calls `body` for any.
template <int Count, bool wide, class... T, class Params, class Number, class Body>
__device__ void rows_block(const Params& p, Number block, Body& body) {
  constexpr int kOperands = sizeof...(T), kRows = rows_per_thread<Count, kOperands>;
  using Place = RowsPlace<Params, kOperands>;
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
  bool inside[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const Number row = first + i * height;
    inside[i] = row < Number(head.rows) && int64_t(row) * head.columns + column < head.size;
    if (!inside[i]) continue;
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[i][k] = column * p.step(k);
    add_outer<wide>(p.outer, row, offsets[i]);
    const Place place{p, offsets[i]};
    elements[i].for_each(Reader<Place>{place});
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (!inside[i]) continue;
    const int64_t index = int64_t(first + i * height) * head.columns + column;
    visit_all<decltype(p.operands)::kIsRolled>(elements[i], index, body);
    const Place place{p, offsets[i]};
    elements[i].for_each(Writer<written_operands<T...>(), Place>{place});
  }
}

// Calls body(index, element...) for each element of the operands T...; `vectors` must equal the
// lowest bit of p.head.vectors. `wide` walks may have more rows or blocks than 31 bits can count;
// their blocks loop over those that the grid lacks.
template <bool vectors, bool wide, class... T, class Params, class Body>
__device__ void walk_rows(const Params& p, Body body) {
  constexpr int kCount = width_of<vectors, T...>();
  using Number = choose_t<wide, int64_t, uint32_t>;
  Number block = blockIdx.x;
  do {
    rows_block<kCount, wide, T...>(p, block, body);
    if constexpr (wide) block += gridDim.x;
  } while (wide && block < p.head.blocks);
}

// Sets each element of operand 0 to Function::apply of the elements of the others. A kernel
// compiled at run time passes a constant `vectors`, which halves the time to compile.
template <class Function, class Out, class... In>
__device__ void rows_kernel(const RowsParams<1 + sizeof...(In)>& p, bool vectors) {
  wait_for_previous_grid();
  if (vectors)
    walk_rows<true, false, Out, const In...>(p, Apply<Function>{});
  else
    walk_rows<false, false, Out, const In...>(p, Apply<Function>{});
}

// Does the same in kernels built ahead, which decide at run time whether they take vectors.
template <class Function, class Out, class... In>
__device__ void rows_kernel(const RowsParams<1 + sizeof...(In)>& p) {
  rows_kernel<Function, Out, In...>(p, p.head.vectors & 1);
}

}  // namespace gpuarray
