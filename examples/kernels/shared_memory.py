# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A matrix product by tiles in shared memory, which each block of threads reads once.

python examples/kernels/shared_memory.py
"""

import gpuarray

if len(gpuarray.devices()) == 1:
    print("shared_memory.py needs a CUDA device, and there is none.")
    raise SystemExit
SOURCE = """
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][16], right[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int at = 0; at < n; at += 16) {
    left[y][x] = a[row * n + at + x];
    right[y][x] = b[(at + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
"""
a, b = gpuarray.random.default_rng(1).random((2, 128, 128), dtype="float32")
c = gpuarray.empty_like(a)
gpuarray.Module(SOURCE).get_function("product")[(8, 8), (16, 16)](a, b, c, 128)
print("tiles:", "equal" if gpuarray.allclose(c, a @ b, rtol=1e-4) else "WRONG")
