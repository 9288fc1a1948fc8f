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
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cost_groups import OPERANDS, Group, groups

TUNING = Path(__file__).resolve().parents[1] / "src/backend/tuning.hpp"
BLOCK = 1024  # elements, src/backend/host/steps.cpp
LEAST_BATCH = {"cpu": 0.0008, "cuda": 0.002}  # seconds
ROUNDS = 7
DOCS_SIZES = [10, 14, 17, 20, 23]  # exponents of 2
NEAR = 1.03  # ways whose times differ less are as fast

# The numbers of tuning.hpp that the measured groups determine.
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


def doubt_of(device: str) -> float:
    """Return which part of the time alone one pass has to save to be chosen."""
    found = re.search(rf"\b{PREFIX[device]}Doubt = ([^;]+);", TUNING.read_text())
    return float(found[1]) if found else 0.0


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

    def times(self, predict: Callable, numbers: Numbers) -> tuple[float, ...]:
        """Return its times and the predicted ones."""
        return self.alone, self.together, *predict(self.group, numbers)


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
            # The group has to run now: nothing computes results that are gone.
            if self.device == "cpu":
                kept[0].synchronize()
            else:
                _ = kept[0].ptr
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
    """Print microseconds alone and in one pass, and in brackets the predicted ones."""
    print("| group |", " | ".join(f"2^{k}" for k in DOCS_SIZES), "|")
    print("|", " | ".join(["---"] * (1 + len(DOCS_SIZES))), "|")
    cells: dict[str, dict[int, str]] = {}
    for row in rows:
        group, exponent = row.group, row.group.size.bit_length() - 1
        if group.count not in (2, 4, 12) or exponent not in DOCS_SIZES:
            continue
        title = f"{group.count} {group.kind}" + ", several results" * group.several
        title += "" if group.operand == "whole" else f", {group.operand}"
        times = [
            f"{time:.3g}" if time < 1000 else f"{time:.0f}" for time in row.times(predict, numbers)
        ]
        cells.setdefault(title, {})[exponent] = "{} {} ({} {})".format(*times)
    for title, found in cells.items():
        if len(found) == len(DOCS_SIZES):
            print("|", " | ".join([title, *(found[k] for k in DOCS_SIZES)]), "|")


def print_verdict(
    rows: list[Measured], numbers: Numbers, predict: Callable, doubt: float = 0
) -> None:
    """Print how often the prediction chooses the slower way, and what that costs."""
    slower = wrong = 0
    lost, errors = [], []
    for row in rows:
        alone, together = predict(row.group, numbers)
        errors += [abs(math.log(alone / row.alone)), abs(math.log(together / row.together))]
        chosen, other = row.alone, row.together
        waits = alone * (1 - doubt) > together
        if waits:
            chosen, other = other, chosen
        slower += chosen > other * NEAR
        wrong += waits and chosen > other * NEAR
        lost.append(chosen / min(chosen, other))
    print(
        f"of {len(rows)} groups {slower} run the way that is slower by more than "
        f"{NEAR - 1:.0%}, {wrong} of them in one pass; "
        f"the largest loss {max(lost):.2f}, the mean {statistics.mean(lost):.3f}; "
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
    print_verdict(rows, numbers, predict, doubt_of(device))
    fitted = fit(rows, numbers, predict)
    print("by the fitted numbers:")
    print_verdict(rows, fitted, predict, doubt_of(device))
    for name, value in fitted.items():
        print(f"inline constexpr double {PREFIX[device]}{name} = {value:.3g};")


if __name__ == "__main__":
    sys.exit(main())
