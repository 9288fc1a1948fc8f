# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Composed functions of large arrays are one kernel, and give the bits of their operations."""

import numpy as np
import pytest
from _support.fused import check_one_pass as check
from _support.fused import samples
from _support.layouts import contiguous, strided, transposed

import gpuarray

REAL = ["float16", "float32", "float64"]


@pytest.mark.parametrize("layout", [contiguous, strided, transposed])
@pytest.mark.parametrize("dtype", REAL)
def test_functions_of_real_numbers(device, dtype, layout):
    a, b = (layout(samples(dtype, (6, 21), seed)) for seed in (0, 1))
    check(lambda: gpuarray.sinc(a), device)
    check(lambda: gpuarray.round(a, 2), device)
    check(lambda: gpuarray.round(a, -1), device)
    check(lambda: gpuarray.angle(a, deg=True), device)
    check(lambda: gpuarray.float_power(a, 2), device)
    check(lambda: gpuarray.float_power(a, b), device)
    check(lambda: gpuarray.nan_to_num(a), device)
    check(lambda: gpuarray.nan_to_num(a, nan=1, posinf=2.5), device)
    check(lambda: gpuarray.nan_to_num(a, posinf=np.float64(2.5)), device, taken=False)


@pytest.mark.parametrize("dtype", REAL)
def test_functions_of_two_results(device, dtype):
    a, b = (contiguous(samples(dtype, (7, 19), seed)) for seed in (2, 3))
    for part in (0, 1):
        check(lambda k=part: gpuarray.modf(a)[k], device)
        check(lambda k=part: gpuarray.divmod(a, b)[k], device)
        check(lambda k=part: gpuarray.divmod(a, 3)[k], device)


def test_functions_of_integers_and_complex_numbers(device):
    whole = contiguous(np.arange(-40, 40, dtype="int32"))
    for part in (0, 1):
        check(lambda k=part: gpuarray.divmod(whole, 7)[k], device)
        check(lambda k=part: gpuarray.divmod(whole, -7)[k], device)
    check(lambda: gpuarray.round(whole, -1), device)
    check(lambda: gpuarray.sinc(whole), device)
    z = contiguous(samples("complex64", (40,)))
    check(lambda: gpuarray.angle(z, deg=True), device)
    check(lambda: gpuarray.float_power(z, 2), device)


@pytest.mark.parametrize("order", ["big", "little"])
def test_bits(device, order):
    a = contiguous(np.random.default_rng(4).integers(0, 3, 88, dtype="uint8"))
    some = contiguous(a.get() > 1)
    check(lambda: gpuarray.packbits(a, bitorder=order), device)
    check(lambda: gpuarray.packbits(some, bitorder=order), device)
    check(lambda: gpuarray.unpackbits(a, bitorder=order), device)


def test_kaiser(device):
    with gpuarray.device(device):
        for points in (2, 7, 8.5, 1000):
            for beta in (0, 1.5, -3, 14.0):
                got = gpuarray.kaiser(points, beta).get()
                np.testing.assert_allclose(got, np.kaiser(points, beta), rtol=1e-13)
        for points in (2, 7, 8.5, 1000):
            check(lambda n=points: gpuarray.kaiser(n, 14.0), device, taken=points != 8.5)


@pytest.mark.parametrize("window", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(device, window):
    with gpuarray.device(device):
        for points in (2, 7, 8.5, 1000):
            check(lambda n=points: getattr(gpuarray, window)(n), device)


@pytest.mark.parametrize("dtype", [float, "int8", "bool", "complex64"])
def test_tri(device, dtype):
    with gpuarray.device(device):
        for k in (-50, -3, 0, 1, 2**40):
            check(lambda k=k: gpuarray.tri(21, 34, k, dtype), device)
        check(lambda: gpuarray.tri(0, 5, dtype=dtype), device, taken=False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "bool"])
def test_polyval(device, dtype):
    x = contiguous(np.arange(-40, 40).astype(dtype))
    for count in (1, 3, 30):
        p = gpuarray.to_device(np.linspace(-1, 1, count).astype(dtype))
        check(lambda p=p: gpuarray.polyval(p, x), device, taken=dtype != "bool")
    check(lambda: gpuarray.polyval([1, -2, 3.5], x), device, taken=dtype != "bool")
