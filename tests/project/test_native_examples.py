# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples that compile CUDA code, or share memory with other libraries."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NVCC = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
needs_nvcc = pytest.mark.skipif(not shutil.which(NVCC), reason="nvcc was not found")
PATH = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
ENVIRONMENT = {**os.environ, "CUDACXX": NVCC, "PATH": PATH}


def run(script, *arguments):
    command = [sys.executable, "-P", EXAMPLES / script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)


@needs_nvcc
@pytest.mark.cuda
def test_ctypes(cuda):
    finished = run("ctypes_add/add.py")
    assert finished.returncode == 0, finished.stderr
    assert "1000000 sums from the host and on the device: equal" in finished.stdout


@pytest.fixture(scope="module")
def sum_cuda(tmp_path_factory):
    pytest.importorskip("mesonpy")
    site = tmp_path_factory.mktemp("site")
    package = tmp_path_factory.mktemp("package") / "extension"
    shutil.copytree(EXAMPLES / "extension", package)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps"]
    subprocess.run([*command, "--target", site, package], check=True, env=ENVIRONMENT)
    library = next(site.glob("sum_cuda*.so"))
    spec = importlib.util.spec_from_file_location("sum_cuda", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.sum_cuda


@needs_nvcc
def test_extension_checks_its_operands(sum_cuda):
    x = gpuarray.ones(3, np.float32, device="cpu")
    with pytest.raises(ValueError, match="a is on the cpu, expected a CUDA device"):
        sum_cuda(x, x)
    with pytest.raises(TypeError, match="expected a GPUArray, got ndarray"):
        sum_cuda(np.ones(3), x)


@needs_nvcc
@pytest.mark.cuda
def test_extension(cuda, sum_cuda):
    x, y = np.random.default_rng(0).random((2, 1000, 33), dtype=np.float32)
    a, b = gpuarray.to_device(x), gpuarray.to_device(y)
    assert_same(sum_cuda(a, b), x + y)
    with gpuarray.Stream():
        late = a * 2
    assert_same(sum_cuda(late, b), x * 2 + y)
    with pytest.raises(TypeError, match="b has dtype float64, expected float32"):
        sum_cuda(a, b.astype("float64"))
    with pytest.raises(ValueError, match="b is not C-contiguous"):
        sum_cuda(a, b[:, ::2])
    with pytest.raises(ValueError, match="different shapes"):
        sum_cuda(a, b[:10])


def test_dispatch_by_device():
    finished = run("by_device.py")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    lines = finished.stdout.splitlines()
    assert sum(line.startswith("cpu: cpu, first ") for line in lines) == 1
    assert len(lines) == 2 * len(gpuarray.devices()) - 1
    assert "WRONG" not in finished.stdout


@pytest.mark.cuda
@pytest.mark.parametrize("library", ["cupy", "torch", "numba", "jax"])
def test_zero_copy(cuda, library):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    finished = run("zero_copy.py", library)
    if library == "numba" and "module 'numpy' has no attribute" in finished.stderr:
        pytest.skip("this Numba does not support this NumPy")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "nothing was copied" in finished.stdout


@needs_nvcc
@pytest.mark.cuda
@pytest.mark.slow
def test_torch_extension(cuda):
    pytest.importorskip("torch")
    if shutil.which("ninja") is None:
        pytest.skip("PyTorch compiles with ninja, which was not found")
    finished = run("torch_extension/torch_extension.py")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "memory shared: True, sums equal: True" in finished.stdout
