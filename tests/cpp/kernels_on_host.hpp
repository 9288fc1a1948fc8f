// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The text of the element-wise kernels as functions of the host, run thread after thread.
#pragma once

#include "runtime/kernel.hpp"

namespace gpuarray {

struct Index3 {
  uint32_t x, y, z;
};
inline Index3 threadIdx;
inline Index3 blockIdx;
inline void __syncthreads() {}

}  // namespace gpuarray

#define __device__
#define __shared__ static
#include "kernels/flat.cuh"
#include "kernels/rows.cuh"
#include "kernels/tile.cuh"
#undef __shared__
#undef __device__

namespace gpuarray {

// Every thread of a block runs twice: the second time it finds in shared memory what all the others
// put there, as after a barrier. `second` is called in between.
template <class Kernel, class Second>
void run_block(uint32_t block, uint32_t threads, Kernel&& kernel, Second&& second) {
  blockIdx.x = block;
  for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel();
  second();
  for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel();
}

}  // namespace gpuarray
