# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""y = a * x + y by templates whose headers lie in two folders, for float and double.

    python examples/headers/saxpy.py

One folder is an argument, the other is in GPUARRAY_INCLUDE_PATH. Needs NVRTC; without a CUDA device
the kernels are compiled only.
"""

import os
import sys
from pathlib import Path

import numpy as np

import gpuarray

HERE = Path(__file__).parent
SOURCE = """
#include <axpy.cuh>
#include <for_each.cuh>

template <class T>
__global__ void saxpy(T a, const T* x, T* y, int count) {
  for_each(count, [&](int i) { y[i] = axpy(a, x[i], y[i]); });
}
"""
KERNELS = {"float32": "saxpy<float>", "float64": "saxpy<double>"}


def main() -> int:
    os.environ["GPUARRAY_INCLUDE_PATH"] = str(HERE / "threads")
    capability = gpuarray.default_device().compute_capability
    module = gpuarray.Module(
        SOURCE,
        include_dirs=HERE / "axpy",
        name_expressions=KERNELS.values(),
        arch=capability or "sm_90",
    )
    if capability is None:
        print(f"compiled for {module.architecture}, not run without a CUDA device")
        return 0
    for dtype, name in KERNELS.items():
        x, y = gpuarray.arange(1000, dtype=dtype), gpuarray.ones(1000, dtype)
        kernel = module.get_function(name)
        kernel.for_size(x.size)(np.dtype(dtype).type(2), x, y, np.int32(x.size))
        if not np.array_equal(y.get(), np.arange(1000) * 2 + 1):
            print(f"{name} is wrong", file=sys.stderr)
            return 1
        print(f"{name} is right on {module.device}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, gpuarray.CompileError, gpuarray.DeviceError) as error:
        sys.exit(f"saxpy.py: {error}")
