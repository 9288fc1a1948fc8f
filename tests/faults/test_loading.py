# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Drivers and libraries that fail or lack functions while they are loaded."""

import os

import pytest
from _support.process import inherited_driver, run_python
from faults.failing_libraries import build_linker, driver_functions

pytestmark = pytest.mark.skipif(
    "GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"
)

LOAD = """
import os, sys
import gpuarray

def load(name, value):
    # In a child, as a driver is loaded once. The cpu device works whatever the driver says.
    if os.fork() == 0:
        os.environ[name] = value
        assert gpuarray.ones(3, device="cpu").sum().item() == 3
        try:
            gpuarray.ones(3, device="cuda:0")
            print("works", flush=True)
        except gpuarray.DeviceError as error:
            print(error, flush=True)
        sys.exit()
    os.wait()
"""


def loaded(name, values):
    """What a first use of the device says with each value of a variable."""
    calls = "".join(f"load({name!r}, {value!r})\n" for value in values)
    return run_python(LOAD + calls, **inherited_driver()).splitlines()


def test_a_driver_that_fails_to_tell_its_version():
    [said] = loaded("GPUARRAY_TEST_DRIVER_VERSION", ["-999"])
    assert "(cuDriverGetVersion gave error 999)" in said


def test_a_driver_that_lacks_any_of_its_functions():
    """The first lookup that fails ends the loading, unless older drivers lack the function too."""
    newer = driver_functions(newer_alone=True)
    said = loaded("GPUARRAY_TEST_DRIVER_LACKS", [f"{name}," for name in driver_functions()])
    for name, text in zip(driver_functions(), said, strict=True):
        if name in newer:
            assert text == "works", (name, text)
        else:
            assert f"(the driver has no {name})" in text


def test_a_linker_that_fails_to_tell_its_version(tmp_path):
    """As before CUDA 12.4, which tells none: it links, and show_config() has no version."""
    code = """
    import ctypes, os, gpuarray
    library = ctypes.CDLL(os.environ["GPUARRAY_LIBNVJITLINK"])
    library.test_driver_fail(b"nvJitLinkVersion", ctypes.c_int64(FAILS), 7)
    gpuarray.show_config()
    source = 'extern "C" __global__ void fill(float* x) { *x = 1; }'
    part = gpuarray.CUSource("__device__ int one() { return 1; }")
    module, x = gpuarray.Module(source, link=[part]), gpuarray.zeros(1, "float32")
    module.get_function("fill")[1, 1](x)
    assert x.item() == 1
    """
    variables = {**inherited_driver(), "GPUARRAY_LIBNVJITLINK": str(build_linker(tmp_path))}
    for fails in (0, 1):
        said = run_python(code.replace("FAILS", str(fails)), **variables)
        [line] = [line for line in said.splitlines() if "nvJitLink" in line]
        assert ("13.0" in line.split(",")[0]) == (not fails), line
