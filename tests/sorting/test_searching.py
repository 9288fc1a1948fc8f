# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""searchsorted and digitize, compared with NumPy."""

import numpy as np
import pytest
from _support.dtypes import BFLOAT16
from _support.special_values import DTYPES, REAL, sample
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

SIDES = ["left", "right"]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("length", [0, 1, 5, 3000, 40000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted(device, dtype, length, side):
    few = length < 100
    x, v = np.sort(sample(dtype, length, 1, few)), sample(dtype, (30, 7), 2, few)
    found = gpuarray.searchsorted(gpuarray.to_device(x), gpuarray.to_device(v), side)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side))


@pytest.mark.parametrize("side", SIDES)
def test_many_queries(device, side):
    x, v = np.sort(sample("float32", 70000, 1, few=False)), sample("float32", 9000, 2, few=False)
    found = gpuarray.searchsorted(gpuarray.to_device(x), gpuarray.to_device(v), side)
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side))


# Of the search of many queries by a tree: bytes of pivots in a block, of a node, and the queries.
PIVOTS, NODE, QUERIES = 48 << 10, 64, 1 << 14


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("beyond", [0, 1])
@pytest.mark.parametrize(
    ("dtype", "levels"),
    [
        *((dtype, levels) for dtype in DTYPES for levels in (0, 1)),
        *(("float64", 2), ("complex128", 2), ("complex128", 3)),
    ],
)
def test_many_queries_in_a_long_array(device, dtype, levels, beyond, side):
    itemsize = np.dtype(dtype).itemsize
    length = PIVOTS // itemsize * (NODE // itemsize) ** levels + beyond
    x = np.sort(sample(dtype, length, 1, few=False))
    v = sample(dtype, max(QUERIES, length // 64) + 1, 2, few=False)
    found = gpuarray.searchsorted(gpuarray.to_device(x), gpuarray.to_device(v), side)
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side))


@given(
    dtype=st.sampled_from(["float32", "int64", "float64", "complex64", "complex128"]),
    length=st.integers(1, 7000) | st.integers(7001, 70000) | st.integers(70001, 400000),
    count=st.integers(QUERIES - 1, QUERIES + 2000),
    seed=st.integers(0, 2**32 - 1),
    few=st.booleans(),
    start=st.integers(0, 3),
    side=st.sampled_from(SIDES),
    has_sorter=st.booleans(),
)
def test_many_queries_match_numpy(device, dtype, length, count, seed, few, start, side, has_sorter):
    x, v = sample(dtype, length, seed, few), sample(dtype, count, seed + 1, few)
    order = np.argsort(x, kind="stable")
    if not has_sorter:
        x, order = x[order], None
    padded = np.concatenate([np.zeros(start, dtype), x])
    found = gpuarray.searchsorted(
        gpuarray.to_device(padded)[start:],
        gpuarray.to_device(v),
        side,
        None if order is None else gpuarray.to_device(order),
    )
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side, order))


@pytest.mark.parametrize("side", SIDES)
def test_many_equal_elements(device, side):
    x = np.repeat(np.array([-1, 0, 3], "float64"), 40000)
    v = np.tile(np.array([-2, -1, -0.5, 0, 3, 4, np.nan]), 3000)
    found = gpuarray.searchsorted(gpuarray.to_device(x), gpuarray.to_device(v), side)
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side))


@pytest.mark.cuda
def test_many_queries_by_a_wrong_sorter_harm_nothing(cuda):
    x = gpuarray.arange(100000.0)
    order = gpuarray.to_device(np.random.default_rng(0).integers(-(2**60), 2**60, 100000))
    for elements, sorter in ((x, order), (gpuarray.flip(x).copy(), None)):
        found = gpuarray.searchsorted(elements, gpuarray.arange(-1.0, 20000.0), sorter=sorter).get()
        assert ((found >= 0) & (found <= 100000)).all()
    np.testing.assert_array_equal(x.get(), np.arange(100000.0))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("other", ["int8", "float64", "uint64", "complex64"])
def test_dtypes_are_joined(device, other, side):
    x, v = np.sort(sample("int32", 100)), sample(other, 50)
    found = gpuarray.searchsorted(gpuarray.to_device(x), gpuarray.to_device(v), side)
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side))


@pytest.mark.parametrize("side", SIDES)
def test_sorter(device, side):
    x, v = sample("float32", 500, few=False), sample("float32", 60, 4, few=False)
    order = np.argsort(x)
    found = gpuarray.searchsorted(
        gpuarray.to_device(x), gpuarray.to_device(v), side, gpuarray.to_device(order)
    )
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side, order))


def test_a_sorter_of_the_host(device):
    a = gpuarray.to_device([3.0, 1.0, 2.0])
    for sorter in ([1, 2, 0], (1, 2, 0), np.array([1, 2, 0])):
        assert gpuarray.searchsorted(a, [1.5, 3], sorter=sorter).tolist() == [1, 2]
    with pytest.raises(TypeError, match="sorter must be integers"):
        gpuarray.searchsorted(a, 1, sorter=[1.0, 2.0, 0.0])


@pytest.mark.cuda
def test_a_sorter_out_of_bounds_harms_nothing(cuda):
    a, order = gpuarray.arange(5.0), gpuarray.to_device(np.array([0, 2**50, -(2**50), 5, -1]))
    found = gpuarray.searchsorted(a, gpuarray.arange(-1.0, 6.0), sorter=order).get()
    assert ((found >= 0) & (found <= 5)).all()
    np.testing.assert_array_equal(a.get(), np.arange(5.0))


@pytest.mark.parametrize("value", [2, 2.5, -1.0, np.float32(0.1), True])
def test_numbers(device, value):
    x = np.array([0.1, 1, 2, 2, 3], "float32")
    found = gpuarray.searchsorted(gpuarray.to_device(x), value)
    assert found.shape == ()
    assert int(found) == np.searchsorted(x, value)


def test_views(device):
    x, v = np.arange(100.0), sample("float64", (6, 8), 3)
    a, b = gpuarray.to_device(x)[::3], gpuarray.to_device(v).T[1:]
    np.testing.assert_array_equal(
        gpuarray.searchsorted(a, b).get(), np.searchsorted(x[::3], v.T[1:])
    )


def test_errors(device):
    a = gpuarray.zeros(3)
    with pytest.raises(ValueError, match="side must be"):
        gpuarray.searchsorted(a, 1, "middle")
    with pytest.raises(ValueError, match="one dimension"):
        gpuarray.searchsorted(gpuarray.zeros((2, 2)), 1)
    with pytest.raises(TypeError, match="sorter must be integers"):
        gpuarray.searchsorted(a, 1, sorter=gpuarray.zeros(3))
    with pytest.raises(ValueError, match="sorter has 2 elements"):
        gpuarray.searchsorted(a, 1, sorter=gpuarray.zeros(2, "int64"))
    with pytest.raises(TypeError, match="expected a GPUArray"):
        gpuarray.searchsorted(a, np.zeros(2))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[0, 1, 4], [4, 1, 0], [1, 1, 3], [2], [3, 3]])
@pytest.mark.parametrize("dtype", REAL)
def test_digitize(device, dtype, bins, right):
    x = sample(dtype, (20, 3))
    edges = np.array(bins, "float64")
    found = gpuarray.digitize(gpuarray.to_device(x), gpuarray.to_device(edges), right)
    np.testing.assert_array_equal(found.get(), np.digitize(x, edges, right))


def test_digitize_errors(device):
    a = gpuarray.zeros(3)
    with pytest.raises(ValueError, match="monotonically"):
        gpuarray.digitize(a, gpuarray.to_device(np.array([1.0, 3, 2])))
    with pytest.raises(TypeError, match="complex"):
        gpuarray.digitize(a.astype("complex64"), a)


WITH_NAN = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def sorted_with_nan(dtype, nans):
    numbers = np.array([-np.inf, -2, -0.0, 0.0, 1, 1, 3, np.inf][: 8 - nans] + [np.nan] * nans)
    return numbers.astype(BFLOAT16 if dtype == "bfloat16" else dtype)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("nans", [0, 1, 3, 8])
@pytest.mark.parametrize("dtype", WITH_NAN)
def test_nan_comes_last(device, dtype, nans, side):
    x, v = sorted_with_nan(dtype, nans), sorted_with_nan(dtype, 2)[::-1].copy()
    wide = (lambda a: a.astype(np.float32)) if dtype == "bfloat16" else np.asarray
    expected = np.searchsorted(wide(x), wide(v), side)
    a, b = gpuarray.to_device(x), gpuarray.to_device(v)
    np.testing.assert_array_equal(gpuarray.searchsorted(a, b, side).get(), expected)
    order = np.random.default_rng(0).permutation(8)
    shuffled, sorter = np.empty_like(x), np.argsort(order)
    shuffled[sorter] = x
    found = gpuarray.searchsorted(gpuarray.to_device(shuffled), b, side, gpuarray.to_device(sorter))
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("side", SIDES)
def test_complex_numbers_with_nan_in_a_part(device, side):
    nan = np.nan
    x = np.sort(np.array([1, 1j, complex(nan, 1), complex(1, nan), complex(nan, nan), 2 + 1j]))
    found = gpuarray.searchsorted(gpuarray.to_device(x), gpuarray.to_device(x[::-1].copy()), side)
    np.testing.assert_array_equal(found.get(), np.searchsorted(x, x[::-1], side))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(
    "edges",
    [
        [np.nan] * 4,
        [np.nan],
        [],
        [1, 2, np.nan],
        [1, 2, np.nan, np.nan],
        [np.nan, 2, 1],
        [np.nan, np.nan, 3, 1],
        [1, 1, 1],
        [3, 3, 1, 1],
    ],
    ids=str,
)
def test_digitize_with_nan(device, edges, right):
    x = np.array([0, 1, 1.5, 2, 3, 9, np.nan, np.inf, -np.inf])
    found = gpuarray.digitize(gpuarray.to_device(x), gpuarray.to_device(np.array(edges)), right)
    np.testing.assert_array_equal(found.get(), np.digitize(x, np.array(edges), right))


@pytest.mark.parametrize("edges", [[np.nan, 1, 2], [1, 1, np.nan, 2, 3], [1, 3, 2]], ids=str)
def test_edges_in_no_order(device, edges):
    with pytest.raises(ValueError, match="monotonically"):
        np.digitize([1.0], edges)
    with pytest.raises(ValueError, match="monotonically"):
        gpuarray.digitize(gpuarray.ones(1), gpuarray.to_device(np.array(edges)))
