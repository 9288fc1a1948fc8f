// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch passes to its kernel, by value. Shared with the host, which fills it.
#pragma once

#include "kernels/element.cuh"

namespace gpuarray {

inline constexpr int kParamDims = 32;

// Walks a shape; operand 0 is written, the others are read.
template <int Operands>
struct ElementwiseParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kParamDims];
  int64_t strides[Operands][kParamDims];  // elements
  void* data[Operands];                   // null: the scalar of the same index
  alignas(16) unsigned char scalars[Operands][16];
};

struct MatmulParams {
  int64_t m, n, k;
  int64_t batches;
  int32_t batch_ndim;
  int64_t batch_shape[kParamDims];
  int64_t batch_strides[3][kParamDims];  // of target, a, b, elements
  int64_t strides[3][2];                 // row and column of target, a, b, elements
  void* data[3];
};

}  // namespace gpuarray
