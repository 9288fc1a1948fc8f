# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples of linking, headers and callbacks, and of cuBLAS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _support.device_code import needs_linker, needs_nvrtc

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NVCC = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="needs device code"),
]


def run(name):
    done = subprocess.run(
        [sys.executable, "-P", EXAMPLES / name],
        env={**os.environ, "CUDACXX": NVCC},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_nvrtc
@needs_linker
@pytest.mark.skipif(not shutil.which(NVCC), reason="nvcc was not found")
def test_functions_of_every_kind_of_item(cuda):
    kinds = ["a", "cu", "cubin", "fatbin", "ltoir", "o", "ptx"]
    assert sorted(run("linking/linking.py").splitlines()) == [f"{kind} right" for kind in kinds]


@needs_nvrtc
@needs_linker
def test_functions_in_a_kernel_of_numba(cuda):
    pytest.importorskip("cffi")
    pytest.importorskip("numba.cuda.cudaimpl", exc_type=Exception)
    assert run("linking/numba_kernel.py") == "Numba: right\n"


@needs_nvrtc
def test_headers_in_two_folders(cuda):
    assert run("headers/saxpy.py") == "saxpy<float> is right\nsaxpy<double> is right\n"


@needs_nvrtc
@needs_linker
def test_callbacks_are_counted(cuda):
    assert run("callbacks.py") == "['setup', 'teardown', 48] right\n"


def test_a_function_of_cublas(cuda):
    assert run("cublas_product.py") == "cuBLAS: equal\n"
