# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures what fusion does to whole programs: "auto", the default, beside "off".

    python benchmarks/fusion.py [--device cuda:0] [--limit SECONDS] [--part 1/4] [PROGRAM]...
    python benchmarks/fusion.py --beside cupy --beside jax [PROGRAM]...
    python benchmarks/fusion.py --quick

For the programs of science.py, learning.py, newest.py and programs.py at three sizes: the first
call, calls 2 to 8, and a call of the steady state, which begins when no kernel was compiled for a
second; on the cpu device with NumPy beside. A process measures --group programs in one mode, with a
kernel cache of its own; the two modes take turns. Results are kept alive. With --cores one the cpu
device and NumPy have one thread, and the time of other processes is left out. --beside measures
other libraries in the same run, and prints the milliseconds of all, with the host's and the
device's part of a steady call; JAX runs a program as one function of jax.jit, which not all can be.

Prints the medians of the rounds with "off", and "auto" over "off". A ratio above the bound has a
"!" if all of at least three rounds are above it, else a "?", and its program is measured in more
rounds. Fails where a program fails, or where the modes give other bits. --quick calls each program
some times on small arrays of the cpu device, for these failures alone.
"""

import argparse
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from libraries import LIBRARIES
from newest import PROGRAMS

SETTLE = 1.0  # seconds
DRAWN = (1 << 20) - 1  # elements; odd, so that rows of large arrays differ
LEAST_BATCH = 0.0002  # seconds, unless it has 32 calls
BOUND, NUMPY_BOUND = 1.03, 1.05
CERTAIN = 3  # rounds
SIZES = {"2^10": 1 << 10, "2^16": 1 << 16, "full": 1 << 62}
LARGEST = {"cpu": 1 << 21}  # elements; of other devices the program's own
PHASES = ["first", "2-8", "steady"]
TITLES = [*PHASES, "NumPy"]
OTHERS = ["cupy", "jax", "numpy"]
# The device waits while the host queues calls, so that events between them tell its own time.
MOST_WAIT = 0.2  # seconds


def inputs(name: str, elements: int) -> list[np.ndarray]:
    program = PROGRAMS[name]
    rng = np.random.default_rng(2026)
    arrays = []
    for shape in program.shapes(min(elements, program.full)):
        # Large arrays repeat their elements, which are drawn in a second otherwise.
        drawn = rng.random(min(math.prod(shape), DRAWN), "float32")
        drawn = np.round(drawn) if program.dtype == "uint8" else drawn + np.float32(0.5)
        arrays.append(np.resize(drawn.astype(program.dtype), shape))
    return arrays


def parts_of(result: Any) -> tuple:
    return result if isinstance(result, tuple) else (result,)


def on_host(result: Any) -> list[np.ndarray]:
    parts = parts_of(result)
    return [np.asarray(part.get() if hasattr(part, "get") else part) for part in parts]


def digest(result: Any) -> str:
    return hashlib.sha256(b"".join(part.tobytes() for part in on_host(result))).hexdigest()


def total(result: Any) -> float:
    return sum(float(np.abs(part.astype("float64")).sum()) for part in on_host(result))


class Calls:
    """Measures calls of one program, in seconds. Keeps the results of a measurement until its
    end, where it waits for the device."""

    def __init__(self, library: Any, name: str, elements: int, clock: Callable[[], float]):
        self.library, self.clock = library, clock
        self.function = partial(PROGRAMS[name].function, library.xp)
        if hasattr(library, "jax"):
            self.function = library.fuse(self.function)
        self.arrays = [library.up(host) for host in inputs(name, elements)]
        library.synchronize(self.arrays[0])

    def queue(self, calls: int) -> tuple[float, list[Any]]:
        """Call the program without a wait, and return the host's time of a call."""
        start = self.clock()
        results = [self.function(*self.arrays) for _ in range(calls)]
        return (self.clock() - start) / calls, results

    def measure(self, calls: int) -> tuple[float, list[Any]]:
        start = self.clock()
        _, results = self.queue(calls)
        self.library.synchronize(results[-1])
        return (self.clock() - start) / calls, results

    def device_time(self, calls: int, host: float) -> float:
        """Return the device's time of a call of gpuarray, gaps included if a call waits."""
        gpuarray = self.library.xp
        begin, end = gpuarray.Event(timing=True), gpuarray.Event(timing=True)
        gpuarray.current_stream().launch_host_func(time.sleep, min(2 * host * calls, MOST_WAIT))
        begin.record()
        _, results = self.queue(calls)
        end.record()
        self.library.synchronize(results[-1])
        return begin.elapsed_time(end) / 1e3 / calls


def first_calls(calls: Calls) -> dict[str, Any]:
    """Measure calls 1 to 8, each with a wait."""
    spent, results = zip(*(calls.measure(1) for _ in range(8)), strict=True)
    found = {"first": spent[0], "2-8": statistics.mean(spent[1:])}
    if sum(part.nbytes for part in parts_of(results[0][0])) > 1 << 26:
        return found
    return found | {
        "digests": sorted({digest(result) for (result,) in results}),
        "total": total(results[0][0]),
    }


def steady_call(calls: Calls, options: argparse.Namespace) -> dict[str, float]:
    batch = 1
    while calls.measure(batch)[0] * batch < LEAST_BATCH and batch < 32:
        batch *= 2
    spent: list[float] = []
    end = time.monotonic() + options.seconds
    while len(spent) < 3 or time.monotonic() < end:
        spent.append(calls.measure(batch)[0])
    found = {"steady": statistics.median(spent)}
    if options.times:
        found["host"] = statistics.median(calls.queue(batch)[0] for _ in range(3))
        calls.library.synchronize(calls.arrays[0])
        if options.mode in ("off", "auto") and options.device != "cpu":
            found["device"] = statistics.median(
                calls.device_time(batch, found["host"]) for _ in range(3)
            )
    return found


def settle(library: Any, seconds: float) -> None:
    """Wait until no kernel was compiled for so long."""
    count, since = library.kernels(), time.monotonic()
    while time.monotonic() < since + seconds:
        time.sleep(seconds / 20)
        if library.kernels() != count:
            count, since = library.kernels(), time.monotonic()


def work(options: argparse.Namespace) -> None:
    """Measure the programs in this process, and print lines of JSON for each."""
    is_other = options.mode in OTHERS
    library = LIBRARIES[options.mode if is_other else "gpuarray"][0](options.device)
    if not is_other:
        library.xp.fusion(options.mode)
    library.synchronize(library.up(np.ones(1)))
    clock = time.process_time if options.cores == "one" else time.perf_counter
    calls: dict[str, Calls] = {}

    def tell(name: str, measure: Callable[[], dict]) -> None:
        try:
            found = measure()
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:200]}
            calls.pop(name, None)
        print(json.dumps([name, found]), flush=True)
        library.free()

    for name in options.programs:
        calls[name] = Calls(library, name, options.elements, clock)
        tell(name, partial(first_calls, calls[name]))
    if options.mode == "auto" and options.device != "cpu":
        settle(library, options.settle)
    for name in [*calls]:
        tell(name, partial(steady_call, calls[name], options))


def run_worker(options: argparse.Namespace, mode: str, size: str, names: list[str]) -> dict:
    elements = min(SIZES[size], LARGEST.get(options.device, 1 << 62))
    command = [sys.executable, __file__, "--worker", mode, "--elements", str(elements)]
    command += ["--device", options.device, "--seconds", str(options.seconds)]
    command += ["--settle", str(options.settle), "--cores", options.cores]
    command += [*(["--times"] if options.beside else []), *names]
    variables = dict(os.environ)
    if options.cores == "one":
        threads = ["GPUARRAY", "OPENBLAS", "OMP", "MKL"]
        variables |= {f"{library}_NUM_THREADS": "1" for library in threads}
    with tempfile.TemporaryDirectory() as cache:
        variables["GPUARRAY_CACHE_DIR"] = cache
        try:
            ran = subprocess.run(
                command,
                env=variables,
                stdout=subprocess.PIPE,
                timeout=max(1, options.end - time.monotonic()),
            )
            lines = ran.stdout
        except subprocess.TimeoutExpired as expired:
            lines = expired.stdout or b""
    found: dict[str, dict] = {}
    for line in lines.decode().rpartition("\n")[0].splitlines():
        name, measured = json.loads(line)
        found.setdefault(name, {}).update(measured)
    return found


class Table:
    """The measurements of each program and size, by mode and round."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], dict[str, list[dict]]] = {}

    def add(self, mode: str, size: str, found: dict) -> None:
        for name, measured in found.items():
            self.rows.setdefault((name, size), {}).setdefault(mode, []).append(measured)

    def errors(self) -> dict[tuple[str, str], str]:
        """Return what failed or differed, by program and size."""
        told = {}
        for (name, size), modes in self.rows.items():
            runs = [run for measured in modes.values() for run in measured]
            ours = [run for mode in modes if mode not in OTHERS for run in modes[mode]]
            failed = [run["error"] for run in ours if "error" in run]
            bits = {digest for run in ours for digest in run.get("digests", [])}
            totals = [run["total"] for run in runs if "total" in run]
            if failed:
                told[name, size] = failed[0]
            elif PROGRAMS[name].exact and len(bits) > 1:
                told[name, size] = "auto and off differ in their bits"
            elif totals and not np.allclose(totals, totals[0], rtol=0.01):
                told[name, size] = f"the sums of its results differ: {sorted(totals)}"
        return told

    def spent(self, key: tuple[str, str], mode: str, phase: str) -> list[float]:
        return [run[phase] for run in self.rows[key].get(mode, []) if phase in run]

    def ratios(self, key: tuple[str, str]) -> dict[str, tuple[float, str]]:
        """Return "auto" over "off" for each phase, and over NumPy in the steady state, with marks
        of those above the bound."""
        found = {}
        for title, other, phase in [(p, "off", p) for p in PHASES] + [("NumPy", "numpy", "steady")]:
            auto, beside = self.spent(key, "auto", phase), self.spent(key, other, phase)
            if auto and beside:
                bound = (NUMPY_BOUND if other == "numpy" else BOUND) * statistics.median(beside)
                certain = len(auto) >= CERTAIN and min(auto) > bound
                mark = "!" if certain else "?" if statistics.median(auto) > bound else " "
                found[title] = statistics.median(auto) / statistics.median(beside), mark
        return found

    def above(self) -> list[tuple[str, str]]:
        return [key for key in self.rows if any(m != " " for _, m in self.ratios(key).values())]

    def line(self, key: tuple[str, str]) -> str:
        text, ratios = f"{key[0]:<20}{key[1]:>6}", self.ratios(key)
        for phase in PHASES:
            off = self.spent(key, "off", phase)
            text += f"{statistics.median(off) * 1e3:>11.3f}" if off else f"{'-':>11}"
        for title in TITLES:
            ratio, mark = ratios.get(title, (math.nan, " "))
            text += f"{ratio:>9.2f}{mark}" if title in ratios else f"{'-':>9} "
        return text + self.errors().get(key, "")


def rounds(options: argparse.Namespace, table: Table) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the number of a round, a size and programs: all, then those above the bound."""
    for k in range(options.rounds):
        for size in options.sizes:
            for at in range(0, len(options.programs), options.group):
                yield k, size, options.programs[at : at + options.group]
    for k in range(options.rounds, options.rounds + options.again):
        for name, size in table.above():
            yield k, size, [name]


def measure_all(options: argparse.Namespace) -> Table:
    table = Table()
    modes = ["off", "auto"]
    for k, size, names in rounds(options, table):
        if time.monotonic() > options.end:
            print(f"stopped after {options.limit:g} s, in round {k + 1}")
            break
        for mode in modes + (options.beside if k < options.rounds else []):
            ran = "off" if mode == "auto" and options.control else mode
            table.add(mode, size, run_worker(options, ran, size, names))
        modes.reverse()
    return table


def report(table: Table) -> None:
    heads = "".join(f"{f'off {phase}':>11}" for phase in PHASES)
    print(f"{'ms; auto/off, auto/NumPy':<26}{heads}" + "".join(f"{title:>9} " for title in TITLES))
    for key in table.rows:
        print(table.line(key))
    for title in TITLES:
        found = [table.ratios(key)[title] for key in table.rows if title in table.ratios(key)]
        if found:
            marks = [mark for _, mark in found]
            print(
                f"{title}: of {len(found)} {marks.count('!')} above the bound, {marks.count('?')} "
                f"not certain; the largest {max(found)[0]:.2f}"
            )


def report_beside(table: Table, others: list[str]) -> None:
    """Print the milliseconds of all libraries: the first call, calls 2 to 8, a steady one, and the
    host's and the device's part of that."""
    phases = [*PHASES, "host", "device"]
    for key, modes in table.rows.items():
        print(*key)
        for mode in ["off", "auto", *others]:
            spent = [table.spent(key, mode, phase) for phase in phases]
            cells = [f"{statistics.median(s) * 1e3:>11.3f}" if s else f"{'-':>11}" for s in spent]
            errors = {run["error"] for run in modes.get(mode, []) if "error" in run}
            print(f"  {mode:<6}" + "".join(cells), *sorted(errors)[:1])


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--quick", action="store_true", help="small arrays on the cpu device")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=[*SIZES])
    parser.add_argument("--cores", choices=["one", "all"], default="all", help="of the cpu device")
    parser.add_argument("--limit", type=float, default=1e6, help="seconds, of all")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every Nth program, from K on")
    parser.add_argument("--control", action="store_true", help='"off" beside "off", for the noise')
    parser.add_argument("--group", type=int, default=1, help="programs that a process measures")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--again", type=int, default=3, help="more rounds of what is above")
    parser.add_argument("--seconds", type=float, default=0.1, help="of the steady state")
    parser.add_argument("--settle", type=float, default=SETTLE, help=argparse.SUPPRESS)
    parser.add_argument("--beside", action="append", choices=OTHERS, default=[])
    parser.add_argument("--times", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, metavar="JSON", help="keep the measurements")
    parser.add_argument("--worker", dest="mode", help=argparse.SUPPRESS)
    parser.add_argument("--elements", type=int, help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", help="by the begin of their names; all without")
    options = parser.parse_args()
    options.end = time.monotonic() + options.limit
    if options.mode:
        return options
    k, n = map(int, options.part.split("/"))
    chosen = [name for name in PROGRAMS if name.startswith(tuple(options.programs) or "")]
    options.programs = chosen[k - 1 :: n]
    if options.quick:
        options.device, options.sizes, options.rounds, options.again = "cpu", ["2^10"], 1, 0
        options.group, options.seconds, options.settle = len(PROGRAMS), 0, 0
    options.shows_all = bool(options.beside)
    if options.device == "cpu" and "numpy" not in options.beside:
        options.beside = [*options.beside, "numpy"]
    return options


def main() -> None:
    options = parsed()
    if options.mode:
        return work(options)
    table = measure_all(options)
    report(table)
    if options.shows_all:
        report_beside(table, options.beside)
    if options.out:
        kept = [[*key, modes] for key, modes in table.rows.items()]
        options.out.write_text(json.dumps(kept, indent=1) + "\n")
    if errors := table.errors():
        sys.exit("\n".join(f"{' '.join(key)}: {text}" for key, text in errors.items()))


if __name__ == "__main__":
    main()
