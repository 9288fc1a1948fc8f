# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Launches a second of 1, 2, 4 and 8 threads, each with a stream and arrays of its own.

    python benchmarks/launch_threads.py [--device cuda:0] [--seconds 1] [--stub]

Each operation is on 16 elements, so that the calls are measured and not the kernels. Threads help
on free-threaded Python; elsewhere the GIL lets one of them call at a time. With --stub it runs on
the stub driver of tests/driver, whose launches return at once.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import gpuarray

ROOT = Path(__file__).resolve().parents[1]
THREADS = 1, 2, 4, 8
ROWS = {
    "add(a, b, out=c)": lambda a, b, c: gpuarray.add(a, b, out=c),
    "a + b": lambda a, b, c: a + b,
    "a.sum()": lambda a, b, c: a.sum(),
}
CALLS = 100  # between two looks at the clock


def rate(device: str, call, count: int, seconds: float) -> float:
    """Return the calls a second of so many threads together."""
    start, stop = threading.Barrier(count + 1), threading.Event()
    calls = [0] * count

    def work(number: int) -> None:
        with gpuarray.Stream(device):
            arrays = [gpuarray.ones(16, "f4", device=device) for _ in range(3)]
            call(*arrays)
            start.wait()
            done = 0
            while not stop.is_set():
                for _ in range(CALLS):
                    call(*arrays)
                done += CALLS
            calls[number] = done

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    elapsed = time.perf_counter() - began
    for thread in threads:
        thread.join()
    gpuarray.synchronize(device)
    return sum(calls) / elapsed


def measure(device: str, seconds: float) -> None:
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(
        f"{device}, Python {platform.python_version()} {'with' if gil else 'without'} a GIL, "
        f"{len(os.sched_getaffinity(0))} cores; thousand calls a second, and times one thread's"
    )
    with gpuarray.fusion("off"):
        for name, call in ROWS.items():
            rates = [rate(device, call, count, seconds) for count in THREADS]
            cells = (
                f"{count}: {each / 1e3:7.0f} ({each / rates[0]:4.2f})"
                for count, each in zip(THREADS, rates, strict=True)
            )
            print(f"{name:18} " + "   ".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--stub", action="store_true", help="on the stub driver")
    options = parser.parse_args()
    if not options.stub:
        return measure(options.device, options.seconds)
    sys.path.insert(0, str(ROOT / "tests"))
    from _support.stub_driver import build_stub

    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--device", options.device, "--seconds", str(options.seconds)]
        subprocess.run(
            [sys.executable, "-P", __file__, *arguments],
            env={**os.environ, "GPUARRAY_LIBCUDA": str(build_stub(Path(folder)))},
            check=True,
        )


if __name__ == "__main__":
    main()
