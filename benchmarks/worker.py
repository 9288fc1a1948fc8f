# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures the rows for one library in this process; run.py starts it.

Prints lines of JSON, the version and then each row, so that a crash loses no row before it.
"""

import argparse
import gc
import json
import math
import re
import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np
from libraries import LIBRARIES
from rows import (
    DEVICE_OPERANDS,
    FUSED,
    HOST,
    KERNELS,
    NUMPY_OPERANDS,
    ON_HOST,
    OTHER,
    ROWS,
    Row,
)

REPEATED = 1 << 22  # random elements, which larger operands repeat; they exceed the caches
MADE_HERE = {"n", "side", "xp", "up", "replay", *FUSED, *KERNELS}
KEPT = {"A", "B", "X"}  # operands that many rows use, kept between rows


@dataclass(frozen=True)
class Effort:
    """The limits on how long a row is measured."""

    batches: int  # most batches of each row
    seconds: float  # most seconds of each row
    # A batch on large arrays lasts at least so many seconds, so that its start hardly counts.
    batch_seconds: float
    calls: int  # calls of a batch on small arrays, few enough for the driver's queue of launches


FULL = Effort(batches=200, seconds=0.2, batch_seconds=0.02, calls=50)
QUICK = Effort(batches=3, seconds=0.2, batch_seconds=0.0, calls=5)


class Operands:
    """Makes operands at their first use, and drops those of few rows after a row."""

    def __init__(self, library, size: int):
        self.library = library
        self.rng = np.random.default_rng(2026)
        self.made: dict = {}
        side = math.isqrt(size)
        edge = 1 << (size.bit_length() - 1) // 3
        self.scope = {"n": size, "side": side, "edge": edge, "np": np}
        self.scope |= {"sample": lambda dtype: self.block(dtype, 16), "block": self.block}
        self.scope["indices"] = lambda count, below: self.rng.integers(0, below, count)

    def block(self, dtype: str, count: int):
        repeated = min(count, REPEATED)
        if dtype == "int32":
            values = self.rng.integers(1, 1000, repeated, dtype=dtype)
        elif dtype == "complex64":
            parts = self.rng.uniform(0.5, 1, (repeated, 2)).astype("float32")
            values = parts.view(dtype)[:, 0]
        else:
            values = self.rng.uniform(0.5, 1.0, repeated).astype(dtype)
        return np.tile(values, -(-count // repeated))[:count]

    def __getitem__(self, name: str):
        if name not in self.made:
            self.made[name] = self.make(name)
        return self.made[name]

    def make(self, name: str):
        if name in ("n", "side"):
            return self.scope[name]
        if name in ("xp", "up"):
            return {"xp": self.library.xp, "up": self.library.up}[name]
        if name in FUSED:
            return self.library.fuse(FUSED[name])
        if name in KERNELS:
            return self.library.xp.ElementwiseKernel(*KERNELS[name])
        if name == "replay":
            return self.library.replay(self["a"])
        if name == "W":
            return self.library.bfloat16(self["A"])
        if name in DEVICE_OPERANDS:
            source = DEVICE_OPERANDS[name]
            return eval(source, self.scope | {key: self[key] for key in "ABHI" if key in source})
        array = eval(NUMPY_OPERANDS[name], self.scope)
        return array if name in ON_HOST else self.library.up(array)

    def drop(self) -> None:
        for name in [name for name in self.made if name not in KEPT]:
            del self.made[name]
        gc.collect()
        self.library.free()


def loop(code: str, operands: Operands, after: str = ""):
    """Return a function of the number of calls, which returns the results.

    None is dropped before, because then it need not be computed. `after` is called after each call.
    """
    names = [
        name
        for name in compile(code, code, "exec").co_names
        if name in NUMPY_OPERANDS or name in DEVICE_OPERANDS or name in MADE_HERE
    ]
    try:
        compile(code, code, "eval")
        call = f"kept.append({code})"
    except SyntaxError:
        call = code
    source = f"def run(calls, {', '.join(names)}):\n kept = []\n for _ in range(calls):\n  {call}\n"
    source += f"  {after}\n" if after else ""
    source += " return kept"
    scope: dict = {"library": operands.library}
    exec(source, scope)
    values = [operands[name] for name in names]
    return lambda calls: scope["run"](calls, *values)


def wait_for(library, results: list) -> None:
    library.synchronize(results[-1] if results else None)


def time_host(run, library, effort: Effort) -> dict[str, float]:
    """Return the microseconds of a call; the wait for the work after each batch is not timed."""
    times = []
    end = time.monotonic() + effort.seconds
    while not times or (len(times) < effort.batches and time.monotonic() < end):
        start = time.perf_counter()
        results = run(effort.calls)
        times.append((time.perf_counter() - start) / effort.calls * 1e6)
        wait_for(library, results)
        del results
    return {"median": statistics.median(times), "min": min(times)}


def time_device(run, library, effort: Effort) -> dict[str, float]:
    """Return the milliseconds of a call, from batches of calls that end with a wait."""

    def batch(calls: int) -> float:
        start = time.perf_counter()
        results = run(calls)
        wait_for(library, results)
        return time.perf_counter() - start

    calls = max(1, min(200, math.ceil(effort.batch_seconds / batch(1))))
    times: list[float] = []
    end = time.monotonic() + effort.seconds
    while len(times) < min(3, effort.batches) or (
        len(times) < effort.batches and time.monotonic() < end
    ):
        times.append(batch(calls) / calls * 1e3)
    return {"median": statistics.median(times), "min": min(times)}


def measure(row: Row, code: str, operands: Operands, effort: Effort) -> dict:
    library = operands.library
    try:
        # Large calls are measured each by itself: none is computed together with the next.
        separates = row.group != HOST and hasattr(library, "separate")
        run = loop(code, operands, "library.separate()" if separates else "")
        for _ in range(3):
            wait_for(library, run(2))
        if row.group == HOST:
            return time_host(run, library, effort)
        return time_device(run, library, effort)
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        # The folders of this machine do not belong in the results.
        return {"error": re.sub(r"(?:/[^\s/]+)+/", "", text)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--device", required=True)
    parser.add_argument("--size", type=int, required=True, help="a power of 4")
    parser.add_argument("--rows", nargs="*", default=[], help="names of rows; all if there is none")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    library = LIBRARIES[options.library][0](options.device)
    operands = Operands(library, options.size)
    gc.disable()
    print(json.dumps({"version": library.version}), flush=True)
    for row in ROWS:
        code = row.of(options.library)
        if row.group == OTHER or code is None or (options.rows and row.name not in options.rows):
            continue
        count = getattr(library, "kernels", int)
        before = count()
        result = measure(row, code, operands, QUICK if options.quick else FULL)
        result["kernels"] = count() - before
        print(json.dumps({"row": row.name, "result": result}), flush=True)
        print(f"{options.library}: {row.name}", file=sys.stderr, flush=True)
        operands.drop()


if __name__ == "__main__":
    main()
