// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters that a launch of a matrix product passes to its kernel by value. The host includes
// this file too, and fills them.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/param_dims.hpp"

namespace gpuarray {

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
