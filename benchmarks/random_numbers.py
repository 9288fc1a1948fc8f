# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random numbers beside CuPy and PyTorch, and beside filling the same memory.

    python benchmarks/random_numbers.py [--size 28] [--peers cupy torch] [text of a row ...]

Each line has the median of some calls in ms, its ratio to the time of filling as many bytes, and
its ratio to the time of each peer that is there. Small draws are also timed until they return, and
the first one of a process.
"""

import argparse
import statistics
import subprocess
import sys
import time

import numpy as np

import gpuarray


def median_ms(call, synchronize, repeats=7):
    """Return the median time of a call and its work, after two calls that are not counted."""
    times = []
    for repeat in range(repeats + 2):
        begin = time.perf_counter()
        call()
        synchronize()
        if repeat >= 2:
            times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def own_rows(n):
    rng = gpuarray.random.default_rng(0)
    return {
        "random float32": lambda: rng.random(n, np.float32),
        "random float64": lambda: rng.random(n),
        "uniform(2, 5)": lambda: rng.uniform(2, 5, n),
        "normal float32": lambda: rng.standard_normal(n, np.float32),
        "normal float64": lambda: rng.standard_normal(n),
        "exponential float32": lambda: rng.standard_exponential(n, np.float32),
        "exponential float64": lambda: rng.standard_exponential(n),
        "integers(1000) int64": lambda: rng.integers(0, 1000, n),
        "integers(1024) int64": lambda: rng.integers(0, 1024, n),
        "integers(100) uint8": lambda: rng.integers(0, 100, n, np.uint8),
        "permutation": lambda: rng.permutation(n // 4),
        "choice 1000 of 1e8": lambda: rng.choice(10**8, 1000, replace=False),
        "random 16": lambda: rng.random(16),
    }


def cupy_rows(n):
    import cupy

    rng = cupy.random.default_rng(0)
    rows = {
        "random float32": lambda: rng.random(n, np.float32),
        "random float64": lambda: rng.random(n),
        "uniform(2, 5)": lambda: rng.uniform(2, 5, n),
        "normal float32": lambda: rng.standard_normal(n, np.float32),
        "normal float64": lambda: rng.standard_normal(n),
        "exponential float32": lambda: rng.standard_exponential(n, np.float32),
        "exponential float64": lambda: rng.standard_exponential(n),
        "integers(1000) int64": lambda: rng.integers(0, 1000, n),
        "integers(1024) int64": lambda: rng.integers(0, 1024, n),
        "permutation": lambda: cupy.random.permutation(n // 4),
        "random 16": lambda: rng.random(16),
    }
    return rows, cupy.cuda.Device().synchronize


def torch_rows(n):
    import torch

    on = {"device": "cuda"}
    rows = {
        "random float32": lambda: torch.rand(n, **on),
        "random float64": lambda: torch.rand(n, dtype=torch.float64, **on),
        "normal float32": lambda: torch.randn(n, **on),
        "normal float64": lambda: torch.randn(n, dtype=torch.float64, **on),
        "exponential float32": lambda: torch.empty(n, **on).exponential_(),
        "integers(1000) int64": lambda: torch.randint(1000, (n,), **on),
        "integers(1024) int64": lambda: torch.randint(1024, (n,), **on),
        "permutation": lambda: torch.randperm(n // 4, **on),
        "random 16": lambda: torch.rand(16, **on),
    }
    return rows, torch.cuda.synchronize


PEERS = {"cupy": cupy_rows, "torch": torch_rows}

# What a process does before and in its first draw.
FIRST = {
    "gpuarray": (
        "import gpuarray as m, gpuarray.random; m.ones(1).get()",
        "m.random.default_rng(0).random(16).get()",
    ),
    "cupy": ("import cupy as m; m.ones(1).get()", "m.random.default_rng(0).random(16).get()"),
    "torch": (
        "import torch as m; m.ones(1, device='cuda').cpu()",
        "m.rand(16, device='cuda').cpu()",
    ),
}


def first_ms(name):
    """Return the ms of the first draw of 16 numbers, in a process that has used the device."""
    before, draw = FIRST[name]
    text = f"import time; {before}; s = time.perf_counter(); {draw}; print(time.perf_counter() - s)"
    command = [sys.executable, "-P", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout) * 1e3


def returning_us(call, synchronize, calls=100):
    """Return the median us until a call returns, while the device falls behind."""
    times = []
    for _ in range(20):
        synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls)
    return statistics.median(times) * 1e6


def peers_of(names, n):
    """Return the rows and the wait of each peer that can be imported."""
    found = {}
    for name in names:
        try:
            found[name] = PEERS[name](n)
        except ImportError as error:
            print(f"{name}: {error}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="*", help="text in the names of the rows to run")
    parser.add_argument("--size", type=int, default=28, help="logarithm of the numbers to draw")
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=PEERS)
    arguments = parser.parse_args()
    n = 1 << arguments.size
    peers = peers_of(arguments.peers, n)
    own_calls = own_rows(n)
    for name, call in own_calls.items():
        if arguments.rows and not any(text in name for text in arguments.rows):
            continue
        made = call()
        filled = median_ms(lambda made=made: made.fill(1), gpuarray.synchronize)
        del made
        own = median_ms(call, gpuarray.synchronize)
        line = f"{name:22} {own:9.4f} ms  {own / filled:6.2f} x fill"
        for peer, (rows, synchronize) in peers.items():
            if name in rows:
                other = median_ms(rows[name], synchronize)
                line += f"  {own / other:6.2f} x {peer} ({other:.4f})"
        print(line, flush=True)
    if not arguments.rows:
        rows = {"gpuarray": (own_calls, gpuarray.synchronize)} | peers
        for name, (calls, synchronize) in rows.items():
            spent = returning_us(calls["random 16"], synchronize)
            print(f"{name}: random 16 returns in {spent:.2f} us, first {first_ms(name):.1f} ms")


if __name__ == "__main__":
    main()
