// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The parameters that a launch of an element-wise kernel for any strides passes by value. The host
// includes this file too, and fills them.
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/param_dims.hpp"

namespace gpuarray {

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
  unsigned char dtypes[Operands];  // their numbers in dtypes.def; a cast has them in its type
};

}  // namespace gpuarray
