# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Line coverage of the C++ sources by all tests, on the cpu device.

cpp_coverage.py [PYTEST ARGUMENT ...] builds into build/coverage, runs all tests and prints a table.
It needs the packages of `pip install '.[dev]'`.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "coverage"
SITE = ROOT / "build" / "coverage_site"
# The counters are atomic because the tests use threads.
OPTIONS = [
    "buildtype=debug",
    "b_coverage=true",
    "cuda=disabled",
    "cpp_args=-fprofile-update=atomic",
]


def run(*command, **environment):
    print("+", *command, flush=True)
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment).returncode


def main(*pytest_arguments):
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    python = [sys.executable, "-P", "-m"]
    install = [*python, "pip", "install", "--no-build-isolation", "--no-deps", "--upgrade"]
    options = [f"-Csetup-args=-D{option}" for option in OPTIONS]
    if run(*install, "--target", str(SITE), f"-Cbuild-dir={BUILD}", *options, ".") != 0:
        sys.exit("the build failed")
    for stale in BUILD.rglob("*.gcda"):
        stale.unlink()
    failed = run("meson", "test", "-C", str(BUILD))
    failed |= run(*python, "pytest", "-q", *pytest_arguments, PYTHONPATH=str(SITE))
    failed |= run(
        *("gcovr", "--root", ".", "--object-directory", str(BUILD)),
        *("--filter", "src/", "--filter", "kernels/", "--merge-lines"),
        "--sort=uncovered-percent",
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
