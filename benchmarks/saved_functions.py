# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures the first call of fused functions in a new process, on the CUDA device.

Milliseconds to the end of the first call, with `fuse` and no cache, with `fuse` and the kernels on
disk, and with `load_fused`, its reading of the file included, where there is no compiler. Python's
imports, the context and the arrays are not counted.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 7
SIZE = 2**20
WAYS = ("compiled", "on disk", "from a file")


def chain(a: Any, b: Any) -> Any:
    return ((a * b + a) * b - a) / b


def black_scholes(price: Any, strike: Any) -> tuple[Any, Any]:
    import gpuarray

    d = (gpuarray.log(price / strike) + 0.07) / 0.3
    call, put = 1 / (1 + gpuarray.exp(-1.7 * d)), 1 / (1 + gpuarray.exp(-1.7 * (d - 0.3)))
    return price * call - strike * put, strike * (1 - put) - price * (1 - call)


def softmax(x: Any, bias: Any) -> Any:
    import gpuarray

    e = gpuarray.exp(x + bias - (x + bias).max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


FUNCTIONS = {function.__name__: function for function in (chain, black_scholes, softmax)}


def measure(name: str, path: str, way: str) -> float:
    """Return the milliseconds of a first call; in a way that compiles, save the function then."""
    import gpuarray

    random = np.random.default_rng(0)
    hosts = (random.random((SIZE // 1024, 1024), dtype=np.float32) + 0.5 for _ in range(2))
    arrays = [gpuarray.to_device(host, device="cuda:0") for host in hosts]
    gpuarray.synchronize("cuda:0")
    start = time.perf_counter()
    fused = gpuarray.load_fused(path) if way == "from a file" else gpuarray.fuse(FUNCTIONS[name])
    results = fused(*arrays)
    gpuarray.synchronize("cuda:0")
    spent = (time.perf_counter() - start) * 1e3
    if way == "compiled":
        fused.save(path)
    results, expected = (
        one if isinstance(one, tuple) else (one,) for one in (results, FUNCTIONS[name](*arrays))
    )
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(one.get(), other.get(), rtol=1e-5, atol=1e-5)
    return spent


def measure_elsewhere(name: str, folder: str, way: str) -> float:
    """Return the time of measure() in a new process."""
    variables = os.environ | {"GPUARRAY_CACHE_DIR": str(Path(folder, "cache"))}
    if way == "from a file":
        variables |= {"GPUARRAY_LIBNVRTC": os.devnull, "GPUARRAY_CACHE_BYTES": "0"}
    command = [sys.executable, __file__, name, str(Path(folder, "function")), way]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    import gpuarray

    if not any(str(device) == "cuda:0" for device in gpuarray.devices()):
        print("saved_functions: there is no CUDA device")
        return 0
    print(f"{'ms to the end of the first call':<34}" + "".join(f"{way:>14}" for way in WAYS))
    for name in FUNCTIONS:
        rounds = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                rounds.append([measure_elsewhere(name, folder, way) for way in WAYS])
        medians = [statistics.median(times) for times in zip(*rounds, strict=True)]
        print(f"{name:<34}" + "".join(f"{median:>14.2f}" for median in medians))
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(measure(*sys.argv[1:]))
    else:
        sys.exit(main())
