# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples of kernels run, and check their results themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernels"
NVCC = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
on_card = pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="needs device code")


def run(name, *arguments, device=None):
    environment = {**os.environ, "CUDACXX": NVCC, "PYTHONWARNINGS": "ignore"}
    if device is not None:
        environment["GPUARRAY_DEVICE"] = device
    finished = subprocess.run(
        [sys.executable, "-P", EXAMPLES / name, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.cuda
@pytest.mark.parametrize(
    "name", ["vector_add.py", "matrix_product.py", "shared_memory.py", "overlap.py"]
)
def test_example(cuda, name):
    out = run(name, device=cuda)
    assert ("equal" in out or "right" in out) and "WRONG" not in out


@pytest.mark.cuda
@on_card
@pytest.mark.parametrize("name", ["raw_kernel.py", "many_streams.py"])
def test_example_of_the_driver(cuda, name):
    out = run(name, device=cuda)
    assert ("equal" in out or "right" in out) and "WRONG" not in out


@pytest.mark.cuda
@on_card
@pytest.mark.skipif(not shutil.which(NVCC), reason="nvcc was not found")
def test_a_kernel_compiled_before(cuda):
    assert "equal" in run("compiled_before.py", device=cuda)


@on_card
def test_a_function_of_python(device):
    assert "equal" in run("python_function.py", device=device)


def test_a_picture(device, tmp_path):
    image = pytest.importorskip("matplotlib.image")
    out = tmp_path / "out.png"
    run("mandelbrot.py", out, device=device)
    picture = image.imread(out)
    assert picture.shape[:2] == (960, 1200)
    assert len(set(picture[480, :, 0].tolist())) > 20
