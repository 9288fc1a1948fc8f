# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A kernel on NumPy arrays, as PyCUDA's users write it.

    python examples/kernels/vector_add.py

In and Out copy to the device and back; kernels take GPUArrays without copies.
"""

import numpy as np

import gpuarray
from gpuarray import driver

if len(gpuarray.devices()) == 1:
    print("vector_add.py needs a CUDA device, and there is none.")
    raise SystemExit
module = gpuarray.SourceModule("""
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
""")
add = module.get_function("add")
x, y = np.random.default_rng(1).random((2, 10_000), dtype=np.float32)
z = np.empty_like(x)
arguments = driver.In(x), driver.In(y), driver.Out(z), np.int32(z.size)
add(*arguments, grid=(40, 1), block=(256, 1, 1))
print(f"{z.size} sums: {'equal' if np.array_equal(z, x + y) else 'WRONG'}")
