// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Kernels of users' expressions walk as those of the operators do. What they add is how the offsets
// of outer axes are found where their number is a constant.
#pragma once

#include "kernels/elementwise/flat.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/elementwise/tile.cuh"
#include "kernels/expression/expression_params.hpp"

namespace gpuarray {

// Whether operand k is one value for all elements, which `vector` is then filled with.
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

// Adds the offsets of element `index` of the first `axes` axes to those of all operands.
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

template <bool wide, int Operands, int Dims, class Number>
__device__ void add_row(const RowsExpression<Operands, Dims>& p, Number row,
                        int64_t (&offsets)[Operands]) {
  add_axes<Dims - 1, wide>(p, row, offsets);
}

template <int Operands, int Dims>
__device__ void add_tile(const TileExpression<Operands, Dims>& p, uint32_t outer,
                         int64_t (&offsets)[Operands]) {
  add_axes<Dims - 2, false>(p, outer, offsets);
}

}  // namespace gpuarray
