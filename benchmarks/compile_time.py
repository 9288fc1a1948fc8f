# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures what a user's own kernel costs before it has run once, on the CUDA device.

The cost is the milliseconds from its source to the end of its first launch.

Each measurement is made in new processes with a cache folder of their own: the first compiles, the
second finds the kernels on disk. Python's imports, the context and the arrays are not counted.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDS = 7
SIZE = 1000
SOURCE = """
extern "C" __global__ void scaled_sum(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = FACTOR * x[i] + y[i];
}
"""
FIRST, SECOND = (SOURCE.replace("FACTOR", factor) for factor in ("2.0f", "3.0f"))
COLUMNS = {
    "cold": "compiled, with loading the compiler",
    "compiled": "another one, compiled",
    "on disk": "found on disk, in a new process",
    "another on disk": "another one, found on disk",
    "in memory": "the first again, in the same process",
}


def of_gpuarray(x: Any, y: Any) -> Callable[[str], Any]:
    import gpuarray

    x, y = (gpuarray.to_device(array, device="cuda:0") for array in (x, y))
    z = gpuarray.empty(SIZE, np.float32, device="cuda:0")
    gpuarray.synchronize("cuda:0")

    def run(source: str) -> Any:
        kernel = gpuarray.Module(source, device="cuda:0").get_function("scaled_sum")
        kernel(x, y, z, np.int32(SIZE), grid=8, block=128)
        gpuarray.synchronize("cuda:0")
        return z

    return run


def of_cupy(x: Any, y: Any) -> Callable[[str], Any]:
    import cupy

    x, y, z = cupy.asarray(x), cupy.asarray(y), cupy.empty(SIZE, np.float32)
    cupy.cuda.Device().synchronize()

    def run(source: str) -> Any:
        kernel = cupy.RawModule(code=source).get_function("scaled_sum")
        kernel((8,), (128,), (x, y, z, np.int32(SIZE)))
        cupy.cuda.Device().synchronize()
        return z

    return run


LIBRARIES = {"gpuarray, Module": of_gpuarray, "CuPy, RawModule": of_cupy}


def measure(library: str) -> list[float]:
    """Return the milliseconds of the first kernel, of the second, and of the first once more."""
    x, y = np.random.default_rng(0).random((2, SIZE), dtype=np.float32)
    run = LIBRARIES[library](x, y)
    times = []
    for source, factor in ((FIRST, 2), (SECOND, 3), (FIRST, 2)):
        start = time.perf_counter()
        result = run(source)
        times.append((time.perf_counter() - start) * 1e3)
        np.testing.assert_allclose(result.get(), np.float32(factor) * x + y, rtol=1e-5)
    return times


def measure_elsewhere(library: str, folder: str) -> list[float]:
    """Return the times of measure() in a new process, with the caches of all in `folder`."""
    caches = ("GPUARRAY_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")
    done = subprocess.run(
        [sys.executable, __file__, library],
        env=os.environ | {name: os.path.join(folder, name) for name in caches},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it ended early"])[-1])
    times: list[float] = json.loads(done.stdout.splitlines()[-1])
    return times


def one_round(library: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        cold, compiled, _ = measure_elsewhere(library, folder)
        found = measure_elsewhere(library, folder)
    return dict(zip(COLUMNS, (cold, compiled, *found), strict=True))


def main() -> int:
    import gpuarray

    if not any(str(device) == "cuda:0" for device in gpuarray.devices()):
        print("compile_time: there is no CUDA device")
        return 0
    rounds: dict[str, list[dict[str, float]]] = {library: [] for library in LIBRARIES}
    for _ in range(ROUNDS):
        for library in [*rounds]:
            try:
                rounds[library].append(one_round(library))
            except RuntimeError as error:
                if library.startswith("gpuarray"):
                    raise
                print(f"left out: {library}: {error}")
                del rounds[library]
    print(f"{'ms to the end of the first launch':<44}" + "".join(f"{name:>18}" for name in rounds))
    for column, text in COLUMNS.items():
        spent = (statistics.median(one[column] for one in found) for found in rounds.values())
        print(f"{text:<44}" + "".join(f"{median:>18.2f}" for median in spent))
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
    else:
        sys.exit(main())
