# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A template that nvcc compiles to PTX beforehand, loaded from the file.

    python examples/kernels/compiled_before.py

nvcc must be on the path or named by CUDACXX.
"""

import os
import shutil
import subprocess
import tempfile

import gpuarray

nvcc = shutil.which(os.environ.get("CUDACXX", "nvcc"))
if nvcc is None or len(gpuarray.devices()) == 1:
    print("compiled_before.py needs a CUDA device and nvcc, which are not both here.")
    raise SystemExit
SOURCE = b"""
template <class T> __global__ void scale(T* x, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
template __global__ void scale<double>(double*, double, int);
"""
with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx:
    command = [nvcc, "-ptx", "-arch=compute_75", "-x", "cu", "-", "-o", ptx.name]
    subprocess.run(command, input=SOURCE, check=True)
    scale = gpuarray.Module(path=ptx.name).get_function("scale<double>")
x = gpuarray.ones(1000, "float64")
scale.for_size(x.size)(x, 3.0, x.size)
print("equal" if bool((x == 3).all()) else "WRONG")
