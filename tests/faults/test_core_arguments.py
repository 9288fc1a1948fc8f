# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Whatever arguments come, nothing of gpuarray._core ends the process or raises SystemError."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

from _support.process import inherited_driver

TESTS = Path(__file__).parents[1]
COUNT = 60  # calls of each function


def calls_from(first, device, folder):
    """Make the calls in a process of its own; return its exit status and what it printed."""
    code = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from faults.core_arguments import run
run({first}, {COUNT})
"""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**variables, **inherited_driver(), "GPUARRAY_DEVICE": device},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        timeout=300,
    )
    return done.returncode, done.stdout.splitlines()


def test_no_call_crashes(device, tmp_path):
    faults, first = [], 0
    for _ in range(20):
        status, lines = calls_from(first, device, tmp_path)
        faults += [
            f"{before}: {line}"
            for before, line in itertools.pairwise(lines)
            if line.startswith("!")
        ]
        if status == 0:
            break
        assert lines, f"exit status {status} before the first call"
        last = [line for line in lines if not line.startswith("!")][-1]
        faults.append(f"{last}: exit status {status}")
        first = int(last.split()[0])
    assert not faults, "\n".join(faults)
