// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters that a launch passes to its kernel by value. The host includes this file too, and
// fills them.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// The most axes that kernels for any strides take. Axes of one element are dropped and neighbouring
// axes merged before a launch, so that an array with more of them would have 2^33 elements at
// least.
inline constexpr int kParamDims = 32;

// What the element-wise kernels for any strides take. Operand 0 is written, the others are read; an
// operand whose data is null is the scalar of the same index, with strides 0. The parameters of the
// faster walks are in kernels/elementwise/walk_params.hpp.
template <int Operands>
struct ElementwiseParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kParamDims];
  int64_t strides[Operands][kParamDims];  // elements
  void* data[Operands];
  alignas(16) unsigned char scalars[Operands][16];
};

// What a matrix product takes: for each index of the batch axes, target (m x n) = a (m x k) times b
// (k x n).
struct MatmulParams {
  int64_t m, n, k;
  int64_t batches;
  int32_t batch_ndim;
  int64_t batch_shape[kParamDims];
  int64_t batch_strides[3][kParamDims];  // of target, a and b; elements
  int64_t strides[3][2];                 // of rows and columns of target, a and b; elements
  void* data[3];
  bool scaled;                          // the product is multiplied by alpha
  bool accumulates;                     // only if scaled: beta times the target is added
  alignas(16) unsigned char alpha[16];  // of the type that sums are computed in, as is beta
  alignas(16) unsigned char beta[16];
};

}  // namespace gpuarray
