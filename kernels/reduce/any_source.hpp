// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// The elements of a reduction that looks up their dtype (reduce_any.cuh), as a parameter of its
// kernel.
struct AnySource {
  const void* data;
  int32_t dtype;  // the number of its row of dtypes.def
};

}  // namespace gpuarray
