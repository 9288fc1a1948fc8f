// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Element-wise operations row by row: each thread takes the same columns of a few rows, so
// that what repeats along rows comes from the cache and indices are divided once a row.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/elementwise/params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Adds the offsets of outer index `index` to those of all operands.
template <int Operands>
__device__ void add_outer(const OuterAxes<Operands>& outer, uint32_t index,
                          int64_t (&offsets)[Operands]) {
#pragma unroll 1
  for (int axis = outer.ndim - 1; axis > 0; --axis) {
    const uint32_t quotient = outer.extents[axis].divide(index);
    const uint32_t position = index - quotient * outer.extents[axis].divisor;
#pragma unroll
    for (int k = 0; k < Operands; ++k) offsets[k] += int64_t(position) * outer.strides[k][axis];
    index = quotient;
  }
#pragma unroll
  for (int k = 0; k < Operands; ++k) offsets[k] += int64_t(index) * outer.strides[k][0];
}

template <int Operands>
struct RowsReader {
  const RowsParams<Operands>& p;
  const int64_t (&offsets)[Operands];

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (p.data[k] == nullptr) return splat(vector, read_scalar<T>(p.scalars[k]));
    const T* source = static_cast<const T*>(p.data[k]) + offsets[k];
    if constexpr (Count == 1) {
      vector.items[0] = *source;
    } else if (p.vectors >> k & 1) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[i * p.steps[k]];
    }
  }
};

// Rows a thread takes: enough loads in flight, few enough registers.
template <int Count>
inline constexpr int rows_per_thread = Count >= kRowsElements              ? 1
                                       : kRowsElements / Count > kRowsMost ? kRowsMost
                                                                           : kRowsElements / Count;

template <int Count, class Function, class Out, class... In>
__device__ void rows_body(const RowsParams<1 + sizeof...(In)>& p) {
  constexpr int kOperands = 1 + sizeof...(In);
  constexpr int kRowsPerThread = rows_per_thread<Count>;
  const int width = 1 << p.log_width;
  const uint32_t height = kRowsBlock >> p.log_width;
  const uint32_t row_block = p.row_blocks.divide(blockIdx.x);
  const uint32_t column_block = blockIdx.x - row_block * p.row_blocks.divisor;
  const int64_t column = (int64_t(column_block) * width + (threadIdx.x & (width - 1))) * Count;
  const uint32_t first = row_block * (height * kRowsPerThread) + (threadIdx.x >> p.log_width);
  if (column >= p.columns) return;
  int64_t base[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) base[k] = column * p.steps[k];
  Inputs<Count, 1, In...> inputs[kRowsPerThread];
  int64_t targets[kRowsPerThread];
  bool inside[kRowsPerThread];
#pragma unroll
  for (int i = 0; i < kRowsPerThread; ++i) {
    const uint32_t row = first + i * height;
    inside[i] = row < p.rows && int64_t(row) * p.columns + column < p.size;
    if (!inside[i]) continue;
    int64_t offsets[kOperands];
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[k] = base[k];
    add_outer(p.outer, row, offsets);
    inputs[i].load(RowsReader<kOperands>{p, offsets});
    targets[i] = offsets[0];
  }
#pragma unroll
  for (int i = 0; i < kRowsPerThread; ++i) {
    if (!inside[i]) continue;
    Vec<Out, Count> result;
#pragma unroll
    for (int j = 0; j < Count; ++j) result.items[j] = inputs[i].template evaluate<Function>(j);
    store(static_cast<Out*>(p.data[0]) + targets[i], result);
  }
}

// For launches whose p.vectors & 1 is `vectors`: half the time to compile, which counts at run
// time.
template <class Function, class Out, class... In>
__device__ void rows_kernel(const RowsParams<1 + sizeof...(In)>& p, bool vectors) {
  wait_for_previous_grid();
  if (vectors)
    rows_body<vector_width<Out, In...>, Function, Out, In...>(p);
  else
    rows_body<1, Function, Out, In...>(p);
}

template <class Function, class Out, class... In>
__device__ void rows_kernel(const RowsParams<1 + sizeof...(In)>& p) {
  rows_kernel<Function, Out, In...>(p, p.vectors & 1);
}

}  // namespace gpuarray
