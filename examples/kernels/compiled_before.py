# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A kernel that nvcc compiles to PTX beforehand, loaded from the file.

    python examples/kernels/compiled_before.py

nvcc must be on the path or named by CUDACXX.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import gpuarray

SOURCE = """
template <class T>
__global__ void scale(T* x, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
template __global__ void scale<float>(float*, float, int);
template __global__ void scale<double>(double*, double, int);
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = Path(folder, "scale.cu"), Path(folder, "scale.ptx")
        source.write_text(SOURCE)
        nvcc = os.environ.get("CUDACXX", "nvcc")
        subprocess.run([nvcc, "-ptx", "-arch=compute_75", source, "-o", ptx], check=True)
        module = gpuarray.Module(path=ptx)
    print(module.kernels)
    right = True
    for dtype, name in (("float32", "scale<float>"), ("float64", "scale<double>")):
        x = gpuarray.arange(1000, dtype=dtype)
        module.get_function(name).for_size(x.size)(x, 3, x.size)
        right = right and bool((x == gpuarray.arange(1000, dtype=dtype) * 3).all())
    print("equal" if right else "WRONG")
    return 0 if right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError, gpuarray.DeviceError) as error:
        sys.exit(f"compiled_before.py: {error}")
