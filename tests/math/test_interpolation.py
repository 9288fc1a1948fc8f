# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""interp, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import REAL, check, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

DTYPES = [dtype for dtype in REAL if dtype != "bool"]


def points(dtype, length):
    """Ascending, and values at them."""
    steps = np.random.default_rng(length).integers(1, 4, length)
    return np.cumsum(steps).astype(dtype) - np.dtype(dtype).type(1)


@given(st.sampled_from(DTYPES), st.sampled_from([*DTYPES, "complex128"]), st.integers(1, 8))
def test_interp(device, dtype, of_values, length):
    xp, fp = points(dtype, length), values(of_values, (length,), 1)
    x = np.concatenate([np.linspace(-3, 30, 40), xp.astype(float), [np.nan, np.inf, -np.inf]])
    check(lambda m, x, a, b: m.interp(x, a, b), x, xp, fp)
    check(lambda m, x, a, b: m.interp(x, a, b, left=-7, right=9.5), x.reshape(-1, 1), xp, fp)
    check(lambda m, a, b: m.interp(2.5, a, b), xp, fp)


@given(st.integers(1, 8), st.sampled_from([5.5, 17, -40.25]))
def test_periods(device, length, period):
    xp = np.random.default_rng(length).random(length) * 100
    fp, x = values("float64", (length,)), np.linspace(-50, 50, 101)
    check(lambda m, x, a, b: m.interp(x, a, b, period=period), x, xp, fp)


def test_values_that_are_not_finite(device):
    xp, fp = np.arange(5.0), np.array([1, np.inf, 3, np.nan, -np.inf])
    x = np.linspace(0, 4, 17)
    check(lambda m, x, a, b: m.interp(x, a, b), x, xp, fp)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: gpuarray.interp(x, x, x[1:]), ValueError, "not of the same length"),
        (lambda x: gpuarray.interp(x, x[:0], x[:0]), ValueError, "sample points is empty"),
        (lambda x: gpuarray.interp(x, x[None], x), ValueError, "1-D"),
        (lambda x: gpuarray.interp(x, x, x, period=0), ValueError, "non-zero"),
        (lambda x: gpuarray.interp(x, x, x, right=[1]), TypeError, "right must be a .*, got list"),
        (lambda x: gpuarray.interp(x, x, x, left="a"), TypeError, "left must be a .*, got str"),
        (lambda x: gpuarray.interp(x, x, x, period="a"), TypeError, "period must be a .* got str"),
        (lambda x: gpuarray.interp(x, x * 1j, x), TypeError, "xp must be real"),
        (lambda x: gpuarray.interp(np.ones(1), x, x), TypeError, "interp: x: expected a GPUArray"),
    ],
)
def test_refuses(device, call, kind, message):
    with pytest.raises(kind, match=message):
        call(gpuarray.arange(4.0))


def test_real_numbers_only(device):
    row = np.arange(3.0)
    check(lambda xp, a: xp.interp(a + 1j, a, a), row)
    check(lambda xp, a: xp.interp(1j, a, a), row)
    check(lambda xp, a: xp.interp(-1, a, a, left=1j), row)
    check(lambda xp, a: xp.interp(5, a, a, right=1j), row)
    check(lambda xp, a: xp.interp(-1, a, a * 1j, left=1j), row)
    check(lambda xp, a: xp.interp(np.True_, a, a), row)
    check(lambda xp, a: xp.digitize(a, a * 1j), row)
    check(lambda xp, a: xp.digitize(a, [1j, 2j]), row)
    check(lambda xp, a: xp.digitize(a * 1j, a), row)
