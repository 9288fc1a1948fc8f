# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures the cost of launching a user's own kernel: microseconds of a call with four arguments.

The kernel is empty, the arguments are three arrays and an int. The floor is the driver's own
launch, called from C. Libraries take turns, so that all see the same machine; those that cannot be
imported are left out. Prints a row for each way to launch, with its ratio to the floor.
"""

import ctypes
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CALLS, BATCHES, WARM = 200, 101, 10
SOURCE = 'extern "C" __global__ void empty(float* a, float* b, float* c, long long n) {}'

FLOOR = r"""
#include <stddef.h>
typedef int (*Launch)(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, void *stream, void **arguments, void **extra);
int launch_many(Launch launch, void *function, void *stream, int count) {
  unsigned long long values[4] = {0, 0, 0, 0};
  void *arguments[4] = {&values[0], &values[1], &values[2], &values[3]};
  int status = 0;
  for (int i = 0; i < count; ++i)
    status |= launch(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
  return status;
}
"""

Call = Callable[[], Any]


def driver_library() -> ctypes.CDLL:
    return ctypes.CDLL(os.environ.get("GPUARRAY_LIBCUDA") or "libcuda.so.1")


def launch_address() -> ctypes.c_void_p:
    """Return the address of cuLaunchKernel."""
    address = ctypes.c_void_p()
    status = driver_library().cuGetProcAddress_v2(
        b"cuLaunchKernel", ctypes.byref(address), 12000, ctypes.c_uint64(0), None
    )
    if status != 0 or not address:
        raise SystemExit(f"kernels: the driver has no cuLaunchKernel (error {status})")
    return address


def floor(kernel: Any, stream: Any, folder: Path) -> Callable[[int], None]:
    """Return a function that launches the kernel so many times from C."""
    source, library = folder / "floor.c", folder / "floor.so"
    source.write_text(FLOOR)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    launch_many, launch = ctypes.CDLL(str(library)).launch_many, launch_address()
    function, handle = ctypes.c_void_p(kernel.function_handle), ctypes.c_void_p(stream.ptr)

    def run(count: int) -> None:
        if launch_many(launch, function, handle, count) != 0:
            raise SystemExit("kernels: the driver refused a launch")

    return run


def of_gpuarray() -> dict[str, Call]:
    import gpuarray

    a, b, c = (gpuarray.ones(16, np.float32, device="cuda:0") for _ in range(3))
    kernel = gpuarray.Module(SOURCE, device="cuda:0").get_function("empty")
    launch, n = kernel[1, 32], 16
    prepared = kernel.with_signature("PPPq")
    return {
        "gpuarray, launch = kernel[1, 32]; launch(...)": lambda: launch(a, b, c, n),
        "gpuarray, kernel[1, 32](...)": lambda: kernel[1, 32](a, b, c, n),
        "gpuarray, kernel(..., grid=1, block=32)": lambda: kernel(a, b, c, n, grid=1, block=32),
        "gpuarray, kernel.prepared_call(1, 32, ...)": lambda: prepared.prepared_call(
            1, 32, a, b, c, n
        ),
    }


def of_cupy() -> dict[str, Call]:
    import cupy

    a, b, c = (cupy.ones(16, np.float32) for _ in range(3))
    kernel, n = cupy.RawKernel(SOURCE, "empty"), np.int64(16)
    return {"CuPy, RawKernel": lambda: kernel((1,), (32,), (a, b, c, n))}


def of_cuda_core() -> dict[str, Call]:
    try:
        from cuda import core
    except ImportError:
        from cuda.core import experimental as core
    import gpuarray

    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    options = core.ProgramOptions(arch=f"sm_{device.arch}")
    kernel = core.Program(SOURCE, "c++", options).compile("cubin").get_kernel("empty")
    config, n = core.LaunchConfig(grid=1, block=32), np.int64(16)
    a, b, c = (gpuarray.ones(16, np.float32, device="cuda:0").ptr for _ in range(3))
    return {"cuda.core, launch": lambda: core.launch(stream, config, kernel, a, b, c, n)}


def of_numba() -> dict[str, Call]:
    from numba import cuda

    @cuda.jit("void(float32[::1], float32[::1], float32[::1], int64)")
    def empty(a, b, c, n):
        pass

    a, b, c = (cuda.to_device(np.ones(16, np.float32)) for _ in range(3))
    launch, n = empty[1, 32], 16
    return {"Numba, launch = kernel[1, 32]; launch(...)": lambda: launch(a, b, c, n)}


def of_pycuda() -> dict[str, Call]:
    import pycuda.autoprimaryctx  # noqa: F401
    from pycuda import compiler, gpuarray

    a, b, c = (gpuarray.to_gpu(np.ones(16, np.float32)).gpudata for _ in range(3))
    kernel = compiler.SourceModule(SOURCE, no_extern_c=True).get_function("empty").prepare("PPPq")
    return {"PyCUDA, prepared_call": lambda: kernel.prepared_call((1, 1), (32, 1, 1), a, b, c, 16)}


def repeated(call: Call) -> Callable[[int], None]:
    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


def ways() -> dict[str, Callable[[int], None]]:
    found = {}
    for library in (of_gpuarray, of_cupy, of_cuda_core, of_numba, of_pycuda):
        try:
            found |= {name: repeated(call) for name, call in library().items()}
        except Exception as error:
            # The library is absent, or does not fit the NumPy that is installed.
            if library is of_gpuarray:
                raise
            name = library.__name__.removeprefix("of_")
            print(f"left out: {name}: {type(error).__name__}: {str(error).splitlines()[:1]}")
    return found


def medians(runs: dict[str, Callable[[int], None]], wait: Call) -> dict[str, float]:
    """Return the median microseconds of a call; the runs take turns, each on an idle device."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for batch in range(-WARM, BATCHES):
        for name, run in runs.items():
            wait()
            start = time.perf_counter()
            run(CALLS)
            if batch >= 0:
                times[name].append((time.perf_counter() - start) / CALLS * 1e6)
    wait()
    return {name: statistics.median(spent) for name, spent in times.items()}


def main() -> int:
    import gpuarray

    if not any(str(device) == "cuda:0" for device in gpuarray.devices()):
        print("kernels: there is no CUDA device")
        return 0
    kernel = gpuarray.Module(SOURCE, device="cuda:0").get_function("empty")
    with tempfile.TemporaryDirectory() as folder:
        stream = gpuarray.current_stream("cuda:0")
        runs = {"the driver, from C": floor(kernel, stream, Path(folder))} | ways()
        # The whole device is synchronized, since other libraries have streams of their own.
        times = medians(runs, lambda: gpuarray.synchronize("cuda:0"))
    lowest = times["the driver, from C"]
    print(f"{'a launch with four arguments':<48}{'us':>8}{'x floor':>9}")
    for name, spent in times.items():
        print(f"{name:<48}{spent:>8.2f}{spent / lowest:>9.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
