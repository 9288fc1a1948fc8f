# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Comparison of one expression on NumPy's arrays and on a device's."""

import numpy as np
from hypothesis import strategies as st

import gpuarray

from .compare import host

# The relative precision, by bytes of a real number, that any order of a few additions keeps.
_RELATIVE = {2: 2e-2, 4: 1e-5, 8: 1e-12}


def check(function, *hosts, exact=False, scale=0.0):
    """Assert that `function(xp, *arrays)` gives on the device what it gives on NumPy's arrays.

    Dtypes, shapes and tuples are the same. Elements are equal with `exact`, else close relative to
    the largest element of the result and the arguments, or to `scale`. Where NumPy raises, so does
    it.
    """
    arrays = [gpuarray.to_device(h) if isinstance(h, np.ndarray) else h for h in hosts]
    scale = max([scale, *map(_largest, hosts)])
    with np.errstate(all="ignore"):
        try:
            expected = function(np, *hosts)
        except (TypeError, ValueError, RuntimeError, IndexError) as error:
            refused(type(error), function, *arrays)
            return
        compare(function(gpuarray, *arrays), expected, exact=exact, scale=scale)


def refused(kind, function, *arrays):
    try:
        got = function(gpuarray, *arrays)
    except kind:
        return
    raise AssertionError(f"got {got!r}, expected {kind.__name__}")


def _largest(array):
    array = np.asarray(array)
    return float(np.abs(array[np.isfinite(array)].astype(np.complex128)).max(initial=0))


def compare(got, expected, *, exact=False, scale=0.0):
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected), f"{len(got)} results, expected {len(expected)}"
        for one, wanted in zip(got, expected, strict=True):
            compare(one, wanted, exact=exact, scale=scale)
        return
    if not isinstance(got, gpuarray.GPUArray):
        assert type(got) is type(expected)
        assert got == expected
        return
    got, expected = host(got), np.asarray(expected)
    assert got.dtype == expected.dtype, f"dtype {got.dtype}, expected {expected.dtype}"
    assert got.shape == expected.shape, f"shape {got.shape}, expected {expected.shape}"
    if exact or got.dtype.kind in "biu":
        equal_nan = got.dtype.kind in "fc"
        assert np.array_equal(got, expected, equal_nan=equal_nan), f"{got}, expected {expected}"
        return
    size = got.dtype.itemsize // (2 if got.dtype.kind == "c" else 1)
    largest = max(_largest(expected), scale)
    near = np.isclose(
        got, expected, rtol=_RELATIVE[size], atol=_RELATIVE[size] * largest, equal_nan=True
    )
    assert near.all(), f"{got}, expected {expected}"


def place_but_for_nan(name, a, axis=None, keepdims=False):
    """Return what `name`, nanargmax or nanargmin, gives: -1 where all elements are NaN.

    NumPy's takes an infinity for NaN, and raises where all are.
    """
    numbers = ~np.isnan(a)
    ranks = np.full(a.shape, -a.size)
    ranks[numbers] = np.unique(a[numbers], return_inverse=True)[1]
    if name == "nanargmin":
        ranks[numbers] *= -1
    places = np.argmax(ranks, axis, keepdims=keepdims)
    return np.where(numbers.any(axis, keepdims=keepdims), places, -1)


KINDS = ["bool", "int8", "int32", "int64", "uint8", "uint64"]
KINDS += ["float16", "float32", "float64", "complex64", "complex128"]
INEXACT = KINDS[6:]
REAL = KINDS[:9]


def values(dtype, shape, seed=0, nan=0.0):
    """Return small numbers of a dtype, of which a share `nan` is NaN."""
    random = np.random.default_rng([seed, *shape])
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(random.random(shape) < 0.5)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -6
        return np.asarray(random.integers(low, 9, shape)).astype(dtype)
    made = np.round(random.normal(size=shape) * 3, 2)
    if dtype.kind == "c":
        made = made + 1j * np.round(random.normal(size=shape) * 3, 2)
    made = np.asarray(made).astype(dtype)
    return np.where(random.random(shape) < nan, dtype.type(np.nan), made)


@st.composite
def cases(draw, kinds=KINDS, least_ndim=1, nan=0.0, sides=5):
    """Draw an array of small numbers and one of its axes."""
    shape = tuple(
        draw(st.lists(st.integers(0, sides), min_size=least_ndim, max_size=max(3, least_ndim)))
    )
    made = values(draw(st.sampled_from(kinds)), shape, draw(st.integers(0, 99)), nan)
    if draw(st.booleans()):
        made = made[(slice(None, None, draw(st.sampled_from([-1, 2]))),) * made.ndim]
    axis = draw(st.integers(-made.ndim, made.ndim - 1)) if made.ndim else 0
    return made, axis
