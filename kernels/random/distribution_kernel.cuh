// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/random/distribution.cuh"

namespace gpuarray::random {

// Makes all draws. Any launch shape works: the threads of the grid loop over the draws, whose
// random numbers do not depend on it.
template <class Draw, class T>
__device__ void distribution_kernel(const DistributionParams& p) {
  wait_for_previous_grid();
  const uint64_t key = *p.key;
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < p.count; i += stride)
    Draw::template make<T>(p, key, i);
}

}  // namespace gpuarray::random
