# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs minutes of random work on the installed package, and checks that nothing leaks or races.

    python tools/soak.py [--device cuda:0] [--operations 10000000] [--seconds 120]

Exits with 1 if a result is wrong, if objects, device bytes or page-locked bytes are left, or if the
pool took more than 1.3 times what was in use at the peak.
"""

import argparse
import contextlib
import gc
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gpuarray
from gpuarray import memory

MIB = 2**20
MOST_OVER_IDEAL = 1.3
MOST_PYTHON_BLOCKS = 1000  # by which their number moves, however long it runs
EXPECTED = (TypeError, ValueError, IndexError, OverflowError)
DTYPES = [np.float32, np.float64, np.int32, np.uint8, np.complex64, np.bool_]


class Storm:
    """Performs random operations on arrays of random shapes, dtypes and streams."""

    def __init__(self, device: Any, seed: int) -> None:
        self.random = random.Random(seed)
        self.device = device
        self.streams = [gpuarray.Stream(device) for _ in range(4)]
        self.arrays = [self.array() for _ in range(8)]
        self.failures = 0
        self.operations: list[Callable[[Any, Any], Any]] = [
            lambda x, y: x + y,
            lambda x, y: x * 3,
            lambda x, y: x @ y.T,
            lambda x, y: x == y,
            lambda x, y: x.astype(np.float64).sum(axis=self.random.randrange(3)),
            lambda x, y: gpuarray.where(x != 0, x, y),
            lambda x, y: gpuarray.concatenate([x, y]),
            lambda x, y: x[1:, ::2].copy(),
            lambda x, y: x.T.reshape(-1),
            lambda x, y: x.fill(1),
            lambda x, y: x.__setitem__(slice(1), y[:1]),
            lambda x, y: x.get(),
            lambda x, y: x.get(gpuarray.empty_pinned(x.shape, x.dtype), blocking=False),
            lambda x, y: gpuarray.to_device(x.get(), stream=self.random.choice(self.streams)),
            lambda x, y: gpuarray.Stream(self.device),
            lambda x, y: gpuarray.Event().record(self.random.choice(self.streams)),
            lambda x, y: self.random.choice(self.streams).launch_host_func(abs, -1),
            lambda x, y: gpuarray.from_dlpack(x),
            lambda x, y: np.exp(x),
            lambda x, y: x.item(x.size),
            lambda x, y: x.reshape(7, -1, 5),
            lambda x, y: x + "text",
            lambda x, y: gpuarray.add(x, y, out=gpuarray.empty((1, 2, 3))),
        ]

    def array(self) -> Any:
        shape = self.random.choice([(4, 4), (4, 1), (1, 4), (16,), (64, 64), (1000, 3), (0, 4)])
        values = np.random.default_rng(self.random.randrange(2**32)).random(shape) * 9
        return gpuarray.to_device(values.astype(self.random.choice(DTYPES)), device=self.device)

    def graph(self) -> None:
        x = gpuarray.ones((4, 4), device=self.device)
        graph = gpuarray.graph(lambda x: (x + 1) * 2)(x)
        graph.launch()

    def step(self) -> None:
        x, y = self.random.choices(self.arrays, k=2)
        with contextlib.suppress(*EXPECTED), self.random.choice(self.streams):
            self.random.choice(self.operations)(x, y)
            return
        self.failures += 1


def in_use(device: Any) -> dict[str, int]:
    gpuarray.synchronize(device)
    gc.collect()
    stats = gpuarray.memory_stats(device)
    pinned = gpuarray.pinned_memory_stats()
    return {
        "device bytes": stats["bytes_in_use"],
        "device blocks": stats["allocations"],
        "page-locked bytes": pinned["bytes_in_use"],
        "Python blocks": sys.getallocatedblocks(),
    }


def storm(device: Any, seed: int, operations: int, seconds: float = 60) -> tuple[int, int]:
    """Perform random operations, and return how many they were and how many were refused."""
    made = Storm(device, seed)
    end = time.monotonic() + seconds
    number = 0
    while number < operations and time.monotonic() < end:
        made.step()
        if number % 1000 == 0 and str(device) != "cpu":
            made.graph()
        if number % 100 == 0:
            made.arrays[number // 100 % 8] = made.array()
        number += 1
    return number, made.failures


def leaks(device: Any, operations: int, seconds: float) -> bool:
    """Return whether all memory and objects are back at their level after many operations."""
    # The first operations make what is made only once and kept.
    storm(device, 0, 5000)
    before = in_use(device)
    start = time.monotonic()
    operations, failures = storm(device, 1, operations, seconds)
    after = in_use(device)
    left = {name: after[name] - before[name] for name in before}
    took = time.monotonic() - start
    print(f"leaks: {operations} operations ({failures} refused) in {took:.0f} s, left: {left}")
    python = left.pop("Python blocks")
    return python < MOST_PYTHON_BLOCKS and not any(left.values())


def fragmentation(device: Any, seconds: float, streams: int = 4) -> bool:
    """Return whether the pool stays compact for arrays of log-uniform sizes on several streams."""
    source = memory.StatisticsResource(memory.DriverResource(device))
    pool = memory.PoolResource(source)
    chosen = random.Random(2)
    queues = [gpuarray.Stream(device) for _ in range(streams)]
    free = gpuarray.memory_info(device).free
    budget = min(free // 4, 2**30 if str(device) == "cpu" else free)
    arrays: list[Any] = []
    now = peak = steps = 0
    end = time.monotonic() + seconds
    with gpuarray.using_allocator(pool):
        while time.monotonic() < end:
            steps += 1
            nbytes = int(2 ** chosen.uniform(0, np.log2(budget // 8)))
            while arrays and (now + nbytes > budget or chosen.random() < 0.4):
                index = chosen.randrange(len(arrays))
                arrays[index], arrays[-1] = arrays[-1], arrays[index]
                now -= arrays.pop().nbytes
            with chosen.choice(queues):
                arrays.append(gpuarray.empty(nbytes, np.uint8, device=device))
            now += nbytes
            peak = max(peak, now)
    ratio = source.statistics()["peak_bytes"] / peak
    arrays.clear()
    pool.release_cached()
    left = source.statistics()["bytes_in_use"]
    print(
        f"fragmentation: {steps} allocations up to {budget // 8 // MIB} MiB on {streams} streams "
        f"in {seconds:.0f} s: peak {peak // MIB} MiB in use, taken {ratio:.3f} times, left {left}"
    )
    return ratio < MOST_OVER_IDEAL and left == 0


def races(device: Any, seconds: float, threads: int = 8) -> bool:
    """Return whether threads with 8 streams each count right in shared arrays: no wait is lost."""
    size = 1 << 14
    shared = [gpuarray.zeros(size, np.int64, device=device) for _ in range(4)]
    locks = [threading.Lock() for _ in shared]
    counts = [0] * len(shared)
    wrong: list[Any] = []
    end = time.monotonic() + seconds

    def work(seed: int) -> None:
        chosen = random.Random(seed)
        streams = [gpuarray.Stream(device) for _ in range(8)]
        mine = gpuarray.zeros(size, np.int64, device=device)
        steps = 0
        while time.monotonic() < end and not wrong:
            which = chosen.randrange(len(shared))
            with chosen.choice(streams) as stream, locks[which]:
                if chosen.random() < 0.02:
                    stream.launch_host_func(time.sleep, 0.002)
                # Its memory is soon freed, and then used again by other threads.
                temporary = shared[which] * 1
                shared[which] += 1
                got = shared[which] - temporary
                counts[which] += 1
            mine += got
            steps += 1
            if chosen.random() < 0.01 and not (mine.get() == steps).all():
                wrong.append((seed, steps))

    workers = [threading.Thread(target=work, args=[seed]) for seed in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for array, count in zip(shared, counts, strict=True):
        if not (array.get() == count).all():
            wrong.append(count)
    print(f"races: {sum(counts)} steps of {threads} threads x 8 streams, wrong: {wrong}")
    return not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=120, help="of each part, at most")
    options = parser.parse_args()
    gpuarray.set_default_device(options.device)
    device = gpuarray.default_device()
    checks = [
        leaks(device, options.operations, options.seconds),
        fragmentation(device, options.seconds),
        races(device, options.seconds),
    ]
    # Otherwise a leak checker would report the cached memory.
    memory.release_cached(device)
    gpuarray.release_pinned_memory()
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
