# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures what groups of operations cost, beside what gpuarray predicts, and fits the numbers.

    python benchmarks/cost.py [--device cpu] [--limit SECONDS] [--out JSON]
    python benchmarks/cost.py --device cuda:0 --limit 60
    python benchmarks/cost.py --kept JSON [--docs]

Groups of 2 to 12 operations on 2^8 to 2^23 elements: simple functions, divisions and others; whole
operands, rows and columns that broadcast, numbers, and views with rows; with one or several results
that are kept. Each runs with fusion off and "always", which take turns. The cpu device has one
thread, and the time of other processes is left out; on a CUDA device the wall time counts, and
kernels are compiled before.

Prints the microseconds of a call alone and in one pass, measured and predicted by the numbers in
src/backend/tuning.hpp; of how many groups the prediction tells which way is faster, and what that
loses; and the numbers that fit the measurements, which a person writes there. --out keeps the
measurements, --kept takes them instead of measuring, and --docs prints the table of docs/fusion.md.
"""

import argparse
import json
import math
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

TUNING = Path(__file__).resolve().parents[1] / "src/backend/tuning.hpp"
ITEMSIZE = 4  # float32
BLOCK = 1024  # elements, src/backend/host/steps.cpp
COUNTS = [2, 3, 4, 6, 8, 12]
SIZES = [1 << k for k in (8, 10, 12, 14, 15, 16, 17, 18, 20, 22, 23)]
LEAST_BATCH = {"cpu": 0.0008, "cuda": 0.002}  # seconds
ROUNDS = 7
NEAR = 1.03  # ways whose times differ less are as fast

# The functions of each kind, in turns. Each keeps its values within range.
FUNCTIONS: dict[str, list[Callable[[Any, Any, Any, Any], Any]]] = {
    "simple": [lambda xp, x, a, b: x * b, lambda xp, x, a, b: x + b],
    "division": [lambda xp, x, a, b: b / x, lambda xp, x, a, b: xp.sqrt(x)],
    "function": [lambda xp, x, a, b: xp.exp(x), lambda xp, x, a, b: xp.log(x)],
    "mixed": [
        lambda xp, x, a, b: x * b,
        lambda xp, x, a, b: xp.maximum(x, a),
        lambda xp, x, a, b: xp.tanh(x),
        lambda xp, x, a, b: x - b,
    ],
}
# For each function: its kind, and how many of x, a and b it reads.
READS = {
    "simple": [("simple", 1, 0, 1)] * 2,
    "division": [("division", 1, 0, 1), ("division", 1, 0, 0)],
    "function": [("function", 1, 0, 0)] * 2,
    "mixed": [
        ("simple", 1, 0, 1),
        ("simple", 1, 1, 0),
        ("function", 1, 0, 0),
        ("simple", 1, 0, 1),
    ],
}
# The length of rows of an operand that has some.
OPERANDS = {"whole": 0, "row": 256, "column": 256, "number": 0, "view 16": 16, "view 256": 256}


@dataclass(frozen=True)
class Step:
    """An operation: its kind, the bytes that it moves for an element by itself and in one pass,
    which finds in the cache what an earlier one read, and whether it reads memory by rows."""

    kind: str
    bytes_alone: int
    bytes_together: int
    by_rows: bool


@dataclass(frozen=True)
class Group:
    """Operations in a row, the first of which reads a and b."""

    kind: str
    count: int
    size: int
    several: bool = False  # whether every second result is kept, too
    operand: str = "whole"  # what b is; a has its layout if that is a view

    def arrays(self, gpuarray: Any, device: str) -> list[Any]:
        rng = np.random.default_rng(2026)
        width = OPERANDS[self.operand]
        shape = (self.size // width, width) if width else (self.size,)
        wide = (*shape[:-1], shape[-1] + 1) if self.operand.startswith("view") else shape
        hosts = [rng.random(wide, "float32") + np.float32(0.5) for _ in "ab"]
        a, b = (gpuarray.to_device(host, device=device) for host in hosts)
        if wide != shape:
            a, b = a[:, :-1], b[:, 1:]
        places = {"row": np.s_[0], "column": np.s_[:, :1]}
        if self.operand in places:
            b = b[places[self.operand]].copy()
        return [a, 1.25 if self.operand == "number" else b]

    def run(self, gpuarray: Any, a: Any, b: Any) -> list[Any]:
        functions = FUNCTIONS[self.kind]
        x, kept = a, []
        for k in range(self.count):
            x = functions[k % len(functions)](gpuarray, x, a, b)
            if k == self.count - 1 or (self.several and k % 2 == 0):
                kept.append(x)
        return kept

    def steps(self) -> Iterator[Step]:
        is_view = self.operand.startswith("view")
        is_whole = self.operand == "whole" or is_view
        seen: set[str] = set()
        for k in range(self.count):
            kind, _, a, b = READS[self.kind][k % len(READS[self.kind])]
            reads = ({"a"} if a or k == 0 else set()) | ({"b"} if b and is_whole else set())
            kept = k == self.count - 1 or (self.several and k % 2 == 0)
            alone = 2 + a + (b and is_whole)  # with x and the result
            by_rows = (bool(b) and OPERANDS[self.operand] > 0) or (is_view and "a" in reads)
            yield Step(kind, alone * ITEMSIZE, (len(reads - seen) + kept) * ITEMSIZE, by_rows)
            seen |= reads

    def title(self) -> str:
        kept = "several" if self.several else "one"
        exponent = self.size.bit_length() - 1
        return f"{self.kind:<9}{self.count:>3} {kept:<8}{self.operand:<9} 2^{exponent:<3}"


def groups(device: str) -> list[Group]:
    """Return what is measured, in an order in which any begin has something of everything."""
    found = [Group("simple", n, size) for n in COUNTS for size in SIZES]
    found += [Group(kind, 4, size) for kind in ("division", "function", "mixed") for size in SIZES]
    found += [
        Group(kind, n, size)
        for kind in ("division", "function", "mixed")
        for n in (2, 12)
        for size in SIZES
    ]
    found += [Group("simple", n, size, several=True) for n in (4, 12) for size in SIZES]
    found += [Group("mixed", 8, size, several=True) for size in SIZES]
    found += [
        Group(kind, 4, size, operand=operand)
        for kind in ("simple", "mixed")
        for operand in OPERANDS
        if operand != "whole"
        for size in SIZES[1:]
    ]
    return found if device == "cpu" else found[::2] + found[1::2]


# The numbers of a device in tuning.hpp, but for those that no group tells.
NAMES = {
    "cpu": (
        *("Launch", "Group", "GroupStep", "BlockStep", "Simple", "Division", "Function", "Row"),
        *("NearByte", "FarByte", "NearBytes", "BlockNearByte", "BlockFarByte"),
    ),
    "cuda": ("Launch", "Group", "GroupStep", "Byte", "Simple", "Division", "Function"),
}
PREFIX = {"cpu": "kHost", "cuda": "kCuda"}
Numbers = dict[str, float]


def built_numbers(device: str) -> Numbers:
    """Return the numbers of tuning.hpp."""
    found = re.findall(rf"\b{PREFIX[device]}(\w+) = ([^;]+);", TUNING.read_text())
    numbers = {}
    for name, text in found:
        if name in NAMES[device]:
            over, _, under = text.partition("/")
            numbers[name] = float(over) / float(under or 1)
    return numbers


def predict_cpu(group: Group, numbers: Numbers) -> tuple[float, float]:
    def byte(touched: float, near: float, far: float) -> float:
        part_far = min(max(touched / numbers["NearBytes"] - 1, 0), 1)
        return near + (far - near) * part_far

    width = OPERANDS[group.operand]
    rows = group.size / width if width else 1
    blocks = math.ceil(group.size / BLOCK)
    steps = list(group.steps())
    touched = group.size * sum(step.bytes_together for step in steps)
    alone, together = 0.0, numbers["Group"]
    for step in steps:
        work = group.size * numbers[step.kind.title()]
        work += rows * numbers["Row"] if step.by_rows else 0
        moved = group.size * step.bytes_alone
        moves = moved * byte(moved, numbers["NearByte"], numbers["FarByte"])
        alone += numbers["Launch"] + math.hypot(work, moves)
        moves = group.size * step.bytes_together
        moves *= byte(touched, numbers["BlockNearByte"], numbers["BlockFarByte"])
        together += numbers["GroupStep"] + blocks * numbers["BlockStep"] + math.hypot(work, moves)
    return alone, together


def predict_cuda(group: Group, numbers: Numbers) -> tuple[float, float]:
    def launch(moved: int, work: float) -> float:
        size = group.size
        return max(numbers["Launch"], size * work, size * moved * numbers["Byte"])

    steps = list(group.steps())
    alone = sum(launch(step.bytes_alone, numbers[step.kind.title()]) for step in steps)
    work = sum(numbers[step.kind.title()] for step in steps)
    host = numbers["Group"] + numbers["GroupStep"] * group.count
    return alone, host + launch(sum(step.bytes_together for step in steps), work)


PREDICT = {"cpu": predict_cpu, "cuda": predict_cuda}


@dataclass
class Measured:
    group: Group
    alone: float  # microseconds
    together: float


def kind_of(device: str) -> str:
    return device.partition(":")[0]


class Meter:
    """Measures groups on a device, in microseconds."""

    def __init__(self, device: str):
        import gpuarray

        self.gpuarray, self.device = gpuarray, device
        self.clock = time.process_time if device == "cpu" else time.perf_counter
        self.least = LEAST_BATCH[kind_of(device)]

    def batch(self, group: Group, arrays: list[Any], calls: int) -> float:
        start = self.clock()
        for _ in range(calls):
            kept = group.run(self.gpuarray, *arrays)
            if self.device == "cpu":
                kept[0].synchronize()  # runs what waits
        self.gpuarray.synchronize(self.device)
        return self.clock() - start

    def measure(self, group: Group) -> Measured:
        arrays = group.arrays(self.gpuarray, self.device)
        modes = ("off", "always")
        calls = {}
        for mode in modes:
            with self.gpuarray.fusion(mode):
                for _ in range(3):  # compiles the kernel of a group
                    self.batch(group, arrays, 1)
                    self.gpuarray._core._finish_compilations()
                calls[mode] = 1
                while (spent := self.batch(group, arrays, calls[mode])) < self.least:
                    calls[mode] = max(
                        2 * calls[mode], int(calls[mode] * self.least / (spent + 1e-9))
                    )
        spent = {mode: [] for mode in modes}
        for k in range(ROUNDS):
            for mode in modes[:: 1 if k % 2 else -1]:
                with self.gpuarray.fusion(mode):
                    spent[mode].append(self.batch(group, arrays, calls[mode]) / calls[mode] * 1e6)
        return Measured(group, *(statistics.median(spent[mode]) for mode in modes))


def error_of(rows: list[Measured], numbers: Numbers, predict: Callable) -> float:
    """Return the mean of the squared logarithms of predicted over measured. What is saved counts
    as well as the times themselves."""
    total = 0.0
    for row in rows:
        alone, together = predict(row.group, numbers)
        ratios = alone / row.alone, together / row.together
        total += sum(math.log(ratio) ** 2 for ratio in ratios)
        total += math.log(ratios[0] / ratios[1]) ** 2
    return total / len(rows)


def fit(rows: list[Measured], numbers: Numbers, predict: Callable) -> Numbers:
    """Return the numbers with the least error: each is changed by a factor in turn."""
    # Numbers that are 0 until now begin with what they could be.
    begin = {"Group": 2.0, "Simple": 1e-6, "Division": 2e-6, "Function": 5e-6}
    best = {name: value or begin.get(name, 1e-6) for name, value in numbers.items()}
    least, factor = error_of(rows, best, predict), 2.0
    while factor > 1.005:
        found = False
        for name in best:
            for tried in (best[name] * factor, best[name] / factor):
                error = error_of(rows, {**best, name: tried}, predict)
                if error < least * (1 - 1e-6):
                    best[name], least, found = tried, error, True
        factor = factor if found else math.sqrt(factor)
    return best


def print_table(rows: list[Measured], numbers: Numbers, predict: Callable) -> None:
    print(f"{'us':<36}{'alone':>10}{'predicted':>10}{'together':>10}{'predicted':>10}  saves")
    for row in rows:
        alone, together = predict(row.group, numbers)
        mark = " " if (alone > together) == (row.alone > row.together) else "!"
        times = f"{row.alone:>10.1f}{alone:>10.1f}{row.together:>10.1f}{together:>10.1f}"
        print(f"{row.group.title():<36}{times}  {row.alone / row.together:.2f}{mark}")


def docs_table(rows: list[Measured], numbers: Numbers, predict: Callable) -> None:
    print("| group | elements | alone, us | predicted | one pass, us | predicted |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        group = row.group
        if group.size.bit_length() - 1 not in (10, 14, 17, 20, 23):
            continue
        alone, together = predict(group, numbers)
        kept = ", several results" if group.several else ""
        operand = "" if group.operand == "whole" else f", {group.operand}"
        cells = [f"{time:.3g}" for time in (row.alone, alone, row.together, together)]
        exponent = group.size.bit_length() - 1
        print(
            f"| {group.count} {group.kind}{operand}{kept} | 2^{exponent} |", " | ".join(cells), "|"
        )


def print_verdict(rows: list[Measured], numbers: Numbers, predict: Callable) -> None:
    """Print how often the prediction chooses the slower way, and what that costs."""
    slower, lost, errors = 0, [], []
    for row in rows:
        alone, together = predict(row.group, numbers)
        errors += [abs(math.log(alone / row.alone)), abs(math.log(together / row.together))]
        chosen, other = row.alone, row.together
        if alone > together:
            chosen, other = other, chosen
        slower += chosen > other * NEAR
        lost.append(chosen / min(chosen, other))
    print(
        f"of {len(rows)} groups {slower} run the way that is slower by more than "
        f"{NEAR - 1:.0%}; the largest loss {max(lost):.2f}, the mean {statistics.mean(lost):.3f}; "
        f"predicted times differ by a factor of {math.exp(statistics.median(errors)):.2f} (median)"
    )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--limit", type=float, default=1e6, help="seconds")
    parser.add_argument("--quick", action="store_true", help="some small groups")
    parser.add_argument("--out", type=Path, metavar="JSON", help="keep the measurements")
    parser.add_argument("--kept", type=Path, metavar="JSON", help="take these, and measure nothing")
    parser.add_argument("--docs", action="store_true", help="print the table of the documentation")
    return parser.parse_args()


def measure_all(options: argparse.Namespace) -> list[Measured]:
    os.environ["GPUARRAY_NUM_THREADS"] = "1"  # is read when the package starts
    end = time.monotonic() + options.limit
    meter, rows = Meter(options.device), []
    chosen = groups(kind_of(options.device))
    if options.quick:
        meter.least, chosen = 0, [group for group in chosen if group.size <= 1 << 10]
    for group in chosen:
        if time.monotonic() > end:
            print(f"stopped after {options.limit:g} s: {len(rows)} of {len(chosen)} groups")
            break
        rows.append(meter.measure(group))
    return rows


def main() -> None:
    options = parsed()
    device = kind_of(options.device)
    if options.kept:
        kept = json.loads(options.kept.read_text())
        rows = [Measured(Group(**row.pop("group")), **row) for row in kept]
    else:
        rows = measure_all(options)
    if options.out:
        options.out.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    predict, numbers = PREDICT[device], built_numbers(device)
    (docs_table if options.docs else print_table)(rows, numbers, predict)
    print("by the numbers of tuning.hpp:")
    print_verdict(rows, numbers, predict)
    fitted = fit(rows, numbers, predict)
    print("by the fitted numbers:")
    print_verdict(rows, fitted, predict)
    for name, value in fitted.items():
        print(f"inline constexpr double {PREFIX[device]}{name} = {value:.3g};")


if __name__ == "__main__":
    sys.exit(main())
