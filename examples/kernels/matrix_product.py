# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Matrix products on a 2-d grid: an element a thread, and tiles in shared memory.

python examples/kernels/matrix_product.py
"""

import sys

import numpy as np

import gpuarray

TILE = 16
SOURCE = """
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void product_of_tiles(const float* a, const float* b, float* c, int m, int n,
                                            int k) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int at = 0; at < k; at += TILE) {
    left[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
    right[y][x] = at + y < k && column < n ? b[(at + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
"""


def main() -> int:
    rng = np.random.default_rng(1)
    a, b = rng.random((70, 90), dtype=np.float32), rng.random((90, 50), dtype=np.float32)
    (m, k), n = a.shape, b.shape[1]
    x, y, z = gpuarray.to_device(a), gpuarray.to_device(b), gpuarray.empty((m, n), "float32")
    module = gpuarray.Module(SOURCE, defines={"TILE": TILE})
    grid = (-(-n // TILE), -(-m // TILE))
    wrong = 0
    for name in ("product", "product_of_tiles"):
        z.fill(-1)
        module.get_function(name)[grid, (TILE, TILE)](x, y, z, m, n, k)
        close = np.allclose(z.get(), a @ b, rtol=1e-5)
        print(f"{name}: {'equal' if close else 'WRONG'}")
        wrong += not close
    return wrong


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"matrix_product.py: {error}")
