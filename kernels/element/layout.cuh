// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the linear index of an element becomes its offset in each operand.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Adds to offsets[k] the offset of element number `index` of `shape`, in C order, under strides[k].
template <class Index, int Operands, int MaxDims>
GPUARRAY_HD void add_offsets(Index index, int ndim, const int64_t* shape,
                             const int64_t (*strides)[MaxDims], int64_t (&offsets)[Operands]) {
#pragma unroll 1  // copies of this loop would cost more to compile than they gain
  for (int axis = ndim - 1; axis >= 0; --axis) {
    Index extent = static_cast<Index>(shape[axis]);
    Index outer = axis > 0 ? index / extent : 0;
    int64_t position = static_cast<int64_t>(index - outer * extent);
    for (int k = 0; k < Operands; ++k) offsets[k] += position * strides[k][axis];
    index = outer;
  }
}

// Sets offsets[k] to the offset of element number `index` under strides[k]. `narrow` says that all
// indices of the shape fit into 32 bits.
template <int Operands, int MaxDims>
GPUARRAY_HD void find_offsets(int64_t index, bool narrow, int ndim, const int64_t* shape,
                              const int64_t (*strides)[MaxDims], int64_t (&offsets)[Operands]) {
  for (int k = 0; k < Operands; ++k) offsets[k] = 0;
  if (narrow)  // 32-bit divisions cost a fraction of 64-bit ones
    add_offsets(static_cast<uint32_t>(index), ndim, shape, strides, offsets);
  else
    add_offsets(static_cast<uint64_t>(index), ndim, shape, strides, offsets);
}

// Returns the offset of element number `index` of `shape`, which has `total` elements. The loop is
// not unrolled: that would make no kernel faster, but all of them longer to compile.
GPUARRAY_HD int64_t offset_of(int64_t index, int64_t total, int ndim, const int64_t* shape,
                              const int64_t* strides) {
  const bool narrow = total <= 0xffffffff;
  int64_t offset = 0;
#pragma unroll 1
  for (int axis = ndim - 1; axis > 0; --axis) {
    const int64_t outer = narrow ? uint32_t(index) / uint32_t(shape[axis])
                                 : int64_t(uint64_t(index) / uint64_t(shape[axis]));
    offset += (index - outer * shape[axis]) * strides[axis];
    index = outer;
  }
  return ndim > 0 ? offset + index * strides[0] : 0;
}

}  // namespace gpuarray
