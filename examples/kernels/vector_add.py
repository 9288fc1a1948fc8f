# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A kernel in five lines.

python examples/kernels/vector_add.py
"""

import sys

import gpuarray

SOURCE = """
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
"""


def main() -> int:
    add = gpuarray.Module(SOURCE).get_function("add")
    x, y = gpuarray.linspace(0, 1, 10_000).astype("float32"), gpuarray.ones(10_000, "float32")
    z = gpuarray.empty_like(x)
    add.for_size(z.size)(x, y, z, z.size)
    right = bool((z == x + y).all())
    print(f"{z.size} sums: {'equal' if right else 'WRONG'}")
    return 0 if right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"vector_add.py: {error}")
