# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Without a GPU an example says so in one line, as it does without a library or a file it fails by.

Most are short, so that they can be read as a page of documentation.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.py"))
OTHER_LIBRARIES = ["cffi", "cupy", "jax", "matplotlib", "ml_dtypes", "numba", "scipy", "torch"]
NEEDED = {"hillshade.py": "matplotlib", "kernels/mandelbrot.py": "matplotlib"}
RUN_ANYWHERE = {"by_device.py", "kernels/python_function.py", "stream_file.py", *NEEDED}
# Examples that are programs rather than pages.
LONG = {"hillshade.py", "kernels/python_function.py", "zero_copy.py"}
# Runs a script as a program that cannot import what is named before it.
WITHOUT = """
import runpy, sys
without, sys.argv = sys.argv[1], sys.argv[2:]
sys.modules.update(dict.fromkeys(filter(None, without.split(",")), None))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(script, *arguments, without=(), cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT, ",".join(without), EXAMPLES / script, *arguments],
        env={**os.environ, "PYTHONWARNINGS": "ignore", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
    )


def arguments_of(script, folder):
    return ["-o", folder / "out.png", "--upsample", "1"] if script == "hillshade.py" else []


def assert_one_line(finished, *words):
    assert finished.returncode != 0, finished.stdout
    lines = finished.stderr.strip().splitlines()
    assert len(lines) == 1, finished.stderr
    for word in words:
        assert word in lines[0]


def lines_of_code(script):
    """Count lines below the docstring that are not blank."""
    text = (EXAMPLES / script).read_text()
    docstring = ast.parse(text).body[0]
    return sum(bool(line.strip()) for line in text.splitlines()[docstring.end_lineno :])


@pytest.mark.parametrize("script", SCRIPTS)
def test_examples_are_short(script):
    assert (lines_of_code(script) <= 25) == (script not in LONG)


def assert_done_or_one_line(finished):
    if finished.returncode != 0:
        assert_one_line(finished)
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize("script", SCRIPTS)
def test_without_other_libraries(script, tmp_path):
    finished = run(script, *arguments_of(script, tmp_path), without=OTHER_LIBRARIES, cwd=tmp_path)
    assert_done_or_one_line(finished)
    if script in NEEDED:
        assert_one_line(finished, Path(script).name, NEEDED[script])


@pytest.mark.parametrize("script", SCRIPTS)
def test_without_a_gpu_and_its_tools(script, tmp_path):
    """Nor a compiler: neither nvcc, nor NVRTC, nor that of the host."""
    hidden = {name: "" for name in os.environ if name.startswith("GPUARRAY_")}
    nothing = {"CXX": "missing", "CUDACXX": "missing", "CUDA_HOME": str(tmp_path)}
    libraries = {"GPUARRAY_LIBNVRTC": "missing", "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
    environment = {**hidden, "CUDA_VISIBLE_DEVICES": "", **nothing, **libraries}
    finished = run(script, *arguments_of(script, tmp_path), cwd=tmp_path, **environment)
    assert_done_or_one_line(finished)
    if script not in RUN_ANYWHERE:
        assert finished.returncode == 0 and not finished.stderr
        (line,) = finished.stdout.splitlines()
        assert line.startswith(f"{Path(script).name} needs a CUDA device")


@pytest.mark.parametrize("content", [None, b"", b"no array", b"PK\x03\x04 cut off"], ids=str)
def test_hillshade_of_no_array(content, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "model.npz"
    if content is not None:
        file.write_bytes(content)
    assert_one_line(run("hillshade.py", file, "-o", tmp_path / "out.png"), "model.npz")


def test_folders_and_devices_that_are_not_there(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "missing" / "out.png"
    cpu = {"GPUARRAY_DEVICE": "cpu"}
    few = ("--upsample", "1")
    assert_one_line(run("hillshade.py", "-o", out, *few, **cpu), "hillshade.py", "missing")
    small = ("-o", tmp_path / "out.png", *few)
    assert_one_line(run("hillshade.py", *small, "--device", "gpu"), "hillshade.py", "gpu")
    assert_one_line(run("hillshade.py", *small, "--device", "cuda:63"), "cuda:63")
    finished = run("kernels/mandelbrot.py", out, **cpu)
    assert_one_line(finished, "mandelbrot.py")


def test_libraries_that_are_not_known():
    assert_one_line(run("zero_copy.py", "numpy"), "numpy", "cupy, torch, numba, jax")
