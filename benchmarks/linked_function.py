# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures an element-wise kernel that calls a linked device function, on 2^28 float32 elements.

The same product is measured by an operator and by kernels whose text multiplies. With link-time
optimization the function is inlined, so all should take the time of their memory traffic: 12 bytes
an element at the bandwidth of a copy on the device.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from run import measure_floor

SIZE, BYTES = 1 << 28, 12
CALLS, BATCHES, WARM = 20, 21, 3
FUNCTION = """
extern "C" __device__ int mul_f32_f32(float* result, float a, float b) {
  *result = a * b;
  return 0;
}
"""

Call = Callable[[], Any]


def of_gpuarray(a: Any, b: Any) -> tuple[dict[str, Call], Call]:
    import gpuarray

    a, b = (gpuarray.to_device(array, device="cuda:0") for array in (a, b))
    function = gpuarray.declare_device(
        "mul_f32_f32", "float32(float32, float32)", link=gpuarray.CUSource(FUNCTION)
    )
    types = "float32 x, float32 y", "float32 z"
    linked = gpuarray.ElementwiseKernel(*types, "z = mul_f32_f32(x, y)", functions=[function])
    plain = gpuarray.ElementwiseKernel(*types, "z = x * y")
    calls: dict[str, Call] = {
        "gpuarray, ElementwiseKernel, linked function": lambda: linked(a, b),
        "gpuarray, ElementwiseKernel, x * y": lambda: plain(a, b),
        "gpuarray, A * B": lambda: a * b,
    }
    return calls, lambda: gpuarray.synchronize("cuda:0")


def of_cupy(a: Any, b: Any) -> tuple[dict[str, Call], Call]:
    import cupy

    a, b = cupy.asarray(a), cupy.asarray(b)
    kernel = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * y", "product")
    calls: dict[str, Call] = {
        "CuPy, ElementwiseKernel, x * y": lambda: kernel(a, b),
        "CuPy, A * B": lambda: a * b,
    }
    return calls, cupy.cuda.Device().synchronize


def ways(a: Any, b: Any) -> dict[str, tuple[Call, Call]]:
    """Return the calls by name, each with the function that waits for it."""
    found: dict[str, tuple[Call, Call]] = {}
    for library in (of_gpuarray, of_cupy):
        try:
            calls, wait = library(a, b)
            for name, call in calls.items():
                np.testing.assert_array_equal(call()[-1000:].get(), a[-1000:] * b[-1000:])
                found[name] = call, wait
        except Exception as error:
            if library is of_gpuarray:
                raise
            name = library.__name__.removeprefix("of_")
            print(f"left out: {name}: {type(error).__name__}: {str(error).splitlines()[:1]}")
    return found


def medians(runs: dict[str, tuple[Call, Call]]) -> dict[str, float]:
    """Return the median milliseconds of a call; the ways take turns, each batch with one wait."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for batch in range(-WARM, BATCHES):
        for name, (call, wait) in runs.items():
            wait()
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            wait()
            if batch >= 0:
                times[name].append((time.perf_counter() - start) / CALLS * 1e3)
    return {name: statistics.median(spent) for name, spent in times.items()}


def main() -> int:
    import gpuarray

    if not any(str(device) == "cuda:0" for device in gpuarray.devices()):
        print("linked_function: there is no CUDA device")
        return 0
    measured = measure_floor(4 * SIZE)
    if isinstance(measured, str):
        print(f"linked_function: the bandwidth could not be measured: {measured}")
        return 1
    floor = BYTES * SIZE / measured["on device, read and written"] * 1e3
    a, b = np.random.default_rng(0).random((2, SIZE), dtype=np.float32)
    times = {"12 bytes an element, as fast as a copy": floor} | medians(ways(a, b))
    print(f"{'A * B of 2^28 float32':<48}{'ms':>8}{'GB/s':>8}{'x floor':>9}")
    for name, spent in times.items():
        bandwidth = BYTES * SIZE / spent / 1e6
        print(f"{name:<48}{spent:>8.3f}{bandwidth:>8.0f}{spent / floor:>9.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
