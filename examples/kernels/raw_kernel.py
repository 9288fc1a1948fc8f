# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A RawKernel, CuPy's name of a kernel, from PTX, launched with CuPy's tuple of arguments.

    python examples/kernels/raw_kernel.py

The text may be CUDA C++ as well; what an input is, its content tells.
"""

import numpy as np

import gpuarray

if len(gpuarray.devices()) == 1:
    print("raw_kernel.py needs a CUDA device, and there is none.")
    raise SystemExit
SOURCE = """
extern "C" __global__ void axpy(const float* x, float a, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
ptx = gpuarray.Module(SOURCE).ptx  # as nvcc -ptx makes it
axpy = gpuarray.RawKernel(ptx, "axpy")
x, y = gpuarray.arange(1000, dtype="float32"), gpuarray.ones(1000, "float32")
args = (x, np.float32(2), y, np.int32(x.size))
axpy((4,), (256,), args)
print("RawKernel:", "equal" if bool((y == 2 * x + 1).all()) else "WRONG")
