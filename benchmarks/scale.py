# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures programs of dask.array on 1, 2 and 4 GPUs, with gpuarray and with CuPy.

Each cluster is a process of its own, with one worker a GPU, and does all rows with all libraries;
the work grows with the number of workers. scale.json, scale.txt and scale.svg are written after
every cluster. --device cpu tries the rows, with --scale 1e-4, where there is no GPU.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import scale_report as report
from scale_rows import ALL_REDUCE, BARE, KINDS, NAMES, SPILL

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
GIB = 1 << 30
PACKAGES = ("gpuarray-cuda", "cupy-cuda13x", "numpy", "dask", "distributed", "dask-cuda")
PACKAGES += ("distributed-ucxx-cu13", "rmm-cu13", "nccl4py", "torch")


class Run:
    """Starts the processes one after the other, and keeps what they print."""

    def __init__(self, options):
        self.options = options
        self.start = time.monotonic()
        self.found = {
            "date": datetime.date.today().isoformat(),
            "card": card(options.device),
            "python": platform.python_version(),
            "versions": versions(),
            "workers": options.workers,
            "protocols": options.protocol,
            "libraries": options.library,
            "device": options.device,
            "scale": options.scale,
            "results": [],
            "failures": [],
        }

    def left(self):
        return self.options.limit - (time.monotonic() - self.start)

    def fail(self, what, text):
        print(f"# {what}: {text}", flush=True)
        self.found["failures"].append(f"{what}: {text}")

    def save(self):
        out = self.options.out
        (out / "scale.json").write_text(json.dumps(self.found, indent=1) + "\n")
        (out / "scale.txt").write_text(report.text(self.found))
        report.chart(self.found, out / "scale.svg")

    def follow(self, name, command, environment=None):
        """Run a process, keeping each line of JSON that it prints; end it when time is over."""
        log = self.options.out / f"{name}.log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | (environment or {}),
                start_new_session=True,
            )
            seconds = max(5, self.left())
            alarm = subprocess_alarm(process, seconds)
            for text in process.stdout:
                if text.startswith("{"):
                    self.keep(json.loads(text))
            status = process.wait()
            alarm.cancel()
        if status != 0:
            last = [text for text in log.read_text(errors="replace").splitlines() if text.strip()]
            self.fail(name, f"ended with {status}: {last[-1] if last else ''}")
        self.save()

    def keep(self, line):
        self.found["results"].append(line)
        print(f"{time.monotonic() - self.start:6.0f} s {report.progress(line)}", flush=True)

    def cluster(self, workers, protocol, rows, spill=0):
        name = f"cluster-{workers}-{protocol}" + ("-spill" if spill else "")
        rows = [row for row in rows if row in self.options.rows]
        if not rows:
            return
        if self.left() < 20:
            self.fail(name, f"skipped, no time is left: {' '.join(rows)}")
            return
        o = self.options
        command = [sys.executable, FOLDER / "scale_cluster.py", "--workers", workers]
        command += ["--protocol", protocol, "--libraries", *o.library, "--rows", *rows]
        command += ["--device", o.device, "--seconds", o.seconds, "--scale", o.scale]
        command += ["--scales", json.dumps(o.scales), "--limit", self.left() - 8]
        command += ["--spill", spill, "--longest", o.longest]
        command += ["--rmm-pool", o.rmm_pool] if o.rmm_pool else []
        with tempfile.TemporaryDirectory(dir=o.scratch) as folder:
            self.follow(name, [*map(str, command), "--folder", folder])

    def all_reduce(self, size):
        for kind in KINDS:
            if self.left() < 20:
                self.fail(f"{ALL_REDUCE}, {kind}", "skipped, no time is left")
                continue
            with tempfile.TemporaryDirectory() as folder:
                self.reduce_by(kind, size, Path(folder))
        self.save()

    def reduce_by(self, kind, size, folder):
        """Start a process for each rank; the first one's output holds the times."""
        nbytes = [str(max(8, int(GIB * self.options.scale) // 8 * 8)), "8"]
        processes = []
        for rank in range(size):
            command = [sys.executable, FOLDER / "scale_collectives.py", kind, "--rank", str(rank)]
            command += ["--size", str(size), "--folder", folder, "--nbytes", *nbytes]
            output = (self.options.out / f"all_reduce-{kind}-{rank}.log").open("w+")
            environment = os.environ | {"CUDA_VISIBLE_DEVICES": str(rank)}
            environment.setdefault("NCCL_NVLS_ENABLE", "0")
            options = {"stdout": output, "stderr": subprocess.STDOUT, "env": environment}
            processes.append((subprocess.Popen(command, **options), output))
        end = time.monotonic() + min(90, self.left())
        for process, _ in processes:
            try:
                process.wait(max(1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for rank, (process, output) in enumerate(processes):
            output.seek(0)
            lines = [line for line in output.read().splitlines() if line.strip()]
            output.close()
            for line in (json.loads(text) for text in lines if text.startswith("{")):
                runs = {"runs": [line["seconds"]], "work": line["nbytes"]}
                name = f"{ALL_REDUCE}, {'8 B' if line['nbytes'] == 8 else '1 GiB'}"
                self.keep(
                    {"row": name, "library": kind, "workers": size, "protocol": "nccl"} | runs
                )
            if process.returncode != 0:
                last = lines[-1] if lines else ""
                self.fail(f"{ALL_REDUCE}, {kind}, rank {rank}", f"{process.returncode}: {last}")

    def all(self):
        rows = [name for name in NAMES if name not in (SPILL, ALL_REDUCE, BARE)]
        first, *others = self.options.protocol
        most = max(self.options.workers)
        if 1 in self.options.workers:
            self.cluster(1, first, [*rows, BARE])
            for protocol in others:
                self.cluster(1, protocol, rows)
        # The target is that of the most workers over the fastest link, so that comes first.
        for workers in sorted({*self.options.workers} - {1}, reverse=True):
            for protocol in [*reversed(others), first]:
                self.cluster(workers, protocol, rows)
            if workers == most and ALL_REDUCE in self.options.rows and self.options.device != "cpu":
                self.all_reduce(most)
        self.cluster(
            1, first, [SPILL], spill=int(self.options.spill * GIB * min(1, self.options.scale))
        )


def subprocess_alarm(process, seconds):
    """Return a started timer that kills the process and all that it started."""

    def end():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    return timer


def card(device):
    if device == "cpu":
        return f"no GPU: {platform.machine()}, {os.cpu_count()} cores"
    if shutil.which("nvidia-smi") is None:
        return "GPUs; there is no nvidia-smi"
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    lines = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return f"{len(lines)} x {lines[0].replace(', ', ', driver ')}" if lines else "GPUs"


def versions():
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def scales(texts):
    """Return the fraction for all rows, and those of single ones, from "0.5" and "matmul=0.3"."""
    pairs = [text.partition("=") for text in texts]
    named = {name: float(value) for name, _, value in pairs if value}
    return next((float(name) for name, _, value in pairs if not value), 1.0), named


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "scale")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--protocol", nargs="+", default=["tcp", "ucx"])
    parser.add_argument("--library", nargs="+", default=["gpuarray", "cupy"])
    parser.add_argument("--rows", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--scale", nargs="+", default=["1"], metavar="F or ROW=F")
    parser.add_argument("--spill", type=float, default=6, help="GiB of device_memory_limit")
    parser.add_argument("--seconds", type=float, default=2.5, help="of timed runs, a row")
    parser.add_argument("--longest", type=float, default=40, help="seconds of a single run")
    parser.add_argument("--limit", type=float, default=540, help="seconds, after which rows go out")
    parser.add_argument("--rmm-pool", help="the size of RMM's pool, with ucx; 60GiB")
    parser.add_argument("--scratch", type=Path, help="the folder for workers' files")
    parser.add_argument("--again", type=Path, nargs="+", metavar="JSON", help="report these files")
    options = parser.parse_args()
    options.scale, options.scales = scales(options.scale)
    return options


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.again:
        found = report.joined([json.loads(path.read_text()) for path in options.again])
        (options.out / "scale.txt").write_text(report.text(found))
        (options.out / "scale.md").write_text(report.markdown(found))
        if not report.chart(found, options.out / "scale.svg"):
            print("no chart: matplotlib is not installed")
        print(report.text(found))
        return
    run = Run(options)
    try:
        run.all()
    finally:
        run.save()
    (options.out / "scale.md").write_text(report.markdown(run.found))
    print(report.text(run.found), flush=True)
    if any("error" in line for line in run.found["results"]) or run.found["failures"]:
        sys.exit("rows failed")


if __name__ == "__main__":
    main()
