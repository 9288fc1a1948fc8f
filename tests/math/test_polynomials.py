# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""polyval, vander and arithmetic of coefficients, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import KINDS, check, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

KIND = st.sampled_from(KINDS)
LENGTH = st.integers(1, 6)


def coefficients(dtype, length, seed=0):
    """Without a leading zero, which NumPy leaves out."""
    made = values(dtype, (length,), seed)
    made[0] = 1
    return made


@given(KIND, KIND, st.integers(0, 5))
def test_polyval(device, dtype, other, length):
    p, x = values(dtype, (length,)), values(other, (3, 2))
    if "bool" not in (dtype, other):
        check(lambda xp, a, b: xp.polyval(a, b), p, x)
        check(lambda xp, b: xp.polyval([2, -1.5, 3], b), x)
        check(lambda xp, b: xp.polyval([], b), x)
        check(lambda xp, a: xp.polyval(a, 2), p)


@given(KIND, KIND, LENGTH, LENGTH)
def test_sums_and_products(device, dtype, other, n, m):
    a, b = coefficients(dtype, n), coefficients(other, m, 1)
    check(lambda xp, p, q: xp.polyadd(p, q), a, b)
    if "bool" not in (dtype, other):
        check(lambda xp, p, q: xp.polysub(p, q), a, b)
    check(lambda xp, p, q: xp.polymul(p, q), a, b)


@given(KIND, LENGTH, st.integers(0, 3))
def test_derivatives_and_integrals(device, dtype, length, order):
    p = values(dtype, (length,))
    check(lambda xp, a: xp.polyder(a, order), p)
    check(lambda xp, a: xp.polyint(a, order), p)
    check(lambda xp, a: xp.polyint(a, order, 2.5), p)
    check(lambda xp, a: xp.polyint(a, 2, [1, 2]), p)


@given(KIND, st.integers(0, 5), st.sampled_from([None, 0, 1, 4]), st.booleans())
def test_vander(device, dtype, length, count, increasing):
    check(lambda xp, x: xp.vander(x, count, increasing), values(dtype, (length,)))


def test_refuses(device):
    x = gpuarray.ones((2, 2))
    for call in (gpuarray.vander, gpuarray.polyder, lambda p: gpuarray.polymul(p, p)):
        with pytest.raises(ValueError, match="dimension"):
            call(x)
    with pytest.raises(ValueError, match="must be positive"):
        gpuarray.polyder(x[0], -1)
    with pytest.raises(ValueError, match="of length 3"):
        gpuarray.polyint(x[0], 3, [1, 2])
    with pytest.raises(TypeError, match=r"polyval: expected a GPUArray, got numpy.ndarray"):
        gpuarray.polyval(np.ones(3), x)
