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
from instructions import CALLS, Marker

import gpuarray

# A row in which NumPy takes longer than this for 10^7 elements is measured on 10^6.
LONGEST = 0.005
FEWER = 10**6
LONG = 0.15  # seconds of a pair that is measured twice, the first time with memory not used before
# Ratios between the limit and this may be due to the machine's other work; they are measured again.
DOUBTFUL = 3.0


SIDES = OURS, NUMPY = 0, 1


@dataclass(frozen=True)
class Effort:
    """The limits on how long a row is measured: pairs of batches, one of each library."""

    pairs: int  # at most
    least: int  # pairs, however long they take
    seconds: float  # for all pairs after these
    batch_seconds: float  # A batch lasts at least so long, so that its start hardly counts.


EFFORTS = {
    16: Effort(pairs=16, least=5, seconds=0.003, batch_seconds=5e-5),
    10**5: Effort(pairs=20, least=4, seconds=0.01, batch_seconds=1e-4),
    10**7: Effort(pairs=3, least=2, seconds=0.015, batch_seconds=0),
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


class Pair:
    """A row with its operands, for gpuarray and for NumPy."""

    def __init__(self, row: Row, operands: Operands):
        made = [operands(name, text) for name, text in row.operands.items()]
        self.run = loop(row)
        self.arguments = (
            (gpuarray, *(on_device for _, on_device in made)),
            (np, *(on_host for on_host, _ in made)),
        )
        self.best = [math.inf, math.inf]  # seconds of a call

    def measure(self, effort: Effort) -> None:
        """Time both in turn; the least time of a call of each counts."""
        calls = [1, 1]
        if effort.batch_seconds:
            warm = [[self.seconds(side, 1) for side in SIDES] for _ in range(2)]
            calls = [
                max(1, math.ceil(effort.batch_seconds / min(t))) for t in zip(*warm, strict=True)
            ]
        end = time.perf_counter() + effort.seconds
        for done in range(effort.pairs):
            late = time.perf_counter() > end
            if late and (done >= effort.least or (done >= 2 and sum(self.best) > LONG)):
                break
            for side in SIDES:
                self.best[side] = min(self.best[side], self.seconds(side, calls[side]))

    def seconds(self, side: int, calls: int) -> float:
        start = time.perf_counter()
        self.run(calls, *self.arguments[side])
        return (time.perf_counter() - start) / calls

    def calls_of(self, side: int, fewer: int):
        return lambda calls: self.run(calls // fewer, *self.arguments[side])

    @property
    def ratio(self) -> float:
        return self.best[0] / self.best[1]


def large_pair(row: Row, size: int, operands: dict) -> tuple[Pair, int]:
    """Return the row with its operands, and their elements: fewer where NumPy would take long."""
    if size > FEWER:
        pair = Pair(row, operands[FEWER])
        longest = LONGEST * FEWER / size
        # The first call may take several times as long as later ones, of memory not used before.
        if (first := pair.seconds(NUMPY, 1)) > longest and (
            first > 5 * longest or pair.seconds(NUMPY, 1) > longest
        ):
            return pair, FEWER
    return Pair(row, operands[size]), size


def measure(row: Row, size: int, operands: dict, options: argparse.Namespace) -> dict:
    """Return the least microseconds of a call; doubtful ratios are measured again."""
    try:
        pair, elements = large_pair(row, size, operands)
        pair.measure(EFFORTS[size])
        for _ in range(options.retries):
            if not options.limit < pair.ratio < DOUBTFUL:
                break
            pair.measure(EFFORTS[size])
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        # The folders of this machine do not belong in the results.
        return {"error": re.sub(r"(?:/[^\s/]+)+/", "", text)}
    ours, theirs = (float(f"{best * 1e6:.4g}") for best in pair.best)
    result = {"ours": ours, "numpy": theirs}
    return result if elements == size else result | {"elements": elements}


def count(rows: list[Row], size: int, operands: Operands, marker: str) -> None:
    """Let callgrind count the instructions of each library, which are compared with each other."""
    counter = Marker(marker)
    fewer = 1 if size == 16 else CALLS[0]  # long calls are counted once and a few times
    for row in rows:
        pair = Pair(row, operands)
        for side, library in zip(SIDES, ("gpuarray", "numpy"), strict=True):
            counter.count(f"{library} {row.name}", pair.calls_of(side, fewer))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", default=[], metavar="PATTERN")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--limit", type=float, default=1.0, help="ratios above are doubtful")
    parser.add_argument("--retries", type=int, default=1)
    parser.add_argument("--exact", action="store_true", help="the patterns are whole names")
    parser.add_argument("--marker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    rows = [row for row in ROWS if chosen(row, options.rows, options.exact)]
    # Rows with the same operands follow each other, so that these are made once.
    rows.sort(key=lambda row: sorted(row.operands.items()))
    gpuarray.set_default_device("cpu")
    gpuarray.fusion("off")  # each call by itself, none together with the next
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    gc.disable()
    operands = {n: Operands(n, gpuarray.to_device) for n in (16, 10**5, FEWER, 10**7)}
    if options.marker:
        count(rows, options.sizes[0], operands[options.sizes[0]], options.marker)
        return
    for size in options.sizes:
        for row in (row for row in rows if size in row.sizes):
            result = measure(row, size, operands, options)
            print(json.dumps({"row": row.name, "size": size, "result": result}), flush=True)
            for made in operands.values():
                made.drop()
            gc.collect(0)
        print(f"{size:,} elements: done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
