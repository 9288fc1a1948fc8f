# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""GPUARRAY_LOG: what is compiled and what the kernel cache has, through Python's logging."""

import os
import re
import subprocess
import sys
import textwrap

import pytest
from _support.process import run_python

import gpuarray

needs_nvrtc = pytest.mark.skipif(
    "path" not in gpuarray.show_config("dicts")["libraries"]["NVRTC"], reason="there is no NVRTC"
)
COMPILE = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
import gpuarray
gpuarray.Module('extern "C" __global__ void f() {}', arch=90)
"""


def lines(tmp_path, **variables):
    folder = str(tmp_path)
    return run_python(COMPILE, GPUARRAY_CACHE_DIR=folder, GPUARRAY_LIBCUDA="/none", **variables)


@needs_nvrtc
def test_compilations_are_logged(tmp_path):
    assert lines(tmp_path) == ""
    assert lines(tmp_path, GPUARRAY_LOG="info", GPUARRAY_CACHE_BYTES="0").startswith(
        "gpuarray INFO compiled "
    )
    assert lines(tmp_path, GPUARRAY_LOG="info") == ""
    assert lines(tmp_path, GPUARRAY_LOG="debug").startswith("gpuarray DEBUG the kernel cache has ")


@needs_nvrtc
def test_without_a_handler_lines_go_to_stderr(tmp_path):
    code = COMPILE.replace("logging.basicConfig", "dict")
    variables = {"GPUARRAY_LOG": "info", "GPUARRAY_CACHE_BYTES": "0", "GPUARRAY_LIBCUDA": "/none"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout == ""
    assert " gpuarray: compiled " in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("level", ["info", "INFO", "Debug"])
def test_kernels_of_the_cpu_device_are_logged(tmp_path, level):
    """Each source once, with the kernel's name; the case of the variable's letters is any."""
    code = """
        import logging, sys
        logging.basicConfig(stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
        import gpuarray
        twice = gpuarray.ElementwiseKernel("T x", "T y", "y = x + x", "twice")
        x = gpuarray.ones(3, device="cpu")
        twice(x), twice(x), gpuarray.fuse(lambda x: x * 3 + 1, kernel_name="line")(x)
    """
    folder = {"GPUARRAY_CACHE_DIR": str(tmp_path), "GPUARRAY_LIBCUDA": "/none"}
    text = run_python(textwrap.dedent(code), GPUARRAY_LOG=level, **folder)
    assert re.findall(r"gpuarray INFO compiled (.*) in \d+ ms", text) == [
        "twice for cpu",
        "line for cpu",
    ]
    assert "compiled" not in run_python(textwrap.dedent(code), GPUARRAY_LOG=level, **folder)
    assert run_python(textwrap.dedent(code), **folder, GPUARRAY_CACHE_BYTES="0") == ""


@pytest.mark.parametrize("level", ["info", "debug"])
def test_the_program_may_set_up_logging_later(tmp_path, level):
    """Lines before that go to stderr; then each goes to the program's handler alone."""
    code = """
        import logging, sys
        import gpuarray
        def compile(name):
            gpuarray.ElementwiseKernel("T x", "T y", "y = x + x", name)(x)
        x = gpuarray.ones(3, device="cpu")
        compile("before")
        logger = logging.getLogger("gpuarray")
        assert (logger.level, logger.handlers, logger.propagate) == (0, [], True)
        assert not logging.root.handlers
        logging.basicConfig(stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
        compile("after")
        logging.disable(logging.INFO)
        compile("disabled")
    """
    variables = {
        "GPUARRAY_LOG": level,
        "GPUARRAY_CACHE_DIR": str(tmp_path),
        "GPUARRAY_LIBCUDA": "/none",
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)],
        env=os.environ | variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.findall("compiled (.*) for cpu", done.stderr) == ["before"]
    assert re.findall("gpuarray INFO compiled (.*) for cpu", done.stdout) == ["after"]


def test_other_values_are_refused(tmp_path):
    message = "ValueError: GPUARRAY_LOG: expected info or debug, got 'loud'"
    with pytest.raises(AssertionError, match=message):
        run_python("import gpuarray", GPUARRAY_LOG="loud")


@needs_nvrtc
@pytest.mark.parametrize("level", ["info", "debug"])
def test_the_level_of_the_logger(tmp_path, level):
    """Without GPUARRAY_LOG the program's own setting of the logger, or of the root, counts."""
    for name in ("'gpuarray'", ""):
        code = COMPILE.replace(
            "import gpuarray",
            f"logging.getLogger({name}).setLevel({level.upper()!r})\nimport gpuarray",
        )
        folder = tmp_path / f"{level}{len(name)}"
        folder.mkdir()
        text = run_python(code, GPUARRAY_CACHE_DIR=str(folder), GPUARRAY_LIBCUDA="/none")
        assert "gpuarray INFO compiled " in text
        assert ("gpuarray DEBUG the kernel cache has no " in text) == (level == "debug")
    quiet = COMPILE.replace(
        "import gpuarray", "logging.getLogger('gpuarray').setLevel('ERROR')\nimport gpuarray"
    )
    variables = {"GPUARRAY_LOG": "debug", "GPUARRAY_LIBCUDA": "/none", "GPUARRAY_CACHE_BYTES": "0"}
    assert run_python(quiet, **variables) == ""


@needs_nvrtc
def test_handlers_may_use_arrays(tmp_path):
    """They are called where no lock is held that a kernel or a device needs."""
    code = """
        import logging, gpuarray
        class Handler(logging.Handler):
            def emit(self, record):
                assert str(gpuarray.sort(gpuarray.arange(3))) == "[0 1 2]"
        logging.getLogger("gpuarray").addHandler(Handler())
        gpuarray.Module('extern "C" __global__ void f() {}', arch=90)
        print(gpuarray.sort(gpuarray.arange(5000) * -1)[0])
    """
    folder = str(tmp_path)
    text = run_python(textwrap.dedent(code), GPUARRAY_LOG="debug", GPUARRAY_CACHE_DIR=folder)
    assert text.split() == ["-4999"]
