// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch passes to its kernel, by value. Shared with the host, which fills it.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Axes that kernels of any shape take, none of one element and no two walked as one: an array that
// has more of them has 2^33 elements.
inline constexpr int kParamDims = 32;

// Element-wise launches over any shape, by the kernel that every operation has: operand 0 is
// written, the others are read. An operand without data is the scalar of the same index. The
// parameters of the faster walks are in kernels/elementwise/walk_params.hpp.
template <int Operands>
struct ElementwiseParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kParamDims];
  int64_t strides[Operands][kParamDims];  // elements
  void* data[Operands];
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
  bool scaled;  // by alpha, and beta times the target where it accumulates
  bool accumulates;
  alignas(16) unsigned char alpha[16];  // as the sum is computed in
  alignas(16) unsigned char beta[16];
};

}  // namespace gpuarray
