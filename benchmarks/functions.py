# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Compares every public function on large arrays with the time of the bytes it moves, and CuPy.

The rows are those of cpu_functions.py, one dtype each. The bytes are those of each operand, read
once, and of the results, written once; their time is that of a copy of as many. Prints a table
with the slowest first; a row above --limit times the bytes, and above CuPy, is behind.
"""

import argparse
import gc
import importlib.util
import json
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from cpu_functions import FUNCTIONS
from cpu_operands import SHAPES, SIZES, Operands
from cpu_rows import row

import gpuarray

LARGE = 1 << 26
SHAPES[LARGE] = ((8192, 8192), (256, 512, 512))
WARM_UP, REPEAT = 5, 9
LONGEST = 1.0  # seconds of a call that is timed once
# Their results are on the host, or their operands are.
ELSEWHERE = {"a.tobytes()", "np.add.at(c, j, 1.0)", "xp.apply_over_axes(xp.sum, T3, [0, 2])"}


def rows(patterns):
    """Return a row for each function that is timed on arrays of every size."""
    made = []
    for group, entries in FUNCTIONS.items():
        for code, dtypes, sizes in entries:
            if sizes != SIZES or code in ELSEWHERE:
                continue
            dtype = "float32" if "float32" in dtypes else dtypes[0]
            made.append(row(group, code, dtype))
    return [one for one in made if not patterns or any(p in one.name for p in patterns)]


def nbytes(value):
    if isinstance(value, tuple | list):
        return sum(map(nbytes, value))
    return getattr(value, "nbytes", 0)


class Side:
    """A library that computes rows, with its copy of the operands."""

    def __init__(self, library, synchronize):
        self.library = library
        self.synchronize = synchronize

    def seconds(self, code, operands):
        """Return the median seconds of a call, and the bytes of its result."""
        scope = {**operands, "xp": self.library, "np": np}
        try:
            program = compile(code, code, "eval")
        except SyntaxError:
            program = compile(code, code, "exec")
        first, moved = self.call(program, scope)
        if first > LONGEST:
            return self.call(program, scope)[0], moved
        for _ in range(WARM_UP):  # after which kernels are compiled
            self.call(program, scope)
        if self.library is gpuarray:
            gpuarray.fusion_stats()
        return statistics.median(self.call(program, scope)[0] for _ in range(REPEAT)), moved

    def call(self, program, scope):
        """Return the seconds of a call with a wait for its result, and the bytes of that."""
        self.synchronize()
        start = time.perf_counter()
        result = eval(program, scope)
        self.synchronize()
        return time.perf_counter() - start, nbytes(result)


def seconds_of_a_byte(ours, n):
    source = gpuarray.ones(n, "float32")
    operands = {"c": gpuarray.empty_like(source), "a": source}
    return ours.seconds("xp.copyto(c, a)", operands)[0] / (2 * source.nbytes)


def sides(device):
    """Return gpuarray's side, and that of CuPy or None."""
    ours = Side(gpuarray, gpuarray.synchronize)
    if device != "cuda" or importlib.util.find_spec("cupy") is None:
        return ours, None
    import cupy

    return ours, Side(cupy, cupy.cuda.Device().synchronize)


def measure(one, made, ours, peer, per_byte):
    """Return a result: seconds of both, and of the bytes; an error in place of what failed."""
    result = {"row": one.name, "group": one.group}
    pairs = {key: made(key, text) for key, text in one.operands.items()}
    read = sum(nbytes(host) for host, _ in pairs.values() if isinstance(host, np.ndarray))
    mine = {key: on_device for key, (_, on_device) in pairs.items()}
    try:
        result["ours"], written = ours.seconds(one.code, mine)
        result["bytes"] = (read + written) * per_byte
    except Exception as error:
        return {**result, "error": f"{type(error).__name__}: {error}"[:200]}
    if peer is None:
        return result
    theirs = {
        key: peer.library.asarray(value) if isinstance(value, gpuarray.GPUArray) else value
        for key, value in mine.items()
    }
    try:
        result["peer"], _ = peer.seconds(one.code, theirs)
    except Exception as error:
        result["peer error"] = f"{type(error).__name__}: {error}"[:200]
    peer.library.get_default_memory_pool().free_all_blocks()
    return result


def line(result):
    """Return a line of the table."""
    if "error" in result:
        return f"{result['row']:52} {result['error']}"
    ours, moved = result["ours"], max(result["bytes"], 1e-9)
    text = f"{result['row']:52} {ours * 1e3:9.3f} {moved * 1e3:9.3f} {ours / moved:8.2f}"
    if "peer" not in result:
        return text
    return f"{text} {result['peer'] * 1e3:9.3f} {ours / result['peer']:8.2f}"


def is_behind(result, limit):
    if "error" in result:
        return True
    return result["ours"] > limit * result["bytes"] and result["ours"] > result.get("peer", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--size", type=int, default=LARGE, choices=sorted(SHAPES))
    parser.add_argument("--limit", type=float, default=2.0)
    parser.add_argument("--seconds", type=float, default=600, help="rows after that are left out")
    parser.add_argument("--rows", nargs="*", help="parts of the names of rows")
    parser.add_argument("--out", type=Path, help="a file for the results as JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    gpuarray.set_default_device(options.device)
    ours, peer = sides(options.device)
    per_byte = seconds_of_a_byte(ours, options.size)
    made = Operands(options.size, gpuarray.to_device)
    end = time.monotonic() + options.seconds
    results = []
    for one in rows(options.rows):
        if time.monotonic() > end:
            break
        results.append(measure(one, made, ours, peer, per_byte))
        made.drop()
        gc.collect()
    results.sort(key=lambda r: -r["ours"] / max(r["bytes"], 1e-9) if "ours" in r else -1e9)
    print(f"{'row':52} {'ours, ms':>9} {'bytes, ms':>9} {'ratio':>8} {'CuPy, ms':>9} {'ratio':>8}")
    print(*map(line, results), sep="\n")
    behind = [result["row"] for result in results if is_behind(result, options.limit)]
    print(f"{len(results)} rows; behind: {len(behind)}: {'; '.join(behind)}")
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
