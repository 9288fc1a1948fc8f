# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A matrix product on a 2-d grid: one element of the result a thread.

python examples/kernels/matrix_product.py
"""

import gpuarray

if len(gpuarray.devices()) == 1:
    print("matrix_product.py needs a CUDA device, and there is none.")
    raise SystemExit
module = gpuarray.Module("""
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
""")
m, n, k = 70, 50, 90
rng = gpuarray.random.default_rng(1)
a, b = rng.random((m, k), dtype="float32"), rng.random((k, n), dtype="float32")
c = gpuarray.empty((m, n), "float32")
module.get_function("product")[(-(-n // 16), -(-m // 16)), (16, 16)](a, b, c, m, n, k)
print(f"{m} x {n} products: {'equal' if gpuarray.allclose(c, a @ b, rtol=1e-4) else 'WRONG'}")
