// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Kernels of users' expressions: any number of arrays T..., those that are not const written. The
// body is called as body(index, element...), index in C order, with references to copies in
// registers. Walks as flat.cuh and rows.cuh do.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/elementwise/rows.cuh"
#include "kernels/expression/expression_params.hpp"

namespace gpuarray {

template <class T>
struct without_const {
  using type = T;
  static constexpr bool is_written = true;
};
template <class T>
struct without_const<const T> {
  using type = T;
  static constexpr bool is_written = false;
};

// `Count` neighbours of each operand.
template <int Count, class... T>
using Elements = Inputs<Count, 0, typename without_const<T>::type...>;

template <bool vectors, class... T>
GPUARRAY_HD constexpr int width_of() {
  if constexpr (vectors) return vector_width<typename without_const<T>::type...>;
  return 1;
}

// Bit k: operand k is written.
template <class... T>
GPUARRAY_HD constexpr uint32_t written_operands() {
  uint32_t mask = 0, bit = 1;
  ((mask |= without_const<T>::is_written ? bit : 0, bit <<= 1), ...);
  return mask;
}

template <int Operands>
struct FlatLoad {
  const FlatExpression<Operands>& p;
  int64_t at;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    const T* source = static_cast<const T*>(p.data[k]);
    if (p.head.fresh >> k & 1) {
      splat(vector, T{});
    } else if (p.head.single >> k & 1) {
      splat(vector, *source);
    } else if (Count == 1 || (p.head.aligned >> k & 1)) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source + at);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[at + i];
    }
  }
};

template <uint32_t written, int Operands>
struct FlatStore {
  const FlatExpression<Operands>& p;
  int64_t at;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (!(written >> k & 1)) return;
    T* target = static_cast<T*>(p.data[k]) + at;
    if (Count == 1 || (p.head.aligned >> k & 1)) {
      store(target, vector);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) target[i] = vector.items[i];
    }
  }
};

template <int Count, class... T, class Body>
__device__ void flat_expression_at(const FlatExpression<sizeof...(T)>& p, int64_t at, Body& body) {
  Elements<Count, T...> elements;
  elements.load(FlatLoad<sizeof...(T)>{p, at});
#pragma unroll
  for (int i = 0; i < Count; ++i) elements.visit(i, body, at + i);
  elements.load(FlatStore<written_operands<T...>(), sizeof...(T)>{p, at});
}

// Without `vectors` each thread takes one element.
template <bool vectors, class... T, class Body>
__device__ void flat_expression(const FlatExpression<sizeof...(T)>& p, Body body) {
  constexpr int kWidth = width_of<vectors, T...>();
  const int64_t size = p.head.size, head = p.head.head;
  const int64_t thread = int64_t(blockIdx.x) * kFlatBlock + threadIdx.x;
  const int64_t at = head + thread * kWidth;
  const bool full = at + kWidth <= size;
  if (full) flat_expression_at<kWidth, T...>(p, at, body);
  // One element before the first vector, then those after the last: a single loop is compiled.
  const int64_t tail = full ? size : at;
  int64_t i = thread < head ? thread : tail;
#pragma unroll 1
  while (i < size) {
    flat_expression_at<1, T...>(p, i, body);
    i = i < head ? tail : i + 1;
  }
}

template <bool wide>
__device__ int64_t divide(const AxisExtent& by, int64_t n) {
  if constexpr (wide) return n / by.extent;
  return by.divisor.divide(uint32_t(n));
}

// The offsets of the first element of `row` and those of a column.
template <bool wide, int Operands, int Dims>
__device__ void row_offsets(const RowsExpression<Operands, Dims>& p, int64_t row, int64_t column,
                            int64_t (&offsets)[Operands]) {
#pragma unroll
  for (int k = 0; k < Operands; ++k) offsets[k] = column * p.strides[k][Dims - 1];
#pragma unroll
  for (int axis = Dims - 2; axis >= 0; --axis) {
    const int64_t outer = axis > 0 ? divide<wide>(p.outer[axis], row) : 0;
    const int64_t position = row - outer * p.outer[axis].extent;
#pragma unroll
    for (int k = 0; k < Operands; ++k) offsets[k] += position * p.strides[k][axis];
    row = outer;
  }
}

template <int Operands, int Dims>
struct RowsLoad {
  const RowsExpression<Operands, Dims>& p;
  const int64_t (&offsets)[Operands];

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    const T* source = static_cast<const T*>(p.data[k]) + offsets[k];
    if (p.head.fresh >> k & 1) {
      splat(vector, T{});
    } else if (Count == 1 || (p.head.vectors >> k & 1)) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[i * p.strides[k][Dims - 1]];
    }
  }
};

template <uint32_t written, int Operands, int Dims>
struct RowsStore {
  const RowsExpression<Operands, Dims>& p;
  const int64_t (&offsets)[Operands];

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (!(written >> k & 1)) return;
    T* target = static_cast<T*>(p.data[k]) + offsets[k];
    if (Count == 1 || (p.head.vectors >> k & 1)) {
      store(target, vector);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) target[i * p.strides[k][Dims - 1]] = vector.items[i];
    }
  }
};

// Many operands leave registers for one row only.
template <int Count, int Operands>
inline constexpr int expression_rows = Operands > 4 ? 1 : rows_per_thread<Count>;

template <int Count, bool wide, class... T, int Dims, class Body>
__device__ void rows_expression_at(const RowsExpression<sizeof...(T), Dims>& p, int64_t block,
                                   Body& body) {
  constexpr int kOperands = sizeof...(T), kRows = expression_rows<Count, kOperands>;
  const auto& head = p.head;
  const uint32_t height = kRowsBlock >> head.log_width;
  const uint32_t lane = threadIdx.x & ((1u << head.log_width) - 1);
  const int64_t row_block = divide<wide>(head.row_blocks, block);
  const int64_t column_block = block - row_block * head.row_blocks.extent;
  const int64_t column = ((column_block << head.log_width) + lane) * Count;
  const int64_t first = row_block * (height * kRows) + (threadIdx.x >> head.log_width);
  if (column >= head.columns) return;
  Elements<Count, T...> elements[kRows];
  int64_t offsets[kRows][kOperands];
  bool inside[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int64_t row = first + i * height;
    inside[i] = row < head.rows && row * head.columns + column < head.size;
    if (!inside[i]) continue;
    row_offsets<wide>(p, row, column, offsets[i]);
    elements[i].load(RowsLoad<kOperands, Dims>{p, offsets[i]});
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (!inside[i]) continue;
    const int64_t index = (first + i * height) * head.columns + column;
#pragma unroll
    for (int j = 0; j < Count; ++j) elements[i].visit(j, body, index + j);
    elements[i].load(RowsStore<written_operands<T...>(), kOperands, Dims>{p, offsets[i]});
  }
}

// `vectors`: rows are whole vectors of operand 0; `wide`: rows or blocks need 64 bits.
template <bool vectors, bool wide, class... T, int Dims, class Body>
__device__ void rows_expression(const RowsExpression<sizeof...(T), Dims>& p, Body body) {
  constexpr int kCount = width_of<vectors, T...>();
  int64_t block = blockIdx.x;
  do {
    rows_expression_at<kCount, wide, T...>(p, block, body);
    block += gridDim.x;
  } while (wide && block < p.head.blocks);
}

}  // namespace gpuarray
