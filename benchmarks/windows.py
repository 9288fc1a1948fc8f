# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tells of the programs of programs.py what waiting does to them, beside fusion off.

    python benchmarks/windows.py [--device cuda:0] [PROGRAM]...

For each: the part of its element-wise operations that wait in the steady state ("waits"), the
windows of a call, the most memory in use with fusion off and with it in MiB, each in a process of
its own, and how long a wait lasts after 20 ms of other work beyond that with fusion off ("left"),
which shows whether the device had to wait for the program.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

from programs import PROGRAMS

WARM = 8  # calls
BATCHES = 20
WORK = 0.02  # seconds


def measure(name: str, mode: str, device: str) -> None:
    import gpuarray

    program = PROGRAMS[name]
    arrays = [gpuarray.to_device(host, device=device) for host in program.hosts()]
    gpuarray.fusion(mode)

    def call(work: float) -> float:
        result = program.function(gpuarray, *arrays)
        time.sleep(work)
        start = time.perf_counter()
        gpuarray.synchronize(device)
        del result
        return time.perf_counter() - start

    for _ in range(WARM):
        call(0)
        gpuarray._core._finish_compilations()
    before = gpuarray.fusion_stats()
    left = statistics.median(call(WORK) for _ in range(BATCHES))
    after = gpuarray.fusion_stats()
    found = {
        "operations": (after.operations - before.operations) / BATCHES,
        "windows": (after.windows - before.windows) / BATCHES,
        "peak": gpuarray.memory_stats(device)["peak_bytes"] / 2**20,
        "left": left * 1e6,
    }
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--measure", nargs=2, metavar=("PROGRAM", "MODE"), help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", help="by the begin of their names; all without")
    options = parser.parse_args()
    if options.measure:
        return measure(*options.measure, options.device)
    print(f"{'program':<28}{'waits':>7}{'windows':>9}{'peak off':>10}{'peak':>8}{'left, us':>10}")
    for name in PROGRAMS:
        if not name.startswith(tuple(options.programs) or ""):
            continue
        found = {}
        for mode in ("off", "auto", "always"):
            command = [sys.executable, __file__, "--device", options.device]
            command += ["--measure", name, mode]
            ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found[mode] = json.loads(ran.stdout)
        off, auto, all_wait = found["off"], found["auto"], found["always"]
        waits = auto["operations"] / all_wait["operations"]
        print(
            f"{name:<28}{waits:>7.0%}{auto['windows']:>9.1f}{off['peak']:>10.0f}"
            f"{auto['peak']:>8.0f}{auto['left'] - off['left']:>10.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
