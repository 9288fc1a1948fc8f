# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Prints the groups as which the programs of benchmarks/ run once they are learned.

    python tools/log_groups.py [--device cpu|stub] [--write] [PROGRAM]...

On the stub, which is the test driver, no kernel computes anything and none is compiled, so that
this takes seconds. --write stores what tests/expressions/test_groups.py expects.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPECTED = ROOT / "tests/expressions/groups"
DEVICES = {"cpu": "cpu", "stub": "cuda:0"}
ELEMENTS = 1 << 16
CALLS = 11
UNSETTLED = 8  # that no compiler is waited for
READS = {"k_means"}  # values, which the stub does not compute
BEGIN, END = "begin of ", "end of the program"
GROUP = re.compile(
    r"gpuarray: (?:window \d+|(?P<reduction>\w+)) on \S+ of (?P<shape>\(.*?\))"
    r"(?P<counts>: .* not stored|.* that wait) \((?P<names>.*?)\)(?:.*; ended by (?P<end>.*))?"
)
# What stands in for the host's compiler behind the stand-in for NVRTC.
COMPILER = """#!/bin/sh
for last; do :; done
echo image > "$last"
"""


def call(device: str, names: list[str]) -> None:
    """Call the programs, with lines on stderr around the call that is logged of each."""
    import gpuarray
    from gpuarray import _core

    sys.path.insert(0, str(ROOT / "benchmarks"))
    from fusion import inputs
    from newest import PROGRAMS

    gpuarray.set_default_device(device)
    for name in names or PROGRAMS:
        if name in READS and device != "cpu":
            continue
        _core._forget_sequences()
        arrays = [gpuarray.to_device(host) for host in inputs(name, ELEMENTS)]
        for number in range(CALLS + 1):
            if number == CALLS:
                os.write(2, f"{BEGIN}{name}\n".encode())
            result = PROGRAMS[name].function(gpuarray, *arrays)
            gpuarray.synchronize()
            del result
            if number >= UNSETTLED:
                _core._finish_compilations()
        os.write(2, f"{END}\n".encode())


def stub(folder: Path) -> dict[str, str]:
    """The environment in which the test driver runs no kernels, and its compiler compiles none."""
    sys.path.insert(0, str(ROOT / "tests"))
    from _support.stub_driver import build_test_driver

    compiler = folder / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o700)
    variables = build_test_driver()
    del variables["GPUARRAY_TEST_DRIVER"], variables["GPUARRAY_TEST_DRIVER_KERNELS"]
    return variables | {"CXX": str(compiler)}


def line_of(group: re.Match) -> str:
    """The group without what depends on the numbers of the cost functions."""
    if group["reduction"]:
        return f"{group['reduction']} of {group['shape']} with {group['names']}"
    operations, unneeded, unstored = (int(n) for n in re.findall(r"\d+", group["counts"]))
    stored = operations - unneeded - unstored
    return f"{group['shape']} with {stored} stored: {group['names']}; {group['end']}"


def folded(line: str, times: int) -> list[str]:
    """The line of a group that runs so often, in lines of readable length."""
    first, rest = ("  " if times == 1 else f"  {times} x "), " " * 6
    return textwrap.wrap(line, 98, initial_indent=first, subsequent_indent=rest)


def groups(device: str, names: list[str]) -> str:
    """What each program runs as: its name, and each group with how often it comes."""
    with tempfile.TemporaryDirectory() as name:
        variables = stub(Path(name)) if device == "stub" else {}
        variables |= {"GPUARRAY_FUSION_LOG": "1", "GPUARRAY_CACHE_DIR": name}
        others = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
        script = [sys.executable, "-P", __file__, "--call", DEVICES[device], *names]
        done = subprocess.run(script, env=others | variables, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr[-2000:])
    found = []
    for program in done.stderr.split(BEGIN)[1:]:
        name, *lines = program.partition(END)[0].splitlines()
        times = Counter(line_of(group) for group in map(GROUP.match, lines) if group)
        found.append("\n".join([name, *itertools.chain(*map(folded, times, times.values()))]))
    return "\n\n".join(found) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=DEVICES, action="append")
    parser.add_argument("--write", action="store_true", help="store what the test expects")
    parser.add_argument("--call", metavar="DEVICE", help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    if options.call:
        call(options.call, options.programs)
        return
    for device in options.device or DEVICES:
        text = groups(device, options.programs)
        if options.write:
            (EXPECTED / f"{device}.txt").write_text(text)
        else:
            print(f"{device}\n\n{text}")


if __name__ == "__main__":
    main()
