# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures the time of `import gpuarray` beyond `import numpy`, in fresh processes in turn.

Their ratio is that of the median pair, because the machine's own speed changes between the pairs.
"""

import argparse
import statistics
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
    for module in ("numpy", "gpuarray"):
        # The first import of each module warms the file cache and is not counted.
        seconds_to_import(module)
    pairs = [
        (seconds_to_import("numpy"), seconds_to_import("gpuarray")) for _ in range(options.repeat)
    ]
    numpy, gpuarray = (min(times) for times in zip(*pairs, strict=True))
    added = statistics.median(both / alone for alone, both in pairs) - 1
    beyond = statistics.median(both - alone for alone, both in pairs) * 1e3
    print(f"import numpy    {numpy:.3f} s at least")
    print(f"import gpuarray {gpuarray:.3f} s at least, {added:+.2f} of the time of numpy beyond it")
    print(f"beyond numpy    {beyond:.1f} ms, the median of {options.repeat} pairs")
    if options.limit is not None and added > options.limit:
        sys.exit(f"import gpuarray adds more than {options.limit} times the import of numpy")


if __name__ == "__main__":
    main()
