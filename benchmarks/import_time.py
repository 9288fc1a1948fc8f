# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures the time of `import gpuarray` beyond `import numpy`, in fresh processes in turn.

The shortest time of each counts, which other work of the machine disturbs least.
"""

import argparse
import subprocess
import sys

PROGRAM = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def seconds_to_import(module: str) -> float:
    command = [sys.executable, "-P", "-c", PROGRAM.format(module)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--limit", type=float, help="the most that it may add, in NumPy's time")
    options = parser.parse_args()
    times: dict[str, list[float]] = {"numpy": [], "gpuarray": []}
    for module in times:
        # The first import of each module warms the file cache and is not counted.
        seconds_to_import(module)
    for _ in range(options.repeat):
        for module, seconds in times.items():
            seconds.append(seconds_to_import(module))
    numpy, gpuarray = (min(times[module]) for module in times)
    print(f"import numpy    {numpy:.3f} s")
    print(f"import gpuarray {gpuarray:.3f} s, {gpuarray - numpy:+.3f} s beyond numpy")
    if options.limit is not None and gpuarray - numpy > options.limit * numpy:
        sys.exit(f"import gpuarray adds more than {options.limit} times the import of numpy")


if __name__ == "__main__":
    main()
