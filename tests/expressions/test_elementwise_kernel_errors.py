# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What ElementwiseKernel refuses, and how it says so."""

import pytest

import gpuarray
from gpuarray import ElementwiseKernel

AXPY = ElementwiseKernel("T x, T y, T a", "T z", "z = a * x + y", "axpy")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (lambda x: (x,), TypeError, "axpy: expected 3 to 4 arguments, got 1"),
        (lambda x: (x, x, 1, x, x), TypeError, "axpy: expected 3 to 4 arguments, got 5"),
        (lambda x: (x, x.astype("int32"), 1), TypeError, "T is float32 by x, but y is int32"),
        (lambda x: (x, x, 1j), TypeError, "a: expected float32, got a Python complex"),
        (lambda x: (x, x.get(), 1), TypeError, "convert with gpuarray.to_device"),
        (lambda x: (x, "text", 1), TypeError, "axpy: expected GPUArrays and scalars, got str"),
        (lambda x: (x, x[:3], 1), ValueError, r"shapes \(4,\) and \(3,\) do not broadcast"),
        (lambda x: (x, x, 1, gpuarray.zeros((2, 1, 4), "float32")[:, 0]), None, ""),
        (lambda x: (x[:1], x, 1, x[:1]), ValueError, r"z has shape \(1,\), expected \(4,\)"),
        (lambda x: (1, 2, 3), ValueError, "the size of the loop is undecided"),
        (lambda x: (x, x, 1, 2.0), TypeError, "z: expected an array, got a Python float"),
    ],
)
def test_bad_arguments(device, arguments, error, message):
    x = gpuarray.arange(4, dtype="float32")
    if error is None:
        AXPY(*arguments(x))
        return
    with pytest.raises(error, match=message):
        AXPY(*arguments(x))
    with pytest.raises(ValueError, match="size is for calls whose arrays are all raw"):
        AXPY(x, x, 1, size=4)
    with pytest.raises(TypeError, match="unexpected keyword argument 'where'"):
        AXPY(x, x, 1, where=True)


def test_read_only_output(device):
    x = gpuarray.arange(4, dtype="float32")
    out = gpuarray.zeros(4, "float32")
    out.flags.writeable = False
    with pytest.raises(ValueError, match="axpy: z: the array is read-only"):
        AXPY(x, x, 1, out)


def test_operands_on_different_devices(device):
    if device == "cpu":
        pytest.skip("needs two devices")
    x = gpuarray.arange(4, dtype="float32")
    with pytest.raises(gpuarray.DeviceError, match="axpy: operands are on different devices"):
        AXPY(x, x.to_device("cpu"), 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("x", "expected a type and a name"),
        ("float31 x", "neither a dtype nor a generic type"),
        ("T x, T x", "stands twice"),
        ("T i", "is reserved"),
        ("T x,, T y", "expected a type and a name"),
        ("TT x", "neither a dtype nor a generic type"),
    ],
)
def test_malformed_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ElementwiseKernel(parameters, "T z", "z = x")


def test_type_that_nothing_binds(device):
    kernel = ElementwiseKernel("T x", "S y", "y = x")
    with pytest.raises(TypeError, match="no argument says which dtype S of y is"):
        kernel(gpuarray.ones(3))
    assert kernel(gpuarray.ones(3), gpuarray.ones(3, "int32")).dtype == "int32"


def test_text_that_does_not_compile(device):
    kernel = ElementwiseKernel("T x", "T y", "y = missing_name(x)", "wrong")
    for _ in range(2):
        with pytest.raises(gpuarray.CompileError, match="missing_name"):
            kernel(gpuarray.ones(3))


def test_device_functions_are_for_cuda():
    mul = gpuarray.declare_device(
        "mul",
        "float32(float32, float32)",
        link=gpuarray.CUSource("__device__ float mul(float, float);"),
        abi="c",
    )
    kernel = ElementwiseKernel("T x", "T z", "z = mul(x, x)", "square", functions=[mul])
    with (
        gpuarray.device("cpu"),
        pytest.raises(gpuarray.DeviceError, match="square: its device functions are for CUDA"),
    ):
        kernel(gpuarray.ones(3, "float32"))


def test_the_architecture_is_the_devices():
    with pytest.raises(ValueError, match="architecture is that of the device"):
        ElementwiseKernel("T x", "T y", "y = x", options=("-arch=compute_80",))


@pytest.mark.cuda
def test_more_elements_than_a_grid_has(cuda):
    count = ElementwiseKernel("raw int64 x", "", "x[0] = 1")
    with pytest.raises(ValueError, match=r"at most .* elements at once"):
        count(gpuarray.zeros(1, "int64"), size=2**40 + 256)


def test_log_that_is_not_utf_8(device, tmp_path):
    (tmp_path / "wrong.h").write_bytes(b"#error na\xefve\n")
    options = [f"-I{tmp_path}"]
    kernel = ElementwiseKernel(
        "T x", "T y", "y = x", preamble='#include "wrong.h"', options=options
    )
    with pytest.raises(gpuarray.CompileError, match=r"na.+ve"):
        kernel(gpuarray.ones(3))
