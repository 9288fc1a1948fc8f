# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What a person at a terminal sees while many kernels are compiled."""

import os
import pty
import re
import shutil
import subprocess
import sys
from itertools import pairwise

import pytest

pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
CODE = """
import gpuarray
x = gpuarray.ones(4, device="cpu")
for k in range(4):
    gpuarray.ElementwiseKernel("float64 x", "float64 y", f"y = x + {k}")(x)
"""


@pytest.fixture
def variables(tmp_path):
    compiler = tmp_path / "slow_compiler"
    compiler.write_text('#!/bin/sh\nsleep 0.8\nexec c++ "$@"\n')
    compiler.chmod(0o700)
    return {"GPUARRAY_CACHE_DIR": str(tmp_path / "cache"), "CXX": str(compiler)}


def at_terminal(**variables):
    """What the program writes to a terminal as stderr."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-P", "-c", CODE], stderr=follower, env=os.environ | variables
    ) as program:
        os.close(follower)
        written = b""
        try:
            while part := os.read(leader, 1000):
                written += part
        except OSError:  # the program has closed its end
            pass
    os.close(leader)
    assert program.returncode == 0, written
    return written.decode()


def test_a_line_comes_after_two_seconds_and_then_after_twice_as_long(variables):
    said = at_terminal(**variables).splitlines()
    pattern = r"gpuarray: compiled (\d+) kernels? in (\d+\.\d) s so far"
    found = [re.fullmatch(pattern, line).groups() for line in said]
    assert found
    assert all(1 <= int(count) <= 4 for count, _ in found)
    times = [1.0, *(float(seconds) for _, seconds in found)]
    assert all(now >= 2 * before - 0.2 for before, now in pairwise(times))  # rounded to 0.1 s
    assert at_terminal(**variables) == ""  # they are in the cache now


def test_there_is_none_where_nobody_reads(variables):
    command = [sys.executable, "-P", "-c", CODE]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_log_tells_as_much(variables):
    assert "so far" not in at_terminal(**variables, GPUARRAY_LOG="info")
