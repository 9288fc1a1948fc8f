# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""isin, intersect1d, union1d, setdiff1d and setxor1d, against NumPy."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.numpy_names import KINDS, check, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

KIND = st.sampled_from(KINDS)
LENGTH = st.integers(0, 12)


@st.composite
def pairs(draw):
    """Two arrays of one dtype or of two, with elements in common."""
    dtype = draw(KIND)
    other = draw(st.sampled_from([dtype, dtype, "float32", "int16"]))
    a = values(dtype, (draw(LENGTH),), draw(st.integers(0, 9)), nan=0.1)
    b = values(dtype, (draw(LENGTH),), draw(st.integers(0, 9)))
    count = min(a.size, b.size) // 2
    b[:count] = a[:count]
    if np.dtype(dtype).kind != "c" and not np.isnan(b).any():
        b = b.astype(other)
    return a, b


@pytest.mark.parametrize("name", ["intersect1d", "union1d", "setdiff1d", "setxor1d"])
@given(pairs())
def test_sets(device, name, pair):
    check(lambda xp, a, b: getattr(xp, name)(a, b), *pair, exact=True)


@pytest.mark.parametrize("name", ["intersect1d", "setdiff1d", "setxor1d"])
@given(pairs())
def test_sets_of_distinct_elements(device, name, pair):
    hosts = [np.unique(host) for host in pair]
    check(lambda xp, a, b: getattr(xp, name)(a, b, assume_unique=True), *hosts, exact=True)


@given(pairs())
def test_where_common_elements_are(device, pair):
    check(lambda xp, a, b: xp.intersect1d(a, b, return_indices=True), *pair, exact=True)
    hosts = [np.unique(host) for host in pair]
    check(lambda xp, a, b: xp.intersect1d(a, b, True, True), *hosts, exact=True)


@given(pairs(), st.booleans())
def test_isin(device, pair, invert):
    a, b = pair
    check(lambda xp, x, y: xp.isin(x, y, invert=invert), a, b)
    check(lambda xp, x: xp.isin(x, [1, 2.5], invert=invert), a.reshape(-1, 1))
    check(lambda xp, x: xp.isin(x, 3), a)
    check(lambda xp, x: xp.isin(2, x), b)
    assert_same(gpuarray.isin(gpuarray.to_device(a), b), np.isin(a, b))  # a parameter


def test_several_dimensions(device):
    a, b = values("int32", (3, 4)), values("int32", (2, 3), 1)
    for name in ("isin", "intersect1d", "union1d", "setdiff1d", "setxor1d"):
        check(lambda xp, x, y, name=name: getattr(xp, name)(x, y), a, b)


def test_refuses(device):
    x = gpuarray.arange(3)
    with pytest.raises(ValueError, match="invalid kind: 'tree'"):
        gpuarray.isin(x, x, kind="tree")
    for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
        with pytest.raises(TypeError, match="to_device"):
            getattr(gpuarray, name)(x, np.arange(3))
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.isin(np.arange(3), x)


@pytest.mark.parametrize("kinds", ["int8 int64", "bool uint8", "float64 int8", "int8 float32"])
def test_tables_are_for_integers(device, kinds):
    a, tests = (values(kind, (5,)) for kind in kinds.split())
    check(lambda xp, a, tests: xp.isin(a, tests, kind="table"), a, tests)
