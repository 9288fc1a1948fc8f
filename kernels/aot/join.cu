// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_join, which serves all dtypes.
#include "kernels/elementwise/join.cuh"

extern "C" __global__ void gpuarray_join(const __grid_constant__ gpuarray::JoinParams params) {
  gpuarray::join_kernel(params);
}
