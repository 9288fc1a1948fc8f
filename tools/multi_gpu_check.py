# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Checks gpuarray on a machine with several GPUs: collectives, clusters of Dask, and faults.

gpuarray is installed, with dask, dask-cuda, distributed-ucxx, nccl4py and zarr as far as they are
to be tested. Each step is a process with a time limit, and its output a log in --out; a short
summary is printed last. Exits with 1 if anything failed. --device cpu tries the clusters only.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# -P keeps the checkout's gpuarray/ folder, which is not built, off the path.
PYTHON = [sys.executable, "-P"]
PYTEST = [*PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs"]
PROGRAMS = ROOT / "tools" / "multi_gpu_programs.py"
FAULTS = ("killed", "lost", "memory", "full_disk", "scheduler")
STEPS = ["collectives", "tests", "programs", *FAULTS, "dask_tests"]


class Check:
    """Runs steps with their output in a log each, and collects the summary."""

    def __init__(self, options):
        self.options = options
        self.out = options.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        # Multicast can put the GPUs of a shared host out of service.
        self.environment.setdefault("NCCL_NVLS_ENABLE", "0")
        if options.device == "cpu":
            self.environment["GPUARRAY_DEVICE"] = "cpu"
        else:
            self.environment["GPUARRAY_REQUIRE_CUDA"] = "1"
        self.summary = []
        self.ok = True
        self.end = time.monotonic() + options.limit

    def run(self, name, command, seconds, **environment):
        """Run a command for at most so many seconds, and report its last line."""
        left = self.end - time.monotonic()
        if left < 5:
            self.report(name, "skipped: the time was over", ok=False)
            return
        print(f"== {name}: {' '.join(map(str, command))}", flush=True)
        start = time.monotonic()
        path = self.out / f"{name}.log"
        with path.open("w") as log:
            status = ended(command, log, min(seconds, left), self.environment | environment)
        lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
        if status != 0:
            print("\n".join(lines[-25:]), flush=True)
        said = [line for line in lines if line.startswith(("ok ", "skipped", "recovered"))]
        last = (said if said and status == 0 else lines or ["no output"])[-1].strip("= ")
        self.report(
            name, f"{last} ({time.monotonic() - start:.0f} s, status {status})", status == 0
        )

    def report(self, name, text, ok=True):
        self.ok &= ok
        self.summary.append(f"{'ok  ' if ok else 'FAIL'} {name}: {text}")

    def collectives(self):
        self.run("collectives", [*PYTEST, ROOT / "tests" / "collectives"], 240)

    def tests(self):
        self.run("tests", [*PYTEST, ROOT / "tests" / "scale"], 240)

    def scenario(self, name, protocol, seconds):
        options = self.options
        command = [*PYTHON, PROGRAMS, name, "--protocol", protocol, "--device", options.device]
        command += ["--workers", str(options.workers), "--side", str(options.side)]
        self.run(f"{name}-{protocol}", command, seconds)

    def programs(self):
        for protocol in self.options.protocol:
            self.scenario("programs", protocol, 120)

    def faults(self, name):
        for protocol in self.options.protocol if name in ("killed", "lost") else ["tcp"]:
            self.scenario(name, protocol, 100)

    def dask_tests(self):
        """Run dask's tests for CuPy, where a path says how; no operation may leave the device."""
        if self.options.dask_tests:
            command = [*PYTEST, "-p", "no:randomly", *self.options.dask_tests]
            self.run("dask_tests", command, 240, GPUARRAY_TRANSFER_GUARD="disallow")


def ended(command, log, seconds, environment):
    """Return the status of a command, -9 where it and all its processes had to be killed."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        log.write(f"\nkilled after {seconds:.0f} s\n")
        return -9
    finally:
        # Workers of a step that failed would keep the devices.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "multi_gpu_check")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument("--workers", type=int, default=2, help="one for each GPU")
    parser.add_argument("--protocol", nargs="+", default=["tcp", "ucx"])
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--side", type=int, default=2000, help="of the programs' arrays")
    parser.add_argument("--limit", type=float, default=540, help="seconds of all steps")
    parser.add_argument("--dask-tests", nargs="+", default=[], help="pytest's arguments for them")
    options = parser.parse_args()
    check = Check(options)
    for step in options.steps:
        check.faults(step) if step in FAULTS else getattr(check, step)()
    print("\n==== summary", *check.summary, sep="\n", flush=True)
    sys.exit(0 if check.ok else 1)


if __name__ == "__main__":
    main()
