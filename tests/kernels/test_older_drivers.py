# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Drivers of CUDA 12: what runs on them, or which message says why nothing does."""

import os

import pytest
from _support.faults import run_silently
from _support.process import run_python
from _support.stub_driver import build_compiler, build_stub

from gpuarray import _core

FIND = """
    import warnings
    warnings.simplefilter("ignore")
    import gpuarray
    from gpuarray import _core
    print(len(gpuarray.devices()) > 1, _core.cuda_absent_reason())
"""


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stub")
    try:
        return {
            "GPUARRAY_LIBCUDA": str(build_stub(folder)),
            "GPUARRAY_LIBNVRTC": str(build_compiler(folder)),
        }
    except FileNotFoundError:
        pytest.skip("needs a C++ compiler")


def find(stubs, driver, compiler):
    versions = {"GPUARRAY_TEST_DRIVER_VERSION": driver, "GPUARRAY_TEST_COMPILER_MAJOR": compiler}
    if compiler == "none":
        versions = {"GPUARRAY_TEST_DRIVER_VERSION": driver, "GPUARRAY_LIBNVRTC": "/nowhere/nvrtc"}
    found, _, reason = run_python(FIND, **{**stubs, **versions}).strip().partition(" ")
    return found == "True", reason


@pytest.mark.parametrize("driver", ["12000", "12080", "12090"])
def test_a_compiler_of_cuda_12_makes_the_device_usable(stubs, driver):
    assert find(stubs, driver, "12") == (True, "")


@pytest.mark.parametrize("compiler", ["13", "none"])
def test_without_one_the_message_says_what_to_install(stubs, compiler):
    usable, reason = find(stubs, "12080", compiler)
    assert not usable
    assert reason.endswith("; pip install 'gpuarray-cuda[cuda12]'")
    if compiler == "13":
        assert "needs a driver for CUDA 13.0" in reason.split("; and it cannot compile any: ")[1]
    else:
        assert "/nowhere/nvrtc was not found" in reason
    if _core.build_config()["cuda_built"]:
        assert "this one supports 12.8" in reason
        assert "(580 or newer)" in reason


@pytest.mark.parametrize("driver", ["13000", "14000"])
def test_newer_drivers_run_code_of_older_compilers(stubs, driver):
    assert find(stubs, driver, "12") == (True, "")


def test_drivers_before_cuda_12_are_refused(stubs):
    usable, reason = find(stubs, "11080", "12")
    assert not usable
    assert reason == "the driver supports CUDA 11.8, 12.0 or newer is needed"


@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" not in os.environ, reason="runs kernels of its own")
def test_kernels_run_on_a_driver_of_cuda_12():
    text = run_silently(
        """
        import numpy as np, gpuarray
        from gpuarray import _core
        x = gpuarray.arange(6, dtype="float32").reshape(2, 3)
        print(_core._driver_version(), (x * 2 + 1).sum(axis=0).tolist(), gpuarray.sort(-x)[0])
        try:
            gpuarray.sort(gpuarray.zeros(2**20, "int32"))
            gpuarray.synchronize()
        except gpuarray.DeviceError as error:
            print(error)
        """,
        "cuda:0",
        PYTHONWARNINGS="ignore",
        GPUARRAY_TEST_DRIVER_VERSION="12080",
        GPUARRAY_TEST_COMPILER_MAJOR="12",
    )
    computed, message = text.splitlines()
    assert computed == "12080 [8.0, 12.0, 16.0] [-2. -1. -0.]"
    assert "13.0 or newer is needed" in message
