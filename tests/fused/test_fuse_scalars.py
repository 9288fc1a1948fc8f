# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Scalars in fused functions: parameters, constants, and what Python makes of them."""

import numpy as np
import pytest
from _support.fused import array, check, same

import gpuarray


def test_functions_of_constants(device):
    """Compilers know some of them better than the functions do."""
    for dtype in ("float32", "float64", "float16", "complex64"):
        a = abs(array(dtype, (50, 40))) + 0.1
        check(lambda a: (a**2, a**0.5, a**3, a**-1, 2.0**a, a**1.5), a)
    b = array("float64", (50, 40))
    check(lambda a: (gpuarray.hypot(a, 3), gpuarray.arctan2(a, 1.0)), b)
    check(lambda a: (a % 0.1, a // 0.1, gpuarray.fmod(a, 0.3), gpuarray.logaddexp(a, 1.0)), b)


@pytest.mark.parametrize("n", [2, -1, 3, 0.5, 1.5, np.float32(2)])
def test_powers_of_parameters(device, n):
    for dtype in ("float32", "float64", "complex64"):
        a = abs(array(dtype, (50, 40))) + 0.1
        same(gpuarray.fuse(lambda a, n: a**n)(a, n), a**n)

        def raised(a, n):
            a **= n

        x, y = a.astype("complex128"), a.astype("complex128")
        gpuarray.fuse(raised)(x, n)
        raised(y, n)
        same(x, y)


def test_python_scalars_are_weak_parameters(device):
    def function(a, n):
        return a * n, a > n, n - a, a + (n * 2 + 1)

    fused = gpuarray.fuse(function)
    for dtype in ("float32", "int8", "uint64"):
        a = array(dtype)
        for n in (3, 5):
            same(fused(a, n), function(a, n))
    a = array("float32")
    for n in (2.5, np.float64(2.5), np.int16(3), 1 + 2j):
        same(fused(a, n), function(a, n))


def test_numbers_in_the_function(device):
    a = array("int16")
    check(lambda a: (a + 1, a * 2.5, a / 3, a + 1j, a * True, a + np.int64(5)), a)
    b = array("float32")
    check(lambda a: (a * 0.1, a + float("inf"), a * float("nan"), a - 1e-320, a + (2**53 + 1)), b)


@pytest.mark.parametrize("number", [300, -1, 2**40, 2**64, -(2**70)])
def test_comparisons_are_exact(device, number):
    for dtype in ("uint8", "int64", "uint64", "bool"):
        a = array(dtype)
        check(lambda a: (a < number, a >= number, number == a, number != a), a)
    fused = gpuarray.fuse(lambda a, n: (a < n, a >= n, n == a, n <= a))
    for dtype in ("uint8", "int64", "uint64"):
        a = array(dtype)
        same(fused(a, number), (a < number, a >= number, number == a, number <= a))


def test_integers_that_do_not_fit_are_refused(device):
    a = array("uint8")
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        gpuarray.fuse(lambda a: a + 300)(a)
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        gpuarray.fuse(lambda a, n: a + n)(a, 300)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda x, s, t: x * (s * t), (2**40, 2**40)),
        (lambda x, s, t: x * (s + t), (True, True)),
        (lambda x, s, t: x * ((s > 0) + (s > t)), (5, 1)),
        (lambda x, s, t: x * s**t, (-1.0, 0.5)),
        (lambda x, s, t: x * (s * t + 1), (0.1, 3)),
        (lambda x, s, t: x * s + x * (1 - s) - t, (0.3, 1)),
        (lambda x, s, t: x * -s + t, (0.3, 1)),
    ],
)
def test_arithmetic_of_python_scalars_is_pythons(device, function, arguments):
    x = array("float32")
    same(gpuarray.fuse(function)(x, *arguments), function(x, *arguments))


def test_arithmetic_of_python_scalars_fails_as_pythons(device):
    x = array("int8")
    with pytest.raises(ZeroDivisionError):
        gpuarray.fuse(lambda x, s: x * (1 / s))(x, 0)
    with pytest.raises(OverflowError):
        gpuarray.fuse(lambda x, s: x + (s + 1))(x, 127)


def test_scalars_alone(device):
    fused = gpuarray.fuse(lambda a, b: a + gpuarray.sqrt(b))
    assert fused(2, 9.0).item() == 5


@pytest.mark.parametrize("name", ["real", "imag", "conjugate"])
def test_parts_of_python_scalars_are_pythons(device, name):
    def function(x, s):
        part = getattr(s, name)
        return x + (part() if callable(part) else part)

    x = array("float32")
    for number in (2j, 1.5):
        same(gpuarray.fuse(function)(x, number), function(x, number))


def test_reductions_without_a_compiler_are_done_one_by_one(monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/c++")
    x = gpuarray.arange(4.0, device="cpu")
    fused = gpuarray.fuse(lambda x, y: (x * y).sum())
    assert fused(x, x).item() == 14


def range_of(dtype):
    return range(np.iinfo(dtype).min, np.iinfo(dtype).max + 1)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "int32", "float32", "bool"])
def test_integers_of_where(device, dtype):
    """`where` takes the integers that the dtype holds, alone and in a fused function."""
    a = array(dtype)
    fused = gpuarray.fuse(lambda a, n: gpuarray.where(a > 1, a, n))
    for number in (5, 300, -1, 2**31, 2**63 - 1, -(2**63)):
        if not np.issubdtype(dtype, np.integer) or number in range_of(dtype):
            check(lambda a, n=number: (gpuarray.where(a > 1, a, n), gpuarray.where(a > 1, n, a)), a)
            same(fused(a, number), gpuarray.where(a > 1, a, number))
            continue
        for call in (gpuarray.where, lambda m, a, n: fused(a, n)):
            with pytest.raises(OverflowError):
                call(a > 1, a, number)
