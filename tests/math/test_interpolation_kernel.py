# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""interp as one kernel gives the bits of the operations that it is composed of."""

import numpy as np
import pytest
from _support.fused import check_one_pass as check
from _support.layouts import ALL, contiguous

import gpuarray

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, 5e-324]


def places(shape=(9, 31), dtype="float64"):
    made = np.random.default_rng(3).uniform(-2, 22, shape)
    made.flat[: len(SPECIAL)] = SPECIAL
    made.flat[len(SPECIAL) : 60] = np.arange(60 - len(SPECIAL)) % 20
    with np.errstate(over="ignore", invalid="ignore"):
        return made.astype(dtype)


def points(length, dtype="float64"):
    random = np.random.default_rng(length)
    xp = np.sort(random.integers(0, 20, length)).astype("float64")  # some of them are the same
    fp = (random.normal(size=length) * 8).astype(dtype)
    fp[random.random(length) < 0.1] = np.inf
    fp[random.random(length) < 0.1] = np.nan
    fp[random.random(length) < 0.1] = -0.0
    if fp.dtype.kind == "c":
        fp.imag = random.normal(size=length)
    return contiguous(xp), contiguous(fp)


@pytest.mark.parametrize("length", [1, 2, 3, 8, 31, 100])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_points(device, dtype, length):
    x, (xp, fp) = contiguous(places()), points(length, dtype)
    check(lambda: gpuarray.interp(x, xp, fp), device)
    check(lambda: gpuarray.interp(x, xp, fp, left=-7, right=np.nan), device)
    check(lambda: gpuarray.interp(x, xp, fp, right=-0.0), device)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "uint64", "bool"])
def test_dtypes(device, dtype):
    x = contiguous(places(dtype=dtype) if "float" in dtype else np.arange(40).astype(dtype))
    for of_points, of_values in (("float64", "float64"), ("int32", "float32")):
        xp, fp = points(12)
        xp, fp = xp.astype(of_points), fp.astype(of_values)
        wide = of_points != "float64" or of_values != "float64"
        check(lambda p=xp, f=fp: gpuarray.interp(x, p, f), device, taken=not wide)


@pytest.mark.parametrize("layout", ALL)
def test_layouts(device, layout):
    x, xp, fp = layout(places()), layout(points(20)[0].get()), layout(points(20)[1].get())
    check(lambda: gpuarray.interp(x, xp, fp), device)


def test_points_that_are_not_numbers(device):
    xp = contiguous(np.array([-np.inf, 0, 1, 5, np.inf, np.nan, np.nan]))
    fp = contiguous(np.arange(7.0))
    check(lambda: gpuarray.interp(contiguous(places()), xp, fp), device)


def test_other_calls_are_composed(device):
    x, (xp, fp) = contiguous(places()), points(9)
    check(lambda: gpuarray.interp(x, xp, fp, period=7.5), device, taken=False)
    check(lambda: gpuarray.interp(2.5, xp, fp), device, taken=False)
    check(lambda: gpuarray.interp(x, xp, fp, left=np.float32(2)), device, taken=False)
