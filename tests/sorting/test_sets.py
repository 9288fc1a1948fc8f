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


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("tests", [[], [True], [False], [True, False, True]], ids=str)
def test_isin_of_bools(device, tests, invert):
    a, b = np.array([[True, False, True], [False, False, True]]), np.array(tests, bool)
    check(lambda xp, x, y: xp.isin(x, y, invert=invert), a, b)
    check(lambda xp, x, y: xp.isin(x[:, ::-2], y[::-1], invert=invert), a, b)


@given(pairs(), st.booleans())
def test_isin(device, pair, invert):
    a, b = pair
    check(lambda xp, x, y: xp.isin(x, y, invert=invert), a, b)
    check(lambda xp, x: xp.isin(x, [1, 2.5], invert=invert), a.reshape(-1, 1))
    check(lambda xp, x: xp.isin(x, 3), a)
    check(lambda xp, x: xp.isin(2, x), b)
    assert_same(gpuarray.isin(gpuarray.to_device(a), b), np.isin(a, b))  # a parameter


@pytest.mark.parametrize("invert", [False, True])
@given(st.data())
def test_isin_compares_wide_integers_by_value(device, invert, data):
    """Where NumPy sorts int64 and uint64, it compares them as float64."""
    near = st.sampled_from([0, 2**53, 2**59, 2**63]).flatmap(
        lambda power: st.integers(power - 2, power + 2)
    )
    signed = near.flatmap(lambda x: st.sampled_from([x, -x]))
    kinds = data.draw(st.permutations(["int64", "uint64"])), ["uint64"] * 2, ["int64"] * 2
    kinds = data.draw(st.sampled_from([*kinds, ["int8", "uint64"], ["uint64", "int8"]]))
    hosts = []
    for kind in kinds:
        info, numbers = np.iinfo(kind), near if kind == "uint64" else signed
        drawn = data.draw(st.lists(numbers, max_size=40))
        hosts.append(np.array([min(max(x, info.min), info.max) for x in drawn], kind))
    elements, tests = hosts
    expected = [(x in tests.tolist()) != invert for x in elements.tolist()]
    a, b = map(gpuarray.to_device, hosts)
    assert gpuarray.isin(a, b, invert=invert).tolist() == expected
    assert gpuarray.isin(a, tests, invert=invert).tolist() == expected
    assert gpuarray.setdiff1d(a, b).tolist() == sorted({*elements.tolist()} - {*tests.tolist()})


def test_isin_of_numbers_and_neighbours(device):
    a = gpuarray.to_device(np.uint64([2**59]))
    assert gpuarray.isin([2**59 + 1, 2**59], a).tolist() == [False, True]
    assert gpuarray.isin(a, [2**59 + 1]).tolist() == [False]


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
