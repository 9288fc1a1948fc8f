# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs tests of the installed package on the test driver (tests/driver), which needs no GPU.

    python tools/test_on_driver.py [--mode late] [pytest's arguments]

Without files among the arguments: all tests of arrays, streams and transfers.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from _support.stub_driver import build_test_driver  # noqa: E402

# Tests of the build, of tools and of what has processes and drivers of its own.
LEFT_OUT = {
    "benchmarks",
    "build",
    "compilation",
    "docs",
    "examples",
    "host_cost",
    "import",
    "kernel_cache",
    "large_arrays",
    "layout",
    "stubs",
    "driver_captures",
    "driver_model",
    "driver_modes",
}
# Minutes of work, or gigabytes, on the host.
TOO_MUCH = [
    "tests/test_streams.py::test_operations_are_asynchronous",
    "tests/test_printing.py::test_little_is_copied_of_large_arrays",
]


def files() -> list[str]:
    found = sorted((ROOT / "tests").glob("test_*.py"))
    return [f"tests/{f.name}" for f in found if f.stem.removeprefix("test_") not in LEFT_OUT]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", default="late", help="late, or random:<seed>")
    parser.add_argument("--devices", type=int, default=1, help="how many it has")
    options, arguments = parser.parse_known_args()
    variables = build_test_driver(options.mode)
    variables["GPUARRAY_TEST_DRIVER_DEVICES"] = str(options.devices)
    variables["GPUARRAY_REQUIRE_CUDA"] = "1"
    if not any(argument.split("::")[0].endswith(".py") for argument in arguments):
        arguments += files() + [f"--deselect={test}" for test in TOO_MUCH]
    command = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}).returncode


if __name__ == "__main__":
    sys.exit(main())
