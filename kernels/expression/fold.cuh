// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiled source of a user's reduction includes on cuda.
#pragma once

#include "kernels/expression/fold_ops.cuh"
#include "kernels/reduce/computed.cuh"
#include "kernels/reduce/reduce.cuh"

namespace gpuarray {

// Returns the value of the lane `distance` above; all lanes of the warp must call it.
template <class T>
__device__ Maybe<T> shuffle_down(Maybe<T> value, uint32_t distance) {
  return {shuffle_down(value.value, distance), shuffle_down(value.any, distance)};
}

}  // namespace gpuarray
