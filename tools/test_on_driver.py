# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs tests of the installed package on the test driver (tests/driver), which needs no GPU.

    python tools/test_on_driver.py [--mode late] [pytest's arguments]

Without files among the arguments, it runs all tests of arrays, streams and transfers.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from _support.stub_driver import build_test_driver  # noqa: E402

# These tests concern the build, tools, other libraries or the cpu device alone, or have processes
# and drivers of their own.
LEFT_OUT = {
    "benchmarks",
    "boundaries",
    "build",
    "claims",
    "compilation",
    "compilation_of_sources",
    "cpu_levels",
    "disks",
    "docs",
    "driver_captures",
    "driver_faults",
    "driver_model",
    "driver_modes",
    "examples",
    "examples_that_cannot_run",
    "extension_builds",
    "fixtures",
    "host_cost",
    "host_headers",
    "host_memory",
    "import",
    "kernel_examples",
    "kernel_cache",
    "kernel_order",
    "large_arrays",
    "layout",
    "linking",
    "locks",
    "matplotlib",
    "native_examples",
    "numpy_calls",
    "numpy_frames",
    "older_drivers",
    "memory_kinds_on_stub",
    "other_libraries",
    "places",
    "rooms",
    "sharing_on_stub",
    "stubs",
    "tables",
}
# These tests take minutes or gigabytes on the host.
TOO_MUCH = [
    "tests/streams/test_streams.py::test_operations_are_asynchronous",
    "tests/arrays/test_printing.py::test_little_is_copied_of_large_arrays",
    "tests/streams/test_stream_order.py::test_threads_and_streams[cuda:0-2097152]",
]
# These tests measure how well the card's own pool reuses memory; here unfinished work frees none.
OF_A_CARD = [
    "tests/memory/test_memory_fragmentation.py::test_the_device_gives_little_more_than_is_in_use"
]


def check_package() -> None:
    """Raise SystemExit unless the installed package has the kernels of this checkout."""
    spec = importlib.util.find_spec("gpuarray._core")
    if spec is None or spec.origin is None:
        raise SystemExit("gpuarray is not installed")
    content = Path(spec.origin).read_bytes()
    for header in (ROOT / "kernels").rglob("*.*h*"):
        if header.suffix in {".cuh", ".hpp"} and header.read_bytes() not in content:
            raise SystemExit(f"{spec.origin} was built from another {header.relative_to(ROOT)}")


def files() -> list[str]:
    found = sorted((ROOT / "tests").rglob("test_*.py"))
    kept = [file for file in found if file.stem.removeprefix("test_") not in LEFT_OUT]
    return [file.relative_to(ROOT).as_posix() for file in kept]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", default="late", help="late, or random:<seed>")
    parser.add_argument("--devices", type=int, default=1, help="how many it has")
    options, arguments = parser.parse_known_args()
    check_package()
    variables = build_test_driver(options.mode)
    variables["GPUARRAY_TEST_DRIVER_DEVICES"] = str(options.devices)
    variables["GPUARRAY_REQUIRE_CUDA"] = "1"
    if not any((ROOT / argument.split("::")[0]).exists() for argument in arguments):
        arguments += files()
    arguments += [f"--deselect={test}" for test in TOO_MUCH + OF_A_CARD]
    command = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}).returncode


if __name__ == "__main__":
    sys.exit(main())
