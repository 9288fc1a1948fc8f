# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""apply_along_axis, apply_over_axes, select and piecewise, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import KINDS, check, values

import gpuarray


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "function",
    [
        lambda row: row.sum(),
        lambda row: row[:2] * 2,
        lambda row: row.reshape(1, -1) + row.reshape(-1, 1),
        lambda row: 7,
    ],
)
def test_along_an_axis(device, axis, function):
    check(lambda xp, a: xp.apply_along_axis(function, axis, a), values("float64", (3, 4, 2)))


def test_along_an_axis_with_arguments(device):
    host = values("int32", (3, 4))
    check(lambda xp, a: xp.apply_along_axis(lambda r, n, by: r * n + by, 0, a, 2, by=1), host)
    check(lambda xp, a: xp.apply_along_axis(lambda r: r, 0, a), host[:, :0])
    check(lambda xp, a: xp.apply_along_axis(lambda r: r.max(), 0, a), host[0])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0), (0,), (1, 0)])
def test_along_an_axis_of_nothing(device, shape, axis):
    host = values("float64", shape)
    for function in (lambda row: row.sum(), lambda row: row * 2, lambda row: row[:0]):
        check(lambda xp, a, f=function: xp.apply_along_axis(f, axis, a), host)
    check(lambda xp, a: xp.apply_over_axes(xp.sum, a, axis), host)
    check(lambda xp, a: xp.apply_over_axes(xp.sum, a, []), host)


def test_over_axes(device):
    host = values("float64", (3, 4, 2))
    check(lambda xp, a: xp.apply_over_axes(xp.sum, a, [0, -1]), host)
    check(lambda xp, a: xp.apply_over_axes(lambda b, k: xp.max(b, k, keepdims=True), a, 1), host)
    with pytest.raises(ValueError, match="not returning an array of the correct shape"):
        gpuarray.apply_over_axes(lambda a, k: a[0, 0], gpuarray.ones((2, 2, 2)), 0)


@pytest.mark.parametrize("dtype", KINDS)
def test_select(device, dtype):
    a, b = values(dtype, (3, 4)), values("float32", (4,), 1)
    check(lambda xp, x, y: xp.select([x > 1, x < 1], [x, y]), a, b)
    check(lambda xp, x, y: xp.select([x > 1, x < 1], [x, y], y[:1]), a, b)
    check(lambda xp, x, y: xp.select([x > 1], [5], 7), a, b)


def test_select_refuses(device):
    x = gpuarray.ones(3)
    with pytest.raises(ValueError, match="same length"):
        gpuarray.select([x > 0], [x, x])
    with pytest.raises(ValueError, match="empty"):
        gpuarray.select([], [])
    with pytest.raises(TypeError, match="invalid entry 0 in condlist"):
        gpuarray.select([x], [x])


@pytest.mark.parametrize("dtype", KINDS)
def test_piecewise(device, dtype):
    host = values(dtype, (3, 4))
    functions = [lambda v: v * v, 3, lambda v: v]
    check(lambda xp, x: xp.piecewise(x, [x > 1, x < 0], functions), host)
    check(lambda xp, x: xp.piecewise(x, [x > 1, x > 2], functions[:2]), host)
    check(lambda xp, x: xp.piecewise(x, x > 1, [1]), host[0])
    check(lambda xp, x: xp.piecewise(x, [x > 1], [lambda v, k, by: v * k * by], 2, by=1), host)


def test_piecewise_refuses(device):
    x = gpuarray.ones(3)
    with pytest.raises(ValueError, match=r"with 1 condition\(s\), either 1 or 2 functions"):
        gpuarray.piecewise(x, [x > 0], [1, 2, 3])


def test_functions_that_return_several(device):
    host = np.arange(12.0).reshape(3, 4)
    check(lambda xp, a: xp.apply_along_axis(lambda v: (v.sum(), v.max()), 1, a), host)
    check(lambda xp, a: xp.apply_along_axis(lambda v: [v[0] + 1, 2.0], 0, a), host)


@pytest.mark.parametrize(
    ("condlist", "funclist"),
    [
        ([True, False, True], [1, 2]),
        ((True, False, True), [1]),
        ([1, 0, 1], [lambda v: v * 2]),
        ([np.True_, np.False_, np.True_], [5, 6]),
        ([[True, False, True], [False, True, False]], [1, 2, 3]),
        ([[[True, False], [True, True], [False, False]]], [1, 2]),
        ([True], [1]),
        ([True, False], [1, 2]),
        (True, [1, 2]),
    ],
)
def test_piecewise_by_lists(device, condlist, funclist):
    for host in (np.arange(3.0), np.arange(6.0).reshape(3, 2)):
        check(lambda xp, x: xp.piecewise(x, condlist, funclist), host)
    check(lambda xp, x: xp.piecewise(x, [True, False], [5, 6]), np.array(3.0))
    check(lambda xp, x: xp.piecewise(x, [x[:, 0] > 1], [5, 6]), np.arange(6.0).reshape(3, 2))


NUMBERS = [300, -1, -129, 2**31, 2**63, 2**64 - 1]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float32"])
def test_integers_that_do_not_fit_wrap(device, dtype, number):
    """select and choose convert Python's integers as arrays, of any number of elements."""
    for mask in ([], [True], [True, False, True]):
        mask, x = np.array(mask, bool), np.arange(len(mask)).astype(dtype)
        check(lambda xp, mask, x: xp.select([mask], [x], number), mask, x)
        if not dtype.startswith("u"):  # NumPy's select takes no int, however small, for these
            check(lambda xp, mask, x: xp.select([mask], [number], x), mask, x)
        check(lambda xp, mask, x: xp.choose(mask.astype("int8"), [x, number]), mask, x)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float32"])
def test_where_refuses_integers_that_do_not_fit(device, dtype, number):
    """NumPy refuses them since 2.5. np.add has its rule."""
    for mask in ([], [True, False, True]):
        mask, x = np.array(mask, bool), np.arange(len(mask)).astype(dtype)
        try:
            np.add(x, number)
        except OverflowError:
            given, a = gpuarray.to_device(mask), gpuarray.to_device(x)
            for operands in ((a, number), (number, a)):
                with pytest.raises(OverflowError):
                    gpuarray.where(given, *operands)
        else:
            check(lambda xp, mask, x: xp.where(mask, x, number), mask, x)
            check(lambda xp, mask, x: xp.where(mask, number, x), mask, x)


@pytest.mark.parametrize("count", [0, 3])
def test_integers_beyond_64_bits(device, count):
    mask, x = gpuarray.zeros(count, "bool"), gpuarray.zeros(count, "uint64")
    for call in (
        lambda: gpuarray.where(mask, x, 2**64),
        lambda: gpuarray.where(mask, -(2**63) - 1, x),
        lambda: gpuarray.select([mask], [x], 2**64),
    ):
        with pytest.raises(OverflowError):
            call()


def test_piecewise_refuses_integers_that_do_not_fit(device):
    check(lambda xp, x: xp.piecewise(x, [x > 1], [7, 2]), np.arange(3, dtype="int8"))
    x = gpuarray.arange(3, dtype="int8")
    with pytest.raises(OverflowError):
        gpuarray.piecewise(x, [x > 1], [300])
