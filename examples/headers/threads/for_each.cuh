// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

// Calls `body` with every index below `count`, spread over the grid's threads.
template <class Body>
__device__ void for_each(int count, Body body) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) body(i);
}
