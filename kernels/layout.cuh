// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// From a linear index to the offsets of operands.
#pragma once

#include "kernels/params.hpp"

namespace gpuarray {

// Adds the offset of element `index` of `shape` (C order) to each of `offsets`; strides[k] belongs
// to offsets[k].
template <class Index, int Operands>
GPUARRAY_HD void add_offsets(Index index, int ndim, const int64_t* shape,
                             const int64_t (*strides)[kParamDims], int64_t (&offsets)[Operands]) {
#pragma unroll 1  // 32 copies of this loop would cost more to compile than they gain
  for (int axis = ndim - 1; axis >= 0; --axis) {
    Index extent = static_cast<Index>(shape[axis]);
    Index outer = axis > 0 ? index / extent : 0;
    int64_t position = static_cast<int64_t>(index - outer * extent);
    for (int k = 0; k < Operands; ++k) offsets[k] += position * strides[k][axis];
    index = outer;
  }
}

template <int Operands>
GPUARRAY_HD void find_offsets(int64_t index, bool narrow, int ndim, const int64_t* shape,
                              const int64_t (*strides)[kParamDims], int64_t (&offsets)[Operands]) {
  for (int k = 0; k < Operands; ++k) offsets[k] = 0;
  if (narrow)  // 32-bit divisions cost a fraction of 64-bit ones
    add_offsets(static_cast<uint32_t>(index), ndim, shape, strides, offsets);
  else
    add_offsets(static_cast<uint64_t>(index), ndim, shape, strides, offsets);
}

}  // namespace gpuarray
