# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures linear algebra of large batches of small matrices, beside a copy of as many bytes.

    python benchmarks/small_matrices.py [--peers cupy torch] [--limit 20] [--functions inv eigh]
        [--sizes 3 4] [--times 8]

Each row is a function of `gpuarray.linalg` on a batch: its median time, the ratio to the time in
which a large copy on the device moves as many bytes as it reads and writes, and the ratios to other
libraries, which run in a process of their own for each row and are given up after the limit in
seconds. With --times batches are so many times larger: the smallest take hardly longer than
launching a kernel.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

BATCHES = {2: 2**20, 3: 2**20, 4: 2**18, 8: 2**16, 16: 2**14, 32: 2**13}
DTYPES = ["float32", "float64"]
FUNCTIONS = ["solve", "inv", "det", "cholesky", "eigh", "qr", "svd"]
# Numbers that a function reads and writes for a matrix of n x n.
MOVED: dict[str, Callable[[int], int]] = {
    "solve": lambda n: n * n + 2 * n,
    "inv": lambda n: 2 * n * n,
    "det": lambda n: n * n + 1,
    "cholesky": lambda n: 2 * n * n,
    "eigh": lambda n: 2 * n * n + n,
    "qr": lambda n: 3 * n * n,
    "svd": lambda n: 3 * n * n + n,
}
CALLS, REPEATS, WARM = 10, 11, 2
COPIED = 1 << 30  # bytes


def operands(function: str, n: int, dtype: str, times: int) -> list[Any]:
    """Return the arguments on the host: well-conditioned matrices, and vectors for solve."""
    generator, count = np.random.default_rng(n), BATCHES[n] * times
    a = generator.standard_normal((count, n, n), dtype=np.float32)
    if function in ("cholesky", "eigh"):
        a = (a + a.swapaxes(-1, -2)) / 2
    if function != "eigh":
        a += (8 + 2 * n) * np.eye(n, dtype=np.float32)
    arrays = [a]
    if function == "solve":
        arrays.append(generator.standard_normal((count, n, 1), dtype=np.float32))
    return [array.astype(dtype) for array in arrays]


def library(name: str) -> tuple[Any, Callable[[Any], Any], Callable[[], Any]]:
    """Return the functions of a library's linalg, what copies to its device, and what waits."""
    if name == "gpuarray":
        import gpuarray

        return gpuarray.linalg, gpuarray.to_device, lambda: gpuarray.synchronize("cuda:0")
    if name == "cupy":
        import cupy

        return cupy.linalg, cupy.asarray, cupy.cuda.Device().synchronize
    import torch

    return torch.linalg, lambda array: torch.from_numpy(array).cuda(), torch.cuda.synchronize


def median_ms(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Return the median milliseconds of a call; each sample waits once for several calls."""
    times = []
    for repeat in range(-WARM, REPEATS):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        wait()
        if repeat >= 0:
            times.append((time.perf_counter() - start) / CALLS * 1e3)
    return statistics.median(times)


def measure(name: str, function: str, n: int, dtype: str, times: int) -> float:
    linalg, up, wait = library(name)
    arrays = [up(array) for array in operands(function, n, dtype, times)]
    return median_ms(lambda: getattr(linalg, function)(*arrays), wait)


def copy_speed() -> float:
    """Return the bytes that a large copy reads and writes in a millisecond.

    Each copy is waited for: those of one array to another that follow each other are done once.
    """
    import gpuarray

    source = gpuarray.ones(COPIED, dtype="uint8")
    times = []
    for _ in range(REPEATS):
        gpuarray.synchronize("cuda:0")
        start = time.perf_counter()
        source.copy()
        gpuarray.synchronize("cuda:0")
        times.append((time.perf_counter() - start) * 1e3)
    return 2 * COPIED / min(times)


def measure_apart(name: str, row: tuple[str, int, str, int], limit: float) -> float | str:
    """Return a peer's time in a process of its own, or why there is none."""
    command = [sys.executable, __file__, "--measure", name, *map(str, row)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"> {limit:.0f} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:24]
    return float(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", nargs="*", default=["cupy", "torch"])
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--functions", nargs="*", default=FUNCTIONS, choices=FUNCTIONS)
    parser.add_argument("--sizes", nargs="*", type=int, default=[*BATCHES], choices=[*BATCHES])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--measure", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, function, n, dtype, times = options.measure
        print(measure(name, function, int(n), dtype, int(times)))
        return 0
    import gpuarray

    if not any(str(device) == "cuda:0" for device in gpuarray.devices()):
        print("small_matrices: there is no CUDA device")
        return 0
    gpuarray.set_default_device("cuda:0")
    speed = copy_speed()
    print(f"{'row':<34}{'ms':>9}{'x copy':>8}" + "".join(f"{'x ' + p:>26}" for p in options.peers))
    for function in options.functions:
        for n in options.sizes:
            count = BATCHES[n] * options.times
            for dtype in DTYPES:
                spent = measure("gpuarray", function, n, dtype, options.times)
                floor = count * MOVED[function](n) * np.dtype(dtype).itemsize / speed
                text = f"{f'{function} ({count}, {n}, {n}) {dtype}':<34}{spent:>9.4f}"
                text += f"{spent / floor:>8.2f}"
                for peer in options.peers:
                    row = function, n, dtype, options.times
                    other = measure_apart(peer, row, options.limit)
                    shown = other if isinstance(other, str) else f"{spent / other:.3f}"
                    text += f"{shown:>26}"
                print(text, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
