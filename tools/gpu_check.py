# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Checks gpuarray on a machine with a GPU: tests, compute-sanitizer, benchmarks and the example.

Run it from a source checkout, with gpuarray installed or with --wheel. Logs go to --out; a short
summary is printed last. Exits with 1 if anything failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Tests in which streams or threads wait for each other fail or do not end below the sanitizer.
HELD_BACK = ["read_later", "readers_do_not_wait", "threads_and_streams", "test_threads"]
# -P keeps the checkout's gpuarray/ folder, which is not built, off the path.
PYTHON = [sys.executable, "-P"]
SOAK = ROOT / "tools" / "soak.py"
PYTEST = [*PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

MEMCHECK = [
    "test_binary_operators.py",
    "test_in_place_operators.py",
    "test_joining_and_selection.py",
    "test_layouts.py",
    "test_mixed_dtypes.py",
    *("test_windows.py", "test_window_memory.py", "test_reduced_windows.py"),
    "test_arg_reductions.py",
    "test_queued_transfers.py",
    "test_stream_order.py",
    "test_graphs.py",
    "test_events.py",
    "test_memory_kinds.py",
    "test_scans.py",
    *("test_fuse.py", "test_fuse_arguments.py", "test_fuse_calls.py", "test_fuse_methods.py"),
    "test_saved_functions.py",
    "test_transposed_operands.py",
    "test_kernels.py",
    "test_kernel_arguments.py",
    *("test_advanced_indexing.py", "test_masks.py", "test_index_errors.py", "test_scatter.py"),
    *("test_sorting.py", "test_searching.py", "test_unique.py", "test_histograms.py"),
    *("test_averages.py", "test_matmul.py"),
    *("test_bool_bytes.py", "test_masks_written_meanwhile.py", "test_ufunc_at.py"),
    *("test_swaps.py", "test_draws.py", "test_generators.py", "test_distributions.py"),
    *("test_permutations.py", "test_fft_calls.py", "test_fft_large.py"),
    *("test_small_factors.py", "test_small_layouts.py", "test_linalg_errors.py"),
    "test_linalg_functions.py",
]
RACECHECK = [
    "test_averages.py",
    "test_histograms.py",
    "test_masks.py",
    "test_scatter.py",
    "test_unique.py",
    "test_sorting.py",
    "test_reductions.py",
    "test_layouts.py",
    "test_matmul.py",
    "test_scans.py",
    "test_reduction_kernel.py",
    "test_transposed_operands.py",
    *("test_windows.py", "test_reduced_windows.py"),
    *("test_draws.py", "test_fft_calls.py", "test_small_factors.py", "test_linalg_functions.py"),
]


class Check:
    """Runs commands with their output in a log each, and collects the summary."""

    def __init__(self, options):
        self.options = options
        self.out = options.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.environment = {"GPUARRAY_REQUIRE_CUDA": "1"} | os.environ
        self.summary = []
        self.seconds = 0.0  # the duration of the last command
        self.ok = True

    def run(self, name, command, **environment):
        """Run a command and return its exit status.

        The output goes to <name>.log, and its end to the console if the command failed.
        """
        print(f"== {name}: {' '.join(map(str, command))}", flush=True)
        start = time.monotonic()
        log = self.out / f"{name}.log"
        with log.open("w") as output:
            status = subprocess.run(
                command,
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment | environment,
            ).returncode
        if status != 0:
            print("\n".join(log.read_text(errors="replace").splitlines()[-40:]))
        self.seconds = time.monotonic() - start
        return status

    def report(self, name, text, ok=True):
        self.ok &= ok
        self.summary.append(f"{'ok  ' if ok else 'FAIL'} {name}: {text}")

    def install(self, wheels):
        site = self.out / "site"
        install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--upgrade"]
        status = self.run("install", [*install, "--target", site, *wheels])
        self.report("install", ", ".join(wheel.name for wheel in wheels), status == 0)
        paths = [str(site), self.environment.get("PYTHONPATH", "")]
        self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))

    def config(self):
        program = "import gpuarray; gpuarray.show_config(); print(*gpuarray.devices())"
        status = self.run("config", [*PYTHON, "-c", program])
        print((self.out / "config.log").read_text())
        self.report("config", "see config.log", status == 0)

    def tests(self):
        junit = self.out / "tests.xml"
        status = self.run("tests", [*PYTEST, f"--junitxml={junit}", *self.options.pytest])
        self.report("tests", f"{self.counts(junit)} in {self.seconds:.0f} s", status == 0)

    def counts(self, junit):
        """Return how many tests of a JUnit file passed, failed and were skipped, and why."""
        if not junit.exists():
            return "did not run"
        cases = list(ElementTree.parse(junit).iter("testcase"))
        reasons = Counter(
            skip.get("message", "") for case in cases for skip in case.findall("skipped")
        )
        failed = sum(
            case.find("failure") is not None or case.find("error") is not None for case in cases
        )
        skipped = sum(reasons.values())
        text = f"{len(cases) - failed - skipped} passed, {failed} failed, {skipped} skipped"
        return "; ".join([text, *(f"{count} x {reason}" for reason, count in reasons.items())])

    def sanitize(self, tool, files, select):
        sanitizer = find_sanitizer()
        if sanitizer is None:
            self.report(tool, "compute-sanitizer was not found", ok=False)
            return
        found = {path.name: str(path) for path in (ROOT / "tests").rglob("test_*.py")}
        present = [found[file] for file in files]
        junit = self.out / f"{tool}.xml"
        # The host's part of a backtrace would keep Python's frames, and the arrays in them, alive.
        command = [sanitizer, "--tool", tool, "--show-backtrace", "device"]
        command += ["--error-exitcode", "99"]
        # The driver reports by an error that a kernel has no more parameters, which is no fault.
        command += ["--report-api-errors", "no"] if tool == "memcheck" else []
        command += PYTEST
        command += [f"--junitxml={junit}", "-k", select, *present]
        status = self.run(tool, command, GPUARRAY_TEST_EXAMPLES="5")
        found = re.findall(
            r"(?:ERROR|RACECHECK) SUMMARY: .*", (self.out / f"{tool}.log").read_text()
        )
        errors = found[-1] if found else "no summary"
        text = f"{errors}; {self.counts(junit)} in {self.seconds:.0f} s"
        self.report(tool, text, status == 0 and bool(found))

    def memcheck(self):
        self.sanitize("memcheck", MEMCHECK, self.options.select)

    def racecheck(self):
        self.sanitize("racecheck", RACECHECK, self.options.select)

    def leaks(self):
        """Check that no device memory is left when a process ends."""
        sanitizer = find_sanitizer()
        soak = [*PYTHON, SOAK, "--operations", "20000", "--seconds", "30"]
        command = [sanitizer, "--tool", "memcheck", "--leak-check", "full"]
        command += ["--show-backtrace", "no", "--error-exitcode", "99"]
        # cuBLAS keeps 64 MiB to the end, so products are computed by our kernels here.
        status = self.run("leaks", [*command, *soak], GPUARRAY_LIBCUBLAS="/nowhere")
        log = (self.out / "leaks.log").read_text()
        found = re.findall(r"(?:ERROR|LEAK) SUMMARY: .*", log)
        self.report("leaks", "; ".join(found) or "no summary", status == 0 and bool(found))

    def soak(self):
        status = self.run("soak", [*PYTHON, SOAK, "--seconds", self.options.seconds])
        self.report("soak", f"{self.seconds:.0f} s", status == 0)
        self.summary.append((self.out / "soak.log").read_text().rstrip())

    def benchmarks(self):
        out = self.out / "benchmarks"
        self.benchmark("import_time")
        self.benchmark("slow_headers")
        self.benchmark("exchange")
        for script in ("kernels", "compile_time", "linked_function", "fft", "random_numbers"):
            self.benchmark(script)
        for script in ("linalg", "small_matrices"):
            self.benchmark(script)
        if self.benchmark("run", "--out", out):
            self.summary[-1] = (out / "benchmarks.txt").read_text().rstrip()

    def benchmark(self, script, *arguments):
        """Run a script of benchmarks/, and put its output at the end of the summary."""
        # -P is left out: the script imports its neighbours, and benchmarks/ holds no gpuarray/.
        name = f"benchmark_{script}"
        command = [sys.executable, ROOT / "benchmarks" / f"{script}.py", *arguments]
        status = self.run(name, command)
        self.report(name, f"{self.seconds:.0f} s", status == 0)
        self.summary.append((self.out / f"{name}.log").read_text().rstrip())
        return status == 0

    def profile(self):
        self.benchmark("profile_kernels", "--out", self.out / "benchmarks")

    def example(self):
        picture = self.out / "hillshade.png"
        script = ROOT / "examples" / "hillshade.py"
        status = self.run("example", [*PYTHON, script, "-o", picture], GPUARRAY_DEVICE="cuda:0")
        self.report("example", f"{picture.name} in {self.seconds:.0f} s", status == 0)
        self.summary.append((self.out / "example.log").read_text().rstrip())


def find_sanitizer():
    folders = [os.environ.get(variable, "") for variable in ("CUDA_PATH", "CUDA_HOME")]
    places = ["compute-sanitizer", *(f"{folder}/bin/compute-sanitizer" for folder in folders)]
    places.append("/usr/local/cuda/bin/compute-sanitizer")
    return next(filter(None, map(shutil.which, places)), None)


STEPS = ["tests", "memcheck", "racecheck", "leaks", "soak", "benchmarks", "profile", "example"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "gpu_check")
    parser.add_argument("--wheel", type=Path, nargs="+", default=[], help="wheels to install first")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument(
        "--select",
        default=" and not ".join(["cuda", *HELD_BACK]),
        help="pytest -k of the sanitizer's tests",
    )
    parser.add_argument("--pytest", nargs="*", default=[], help="arguments of the test suite")
    parser.add_argument("--seconds", default="120", help="of the soak's parts")
    options = parser.parse_args()

    check = Check(options)
    if options.wheel:
        check.install([wheel.resolve() for wheel in options.wheel])
    check.config()
    for step in options.steps:
        getattr(check, step)()
    print("\n==== summary", *check.summary, sep="\n")
    sys.exit(0 if check.ok else 1)


if __name__ == "__main__":
    main()
