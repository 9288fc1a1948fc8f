// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/grid.cuh"
#include "kernels/element/math.cuh"

namespace gpuarray {

// Sets out[i] to start + i * step for all i < steps, and to `last` for the others below `length`;
// `out` is contiguous. The 16-bit floats are computed in float. Any launch shape works: the threads
// of the grid loop over the elements.
template <class T>
__device__ void arange_kernel(T* out, int64_t length, T start, T step, int64_t steps, T last) {
  wait_for_previous_grid();
  using C = compute_t<T>;
  int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < length; i += stride)
    out[i] = i < steps
                 ? cast<T>(math::add(cast<C>(start), math::multiply(cast<C>(i), cast<C>(step))))
                 : last;
}

}  // namespace gpuarray
