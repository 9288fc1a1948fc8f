# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures what edited kernels that begin with slow headers cost to compile, without a GPU.

For each kind of header, new processes in turn compile several sources with precompiled headers and
without, each with a cache folder of its own. The ratios are those of one run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

SOURCES = 4
ROUNDS = 3
HEADERS = {
    "cooperative groups": "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>",
    "CUB": "#include <cub/block/block_reduce.cuh>",
    "cuRAND": "#include <curand_kernel.h>",
    "cuda/std": "#include <cuda/std/complex>\n#include <cuda/std/array>",
    "no header": "",
}
PROGRAM = """
import json, sys, time
import gpuarray
headers, number = sys.argv[1], int(sys.argv[2])
gpuarray.Module  # its import is not counted
times = []
for k in range(number):
    source = headers + '\\nextern "C" __global__ void f(float* x) { x[0] *= %d; }\\n' % k
    begin = time.perf_counter()
    gpuarray.Module(source, arch=90)
    times.append(time.perf_counter() - begin)
print(json.dumps(times))
"""


def seconds(headers: str, number: int, **variables: str) -> list[float]:
    """Return the times of the compilations of one new process."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM, headers, str(number)],
            env={**os.environ, "GPUARRAY_CACHE_DIR": folder, **variables},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    times: list[float] = json.loads(done.stdout)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--limit", type=float, help="most seconds of a second compilation")
    options = parser.parse_args()
    columns = ("seconds", "without", "first", "second", "later", "second / without")
    print("{:<20}{:>9}{:>9}{:>9}{:>9}{:>18}".format(*columns))
    slowest = 0.0
    for name, headers in HEADERS.items():
        rounds = []
        for _ in range(options.rounds):
            # The first compilation of a process also loads the compiler.
            without = statistics.median(seconds(headers, 3, GPUARRAY_CACHE_BYTES="0")[1:])
            first, second, *later = seconds(headers, SOURCES)
            rounds.append((without, first, second, statistics.median(later), second / without))
        medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
        slowest = max(slowest, medians[2])
        print(f"{name:<20}" + "".join(f"{value:>9.3f}" for value in medians[:4]), end="")
        print(f"{medians[4]:>18.2f}")
    if options.limit is not None and slowest > options.limit:
        sys.exit(f"a second compilation takes more than {options.limit} s")


if __name__ == "__main__":
    main()
