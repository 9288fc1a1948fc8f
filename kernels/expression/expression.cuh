// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the kernels of users' expressions include. They walk their operands as the kernels of
// operators do, but their number of axes is a constant, so that the loop over outer axes is
// unrolled.
#pragma once

#include "kernels/elementwise/flat.cuh"
#include "kernels/elementwise/merged.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/elementwise/tile.cuh"
#include "kernels/expression/expression_params.hpp"
#include "kernels/expression/long_rows.cuh"

namespace gpuarray {

// Returns whether operand k needs no read for each element, and then fills `vector`: with zeros if
// the operand is fresh, with its one element if it is single.
template <class T, int Count, int Operands>
__device__ bool fill_single(const ExpressionOperands<Operands>& operands, int k,
                            Vec<T, Count>& vector) {
  if (operands.fresh >> k & 1)
    splat(vector, T{});
  else if (operands.single >> k & 1)
    splat(vector, *static_cast<const T*>(operands.data[k]));
  else
    return false;
  return true;
}

// Adds the offset of element `index` of the first `axes` axes to the offset of each operand.
template <int axes, bool wide, class Head, int Operands, int Dims, class Number>
__device__ void add_axes(const AxesExpression<Head, Operands, Dims>& p, Number index,
                         int64_t (&offsets)[Operands]) {
#pragma unroll
  for (int axis = axes - 1; axis >= 0; --axis) {
    const Number outer = axis > 0 ? divide<wide>(index, p.outer[axis]) : 0;
    const int64_t position = index - outer * Number(p.outer[axis].extent);
#pragma unroll
    for (int k = 0; k < Operands; ++k) offsets[k] += position * p.strides[k][axis];
    index = outer;
  }
}

// Adds the offset of row `row` to the offset of each operand.
template <bool wide, int Operands, int Dims, class Number>
__device__ void add_row(const RowsExpression<Operands, Dims>& p, Number row,
                        int64_t (&offsets)[Operands]) {
  add_axes<Dims - 1, wide>(p, row, offsets);
}

// Adds the offset of element `outer` of the outer axes to the offset of each operand.
template <int Operands, int Dims>
__device__ void add_tile(const TileExpression<Operands, Dims>& p, uint32_t outer,
                         int64_t (&offsets)[Operands]) {
  add_axes<Dims - 2, false>(p, outer, offsets);
}

// Adds the offset of element `outer` of the outer axes to the offset of each operand.
template <int Operands, int Dims>
__device__ void add_merged(const MergedExpression<Operands, Dims>& p, uint32_t outer,
                           int64_t (&offsets)[Operands]) {
  add_axes<Dims - 2, false>(p, outer, offsets);
}
// Returns whether there are outer axes.
template <int Operands, int Dims>
__device__ bool has_outer(const MergedExpression<Operands, Dims>&) {
  return Dims > 2;
}

}  // namespace gpuarray
