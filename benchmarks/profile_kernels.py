# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures by Nsight Compute (ncu) the memory bandwidth that the main kernels reach.

Each operation runs in a process of its own. Where ncu is absent or may not read the counters, the
table has only the bytes that the operation must move over the time by the clock.
"""

import argparse
import csv
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from libraries import LIBRARIES
from report import number
from rows import ROWS
from worker import FULL, Operands, loop, time_device

NAMES = ["A + B", "A2 + row", "A2 + col", "A2.T + B2", "A[::2] + B[::2]", "exp(A)"]
NAMES += ["A.sum()", "A2.sum(axis=0)", "A2.sum(axis=1)", "A.argmax()", "float32 -> float64"]
PROFILED = {row.name: row for row in ROWS if row.name in NAMES}

TIME, READ, WRITTEN = "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"
PEAK = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
METRICS = [TIME, READ, WRITTEN, PEAK]


def one_call(name: str, size: int) -> None:
    """Make one call between the marks that start and stop profiling, for ncu to see."""
    library = LIBRARIES["gpuarray"][0]("cuda:0")
    run = loop(PROFILED[name].expression, Operands(library, size))
    driver = ctypes.CDLL(os.environ.get("GPUARRAY_LIBCUDA") or "libcuda.so.1")
    library.synchronize(run(3))
    driver.cuProfilerStart()
    library.synchronize(run(1))
    driver.cuProfilerStop()


def clock_milliseconds(size: int) -> dict[str, float]:
    library = LIBRARIES["gpuarray"][0]("cuda:0")
    operands = Operands(library, size)
    times = {}
    for name, row in PROFILED.items():
        run = loop(row.expression, operands)
        library.synchronize(run(3))
        times[name] = time_device(run, library, FULL)["median"]
    return times


def find_ncu() -> str | None:
    places = ["ncu", "/usr/local/cuda/bin/ncu", *map(str, Path("/opt/nvidia").glob("**/ncu"))]
    return next(filter(None, map(shutil.which, places)), None)


def profile(ncu: str, name: str, size: int) -> list[dict[str, str]] | str:
    """Return each kernel of the operation with its metrics, or the reason why there are none."""
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base"]
    command += ["--clock-control", "none"]
    command += [
        "--profile-from-start",
        "off",
        "--metrics",
        ",".join(METRICS),
        sys.executable,
        __file__,
    ]
    command += ["--one-call", name, "--size", str(size)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if "ERR_NVGPUCTRPERM" in done.stdout + done.stderr:
        return "this user may not read the GPU's performance counters"
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if done.returncode != 0 or start is None:
        return "\n".join([*lines, done.stderr])[-500:].strip()
    # The line after the heading holds the units.
    return list(csv.DictReader([lines[start], *lines[start + 2 :]]))


def metric(kernel: dict[str, str], name: str) -> float:
    return float(kernel[name].replace(",", ""))


def of_kernels(kernels: list[dict[str, str]]) -> dict:
    """Return the sums and means of one operation over all of its kernels."""
    nanoseconds = sum(metric(kernel, TIME) for kernel in kernels)
    nbytes = sum(metric(kernel, READ) + metric(kernel, WRITTEN) for kernel in kernels)
    peak = sum(metric(kernel, PEAK) * metric(kernel, TIME) for kernel in kernels) / nanoseconds
    names = [re.sub(r"\(.*", "", kernel["Kernel Name"]) for kernel in kernels]
    return {
        "kernels": names,
        "ms": nanoseconds / 1e6,
        "bytes": nbytes,
        "GB/s": nbytes / nanoseconds,
        "% of peak": peak,
    }


def table(results: dict[str, dict], size: int) -> str:
    heads = ["clock ms", "needed GB/s", "ncu ms", "moved GB", "DRAM GB/s", "% of peak"]
    lines = ["".ljust(22) + "".join(head.rjust(13) for head in heads) + "  kernels"]
    for name, found in results.items():
        needed = PROFILED[name].moved * size / found["clock ms"] / 1e6
        cells = [found["clock ms"], needed, found.get("ms"), found.get("bytes", 0) / 1e9 or None]
        cells += [found.get("GB/s"), found.get("% of peak")]
        line = name.ljust(22) + "".join(number(value).rjust(13) for value in cells)
        lines.append(f"{line}  {', '.join(found.get('kernels', []))}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for profile_kernels.json")
    parser.add_argument("--size", type=int, default=1 << 28, help="elements, a power of 4")
    parser.add_argument("--one-call", choices=PROFILED, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_call:
        one_call(options.one_call, options.size)
        return
    times = clock_milliseconds(options.size)
    results: dict[str, dict] = {name: {"clock ms": time} for name, time in times.items()}
    ncu = find_ncu()
    absent = "" if ncu else "ncu was not found"
    for name in results:
        if absent:
            break
        kernels = profile(ncu, name, options.size)
        if isinstance(kernels, str):
            absent = f"{name}: {kernels}"
        else:
            results[name] |= of_kernels(kernels)
    if absent:
        print(f"no counters: {absent}")
    print(table(results, options.size))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        record = {"size": options.size, "absent": absent, "results": results}
        (options.out / "profile_kernels.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
