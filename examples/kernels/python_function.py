# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A function of Python inside a kernel of C++, and as an operation on arrays.

    python examples/kernels/python_function.py

With numba-cuda also a function with a loop and a condition.
"""

import sys
from typing import Any

import numpy as np

import gpuarray


def smooth_step(x: Any, low: Any, high: Any) -> Any:
    t = gpuarray.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def collatz(n: Any) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def has_numba() -> bool:
    try:
        from numba import cuda, int32

        cuda.compile(lambda x: x, (int32,), device=True, cc=(9, 0))
    except Exception:  # also where Numba does not fit this NumPy
        return False
    return True


def inside_a_kernel(x: gpuarray.GPUArray) -> Any:
    function = gpuarray.declare_device(smooth_step, "float32(float32, float32, float32)")
    kernel = gpuarray.ElementwiseKernel(
        "float32 x", "float32 y", "y = smooth_step(x, 0.25f, 0.75f)", functions=[function]
    )
    return kernel(x)


def main() -> int:
    x = gpuarray.linspace(0, 1, 101).astype("float32")
    expected = smooth_step(x, 0.25, 0.75).get()
    right = np.array_equal(gpuarray.vectorize(smooth_step)(x, 0.25, 0.75).get(), expected)
    if x.device.kind == "cuda":
        right = right and np.allclose(inside_a_kernel(x).get(), expected, atol=1e-6)
    if has_numba():
        n = np.arange(1, 100)
        steps = gpuarray.vectorize(collatz)(gpuarray.to_device(n)).get()
        right = right and steps.tolist() == [collatz(int(k)) for k in n]
    print("equal" if right else "WRONG")
    return 0 if right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"python_function.py: {error}")
