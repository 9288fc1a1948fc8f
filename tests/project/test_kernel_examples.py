# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples of modules: on a CUDA device, without one as far as compiling and linking go."""

import subprocess
import sys
from pathlib import Path

import pytest
from _support.device_code import needs_linker, needs_nvrtc, nvcc

import gpuarray

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name, *arguments):
    command = [sys.executable, "-P", EXAMPLES / name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_nvrtc
@needs_linker
def test_functions_of_every_kind_of_item():
    kinds = ["cu", "ptx", "cubin", "fatbin", "o", "ltoir", "a"] if nvcc() else ["cu"]
    lines = [line for line in run("linking/linking.py").splitlines() if line.startswith(".")]
    assert [line.split()[0] for line in lines] == [f".{kind}" for kind in kinds]
    run_by = ["Module, ElementwiseKernel" in line for line in lines]
    assert run_by == [gpuarray.default_device().kind == "cuda"] * len(kinds)


@needs_nvrtc
def test_headers_in_two_folders():
    assert "compiled for" in (text := run("headers/saxpy.py")) or text.count("right") == 2


@pytest.mark.cuda
@needs_nvrtc
@needs_linker
def test_callbacks_are_counted(cuda):
    assert run("callbacks.py") == "{'setup': 1, 'teardown': 1, 'calls': 48}\n"
