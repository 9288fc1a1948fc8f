# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Times the rows of cpu_rows.py with gpuarray and NumPy in turn, in this process; cpu.py starts it.

Prints a line of JSON for each row and size, so that a crash loses no row before it.
"""

import argparse
import gc
import json
import math
import re
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from cpu_operands import Operands
from cpu_rows import ROWS, SIZES, Row, chosen
from instructions import Marker

import gpuarray

# A row in which NumPy takes longer than this for 10^7 elements is measured on 10^6.
LONGEST = 0.04
FEWER = 10**6


@dataclass(frozen=True)
class Effort:
    """The limits on how long a row is measured: pairs of batches, one of each library."""

    batches: int  # pairs at most
    seconds: float  # for all pairs, after the least number of them
    least: int  # pairs at least
    batch_seconds: float  # a batch lasts at least so long, so that its start hardly counts


EFFORTS = {
    16: Effort(batches=20, seconds=0.004, least=5, batch_seconds=5e-5),
    10**5: Effort(batches=20, seconds=0.012, least=4, batch_seconds=1e-4),
    10**7: Effort(batches=5, seconds=0.1, least=2, batch_seconds=0),
}


def loop(row: Row):
    """Return a function of the number of calls, the library and the operands."""
    try:
        compile(row.code, row.code, "eval")
        code = f"_ = {row.code}"
    except SyntaxError:
        code = row.code
    names = ", ".join(["calls", "xp", *(name for name in row.operands if name != "xp")])
    scope: dict = {}
    exec(f"def run({names}):\n for _calls in range(calls): {code}", scope)
    return scope["run"]


def seconds(run, calls, arguments) -> float:
    start = time.perf_counter()
    run(calls, *arguments)
    return (time.perf_counter() - start) / calls


class Pair:
    """A row with its operands, for both libraries."""

    def __init__(self, row: Row, operands: Operands):
        made = [operands(name, text) for name, text in row.operands.items()]
        self.run = loop(row)
        self.theirs = np, *(one for one, _ in made)
        self.ours = gpuarray, *(other for _, other in made)
        self.best = [math.inf, math.inf]  # gpuarray's seconds of a call, then NumPy's

    def measure(self, effort: Effort) -> None:
        """Time both in turn; the least time of each counts."""
        first = [seconds(self.run, 1, self.ours), seconds(self.run, 1, self.theirs)]
        again = [seconds(self.run, 1, self.ours), seconds(self.run, 1, self.theirs)]
        calls = [
            max(1, math.ceil(effort.batch_seconds / min(pair)))
            for pair in zip(first, again, strict=True)
        ]
        self.best = [min(pair) for pair in zip(self.best, again, strict=True)]
        end = time.perf_counter() + effort.seconds
        for done in range(effort.batches - 1):
            if done + 1 >= effort.least and time.perf_counter() > end:
                break
            for side, arguments in enumerate((self.ours, self.theirs)):
                self.best[side] = min(self.best[side], seconds(self.run, calls[side], arguments))

    def calls_of(self, arguments):
        return lambda calls: self.run(calls, *arguments)

    @property
    def ratio(self) -> float:
        return self.best[0] / self.best[1]


def elements_of(row: Row, size: int, moderate: Operands) -> int:
    """Return the elements to measure a large row with, by NumPy's time for 10^5."""
    if size <= FEWER:
        return size
    pair = Pair(row, moderate)
    theirs = min(seconds(pair.run, 1, pair.theirs) for _ in range(2))
    return FEWER if theirs * (size / moderate.scope["n"]) > LONGEST else size


def measure(row: Row, size: int, operands: dict, retry: float, retries: int) -> dict:
    """Return the least microseconds of a call; a ratio above `retry` is measured again."""
    try:
        elements = elements_of(row, size, operands[10**5])
        pair = Pair(row, operands[elements])
        pair.measure(EFFORTS[size])
        for _ in range(retries):
            if pair.ratio <= retry:
                break
            pair.measure(EFFORTS[size])
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        # The folders of this machine do not belong in the results.
        return {"error": re.sub(r"(?:/[^\s/]+)+/", "", text)}
    ours, theirs = (float(f"{best * 1e6:.4g}") for best in pair.best)
    result = {"ours": ours, "numpy": theirs}
    return result if elements == size else result | {"elements": elements}


def count(rows: list[Row], operands: Operands, marker: str) -> None:
    """Let callgrind count the instructions of each library, with calls on few elements."""
    counter = Marker(marker)
    for row in rows:
        pair = Pair(row, operands)
        for library, arguments in (("gpuarray", pair.ours), ("numpy", pair.theirs)):
            counter.count(f"{library} {row.name}", pair.calls_of(arguments))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", default=[], metavar="PATTERN")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--retry", type=float, default=1.0, help="ratios above are tried again")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--exact", action="store_true", help="the patterns are whole names")
    parser.add_argument("--marker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    rows = [row for row in ROWS if chosen(row, options.rows, options.exact)]
    gpuarray.set_default_device("cpu")
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    gc.disable()
    operands = {n: Operands(n, gpuarray.to_device) for n in (16, 10**5, FEWER, 10**7)}
    if options.marker:
        count(rows, operands[16], options.marker)
        return
    for size in options.sizes:
        for row in (row for row in rows if size in row.sizes):
            result = measure(row, size, operands, options.retry, options.retries)
            print(json.dumps({"row": row.name, "size": size, "result": result}), flush=True)
            for made in operands.values():
                made.drop()
            gc.collect(0)
        print(f"{size:,} elements: done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
