# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Linked code that sets itself up on the device, and tells at the end how often it was called.

    python examples/callbacks.py

Needs a CUDA device.
"""

import sys
from collections import Counter

import numpy as np

import gpuarray

SQUARES = """
__constant__ float squares[16];
__device__ unsigned int calls;
extern "C" __device__ float square(int i) {
  atomicAdd(&calls, 1u);
  return squares[i];
}
"""
KERNEL = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = square(threadIdx.x); }'


def main() -> int:
    if gpuarray.default_device().compute_capability is None:
        sys.exit("callbacks.py: there is no CUDA device")
    happened: Counter[str] = Counter()

    def fill_table(module: gpuarray.Module) -> None:
        happened["setup"] += 1
        module.get_global("squares", "float32").set(np.arange(16, dtype="float32") ** 2)

    def count_calls(module: gpuarray.Module) -> None:
        happened["teardown"] += 1
        happened["calls"] += int(module.get_global("calls", "uint32", ()).get())

    code = gpuarray.CUSource(SQUARES, "squares.cu", fill_table, count_calls)
    square = gpuarray.declare_device("square", "float32(int32)", link=code, abi="c")
    module = gpuarray.Module(KERNEL, link=square)
    x = gpuarray.zeros(16, "float32")
    for _ in range(3):
        module.get_function("f")[1, 16](x)
    right = np.array_equal(x.get(), np.arange(16) ** 2)
    module.unload()
    print(dict(happened))
    return 0 if right and happened == {"setup": 1, "teardown": 1, "calls": 48} else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"callbacks.py: {error}")
