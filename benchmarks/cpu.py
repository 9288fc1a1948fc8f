# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Compares the cpu device with NumPy, on one core and on all; run.py starts it without a GPU."""

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cpu_report
import instructions
from cpu_reasons import CHECKED, limit
from cpu_rows import ROWS, SIZES, chosen

WORKER = Path(__file__).resolve().with_name("cpu_worker.py")
ONE, ALL = "one core", "all cores"
# NumPy's own threads are those of its BLAS.
SETTINGS = {
    ONE: dict.fromkeys(
        ["GPUARRAY_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1"
    ),
    ALL: {},
}
QUICK_SIZES = SIZES[:2]
COUNTED = 100  # Rows beyond so many are judged by time alone.


def processor() -> str:
    """Return the name of the processor, or of its architecture where the system does not tell."""
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.machine()


def run_worker(cores: str, arguments: list[str]) -> dict[str, dict]:
    """Return what a worker measured: by row and size, the microseconds of gpuarray and NumPy."""
    command = [sys.executable, WORKER, *arguments]
    with tempfile.TemporaryFile("w+") as output:
        status = subprocess.run(command, stdout=output, env=os.environ | SETTINGS[cores])
        output.seek(0)
        lines = [json.loads(line) for line in output if line.startswith("{")]
    results: dict[str, dict] = {}
    for line in lines:
        results.setdefault(line["row"], {})[str(line["size"])] = line["result"]
    if status.returncode != 0:
        raise SystemExit(f"the measurement on {cores} ended with {status.returncode}")
    return results


def measure(options: argparse.Namespace) -> dict:
    import numpy

    import gpuarray

    sizes = options.sizes or (QUICK_SIZES if options.quick else SIZES)
    arguments = ["--sizes", *map(str, sizes), "--rows", *options.rows]
    if options.quick:
        arguments += ["--limit", str(CHECKED), "--retries", "5"]
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "gpuarray": gpuarray.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "sizes": [*sizes],
        "results": {
            cores: run_worker(cores, arguments)
            for cores in options.cores or ([ONE] if options.quick else [ONE, ALL])
        },
    }


def above(record: dict) -> dict[tuple[str, int], float]:
    """Return the ratios of the rows and sizes that take longer than the check allows."""
    found = {}
    for size in record["sizes"]:
        for name, by_cores in cpu_report.measured(record, size).items():
            if (ratio := cpu_report.worst(by_cores)) > limit(name, size, CHECKED):
                found[name, size] = ratio
    return found


def counted(size: int, names: list[str]) -> dict[str, float]:
    """Return gpuarray's instructions over NumPy's for calls on so many elements."""
    with tempfile.TemporaryDirectory() as folder:
        command = [WORKER, "--exact", "--rows", *names, "--sizes", str(size)]
        counts = instructions.callgrind(command, Path(folder), SETTINGS[ONE])
    return {name: counts[f"gpuarray {name}"] / counts[f"numpy {name}"] for name in names}


def check(record: dict) -> list[str]:
    """Return lines that tell which rows are slower than the check allows.

    A row is too slow if both its time and its instructions say so, since the time depends on the
    machine and its other work.
    """
    slow = above(record)
    by_instructions = {}
    if slow and len(slow) <= COUNTED and shutil.which("valgrind"):
        for size in record["sizes"]:
            if names := [name for name, of_size in slow if of_size == size]:
                found = counted(size, names)
                by_instructions |= {(name, size): found[name] for name in names}
    lines = []
    for (name, size), ratio in slow.items():
        bound = limit(name, size, CHECKED)
        line = f"{name}, {size:,} elements: {ratio:.2f} x NumPy's time"
        if (name, size) in by_instructions:
            line += f", {by_instructions[name, size]:.2f} x its instructions"
            if by_instructions[name, size] <= bound:
                print(f"{line}, which is allowed")
                continue
        lines.append(f"{line}; at most {bound:g} is allowed")
    return lines


def main(options: argparse.Namespace) -> None:
    if options.rows and not any(chosen(row, options.rows) for row in ROWS):
        raise SystemExit(f"no row has a name like {options.rows}")
    record = measure(options)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "cpu.json").write_text(cpu_report.dump(record))
    (options.out / "cpu.txt").write_text(cpu_report.text(record))
    if not cpu_report.chart(record, options.out / "benchmarks-cpu.svg"):
        print("no chart: matplotlib is not installed")
    print(cpu_report.text(record, worst_rows=None if options.rows else 40))
    failed = cpu_report.errors(record)
    if failed:
        raise SystemExit("rows failed:\n" + "\n".join(failed))
    if options.quick and (slow := check(record)):
        raise SystemExit("slower than the check allows:\n" + "\n".join(slow))
