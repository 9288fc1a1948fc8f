// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The rows walk of expressions whose rows are long but not aligned, as those of slices: a thread
// takes kLongRowsElements elements of one row, a block's width apart, so that neighbouring threads
// read neighbouring memory and an operand's address is computed once for all of them.
#pragma once

#include "kernels/elementwise/rows.cuh"
#include "kernels/expression/expression_params.hpp"

namespace gpuarray {

// Tells where a thread stands in its row. Operand k whose bit in `units` is set steps by one
// element.
template <uint32_t units, class Params, int Operands>
struct LongRowsPlace {
  const Params& p;
  const int64_t (&offsets)[Operands];  // of the thread's first element
  int count;                           // of its elements that lie in the row

  __device__ int64_t step(int k) const {
    return units >> k & 1 ? kRowsBlock : kRowsBlock * p.step(k);
  }
};

template <class Place>
struct LongRowsReader {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (fill_single(place.p.operands, k, vector)) return;
    const T* source = static_cast<const T*>(place.p.operands.data[k]) + place.offsets[k];
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (i < place.count) vector.items[i] = source[i * place.step(k)];
  }
};

template <uint32_t written, class Place>
struct LongRowsWriter {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, const Vec<T, Count>& vector) const {
    if (!(written >> k & 1)) return;
    T* target = static_cast<T*>(place.p.operands.data[k]) + place.offsets[k];
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (i < place.count) target[i * place.step(k)] = vector.items[i];
  }
};

// Calls body(index, element...) for each element of the operands T.... Blocks have kRowsBlock
// threads; p.head.row_blocks of them take a row.
template <bool wide, uint32_t units, class... T, class Params, class Body>
__device__ void walk_long_rows(const Params& p, Body body) {
  constexpr int kOperands = sizeof...(T), kCount = kLongRowsElements;
  using Place = LongRowsPlace<units, Params, kOperands>;
  using Number = choose_t<wide, int64_t, uint32_t>;
  const int64_t columns = p.head.columns;
  Number block = blockIdx.x;
  do {
    const Number row = divide<wide>(block, p.head.row_blocks);
    const int64_t column =
        int64_t(block - row * Number(p.head.row_blocks.extent)) * (kRowsBlock * kCount) +
        threadIdx.x;
    int64_t offsets[kOperands];
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[k] = units >> k & 1 ? column : column * p.step(k);
    add_outer<wide>(p.outer, row, offsets);
    const int64_t left = columns - column;
    const Place place{p, offsets,
                      left <= 0 ? 0 : int(min(int64_t{kCount}, (left - 1) / kRowsBlock + 1))};
    Elements<kCount, 0, T...> elements;
    elements.for_each(LongRowsReader<Place>{place});
    const int64_t index = int64_t(row) * columns + column;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < place.count) elements.visit(i, index + i * kRowsBlock, body);
    elements.for_each(LongRowsWriter<written_operands<T...>(), Place>{place});
    if constexpr (wide) block += gridDim.x;
  } while (wide && block < p.head.blocks);
}

}  // namespace gpuarray
