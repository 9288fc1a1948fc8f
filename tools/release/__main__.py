# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Makes and checks a release: docs/releasing.md.

python tools/release build   the sdist, and from it the wheels of each machine and interpreter
python tools/release check   names, sizes, contents, symbols, metadata; imports on each interpreter
python tools/release bill    the bill of materials and the SHA-256 sums
python tools/release suite   the tests with a wheel in the root of another distribution
"""

import argparse
import os
import sys
from pathlib import Path

from bill import cccl_version, released_files, write_bill
from builder import ROOT, Builder, run
from sysroot import GLIBC, MACHINES
from try_wheels import import_on, run_suite
from wheel_checks import check_wheel, check_with_auditwheel, check_with_twine


def say(line):
    if sys.stderr.isatty():
        print(f"release: {line}", file=sys.stderr)


def arguments():
    parser = argparse.ArgumentParser(prog="tools/release", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("command", choices=["build", "check", "bill", "suite"])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the files lie")
    parser.add_argument("--work", type=Path, default=ROOT / "build/release", help="where is built")
    parser.add_argument("--archs", default="all", help="gpu_archs of the build")
    parser.add_argument("--machine", nargs="+", choices=MACHINES, default=list(MACHINES))
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="interpreters")
    parser.add_argument("--root", type=Path, help="suite: the root of the distribution")
    known, rest = parser.parse_known_args()
    if rest and known.command != "suite":
        parser.error(f"unknown arguments: {' '.join(rest)}")
    return known, rest


def build(options):
    builder = Builder(options.work.resolve(), options.dist.resolve(), options.archs, say)
    for folder in (builder.folder, builder.dist):
        folder.mkdir(parents=True, exist_ok=True)
    print(builder.sdist().name)
    for machine in options.machine:
        for interpreter in options.python:
            print(builder.wheel(MACHINES[machine], interpreter).name)
    return 0


def check(options):
    files = released_files(options.dist)
    wheels = [path for path in files if path.suffix == ".whl"]
    problems = [*check_with_twine(files)]
    for wheel in wheels:
        say(f"checking {wheel.name}")
        found = [*check_wheel(wheel, options.work / "source"), *check_with_auditwheel(wheel)]
        problems += [f"{wheel.name}: {problem}" for problem in found]
        print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB")
    here = [wheel for wheel in wheels if wheel.stem.endswith(os.uname().machine)]
    for interpreter in options.python:
        print(import_on(interpreter, here))
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


def bill(options):
    toolkit = [sys.executable, ROOT / "tools/cuda_toolkit.py"]
    nvcc = run(*toolkit, "nvcc", capture=True).strip()
    headers = run(*toolkit, "headers", nvcc, capture=True).split("\n")
    versions = {
        "gcc": run(MACHINES[os.uname().machine].compiler, "-dumpfullversion", capture=True).strip(),
        "glibc": GLIBC,
        "cuda": run(*toolkit, "version", nvcc, capture=True).strip(),
        "cccl": cccl_version(Path(headers[1])),
    }
    write_bill(options.dist, versions)
    return 0


def main():
    options, rest = arguments()
    if options.command == "suite":
        wheels = sorted(options.dist.glob("*.whl"))
        source = options.work / "source"
        return run_suite(options.root, options.python[0], wheels, source, rest)
    return {"build": build, "check": check, "bill": bill}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
