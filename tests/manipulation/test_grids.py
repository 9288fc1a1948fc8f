# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Ranges, and the coordinates and indices of grids, against NumPy's."""

import numpy as np
import pytest
from _support.compare import assert_same
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

VECTORS = st.lists(st.integers(0, 4).map(np.arange), max_size=4)


def close(got, expected):
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.get(), expected, rtol=1e-14, atol=1e-14)


@given(VECTORS, st.sampled_from(["xy", "ij"]), st.booleans(), st.booleans())
def test_meshgrid(device, vectors, indexing, sparse, copy):
    kwargs = {"indexing": indexing, "sparse": sparse, "copy": copy}
    xs = [gpuarray.to_device(vector) for vector in vectors]
    got, expected = gpuarray.meshgrid(*xs, **kwargs), np.meshgrid(*vectors, **kwargs)
    assert isinstance(got, tuple)
    for a, b in zip(got, expected, strict=True):
        assert_same(a, b)


def test_meshgrid_copies_or_views(device):
    x, y = gpuarray.arange(3), gpuarray.arange(2)
    made = gpuarray.meshgrid(x, y)[0]
    made[...] = 5
    assert x.tolist() == [0, 1, 2]
    assert gpuarray.meshgrid(x, y, copy=False)[0].ptr == x.ptr
    with pytest.raises(ValueError, match="'xy' or 'ij', got 'ji'"):
        gpuarray.meshgrid(x, indexing="ji")


def test_indices(device):
    for shape in [(), (3,), (2, 3), (2, 0, 2)]:
        assert_same(gpuarray.indices(shape), np.indices(shape))
        parts = gpuarray.indices(shape, "int32", sparse=True)
        for a, b in zip(parts, np.indices(shape, "int32", sparse=True), strict=True):
            assert_same(a, b)
    got = gpuarray.fromfunction(lambda i, j, by: i * by + j, (2, 3), by=10)
    assert_same(got, np.fromfunction(lambda i, j: i * 10 + j, (2, 3)))


def test_ix(device):
    x = gpuarray.arange(12).reshape(3, 4)
    for pair in (([0, 2], [1, 3]), ([True, False, True], [2]), ([], [1])):
        got, expected = gpuarray.ix_(*pair), np.ix_(*pair)
        for a, b in zip(got, expected, strict=True):
            assert_same(a, b)
        assert_same(x[got], x.get()[expected])
    with pytest.raises(ValueError, match="one dimension"):
        gpuarray.ix_([[1]])


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple), st.data())
def test_flat_and_multiple_indices(device, shape, data):
    order = data.draw(st.sampled_from("CF"))
    flat = np.array(data.draw(st.lists(st.integers(0, np.prod(shape) - 1), max_size=6)), int)
    x = gpuarray.to_device(flat)
    got, expected = (m.unravel_index(a, shape, order) for m, a in ((gpuarray, x), (np, flat)))
    for a, b in zip(got, expected, strict=True):
        assert_same(a, b)
    assert_same(gpuarray.ravel_multi_index(got, shape, order=order), flat)
    beyond = [np.array([-7, 3, 11])] * len(shape)
    modes = tuple(data.draw(st.sampled_from(["wrap", "clip"])) for _ in shape)
    assert_same(
        gpuarray.ravel_multi_index(
            [gpuarray.to_device(part) for part in beyond], shape, modes, order
        ),
        np.ravel_multi_index(beyond, shape, modes, order),
    )


def test_indices_out_of_range(device):
    x = gpuarray.to_device([0, 6])
    with pytest.raises(ValueError, match="out of bounds for array with size 6"):
        gpuarray.unravel_index(x, (2, 3))
    with pytest.raises(ValueError, match="invalid entry"):
        gpuarray.ravel_multi_index((x, x), (2, 9))
    with pytest.raises(TypeError, match="expected integers"):
        gpuarray.unravel_index(x * 1.0, (9, 9))
    with pytest.raises(ValueError, match="got 1 indices for 2"):
        gpuarray.ravel_multi_index((x,), (9, 9))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace_between_arrays(device, axis, endpoint):
    start, stop = np.array([0.0, 1.0, -2.0]), np.array([[10.0], [1.0]])
    for num in (0, 1, 5):
        expected = np.linspace(start, stop, num, endpoint, axis=axis)
        x, y = gpuarray.to_device(start), gpuarray.to_device(stop)
        close(gpuarray.linspace(x, y, num, endpoint, axis=axis), expected)
    got, step = gpuarray.linspace(gpuarray.to_device(start), 4, 5, retstep=True)
    expected, expected_step = np.linspace(start, 4, 5, retstep=True)
    close(got, expected)
    close(step, expected_step)


def test_linspace_of_narrow_floats(device):
    narrow = np.array([1, 2], np.float32)
    x = gpuarray.to_device(narrow)
    for args in ((x, 2), (0, x), (x, x * 2)):
        host = [a.get() if isinstance(a, gpuarray.GPUArray) else a for a in args]
        close(gpuarray.linspace(*args, 5), np.linspace(*host, 5))
    for args in ((np.float32(0), np.float32(1)), (np.float32(0.1), 1)):
        close(gpuarray.linspace(*args, 3), np.linspace(*args, 3))


LOGARITHMIC = [
    ((0, 3), {}),
    ((0, 3, 4), {"endpoint": False}),
    ((0, 3, 4), {"base": 2}),
    ((1, 2, 1), {}),
    ((1, 2, 0), {}),
    ((0, 3, 4), {"dtype": "int32", "base": 2}),
    ((1j, 2, 3), {}),
]


@pytest.mark.parametrize(("args", "kwargs"), LOGARITHMIC, ids=str)
def test_logspace(device, args, kwargs):
    close(gpuarray.logspace(*args, **kwargs), np.logspace(*args, **kwargs))


GEOMETRIC = [
    ((1, 1000, 4), {}),
    ((1000, 1, 4), {}),
    ((-1, -1000, 4), {}),
    ((1, 256, 9), {"endpoint": False}),
    ((1, 1000, 4), {"dtype": "float32"}),
    ((1j, 1000j, 4), {}),
    ((-1 + 0j, 1, 5), {}),
    ((2, 3, 1), {}),
    ((2, 3, 0), {}),
]


@pytest.mark.parametrize(("args", "kwargs"), GEOMETRIC, ids=str)
def test_geomspace(device, args, kwargs):
    got, expected = gpuarray.geomspace(*args, **kwargs), np.geomspace(*args, **kwargs)
    close(got, expected)
    if expected.size > 1 and kwargs.get("endpoint", True):
        assert got[0].item() == expected[0]
        assert got[-1].item() == expected[-1]


def test_logarithmic_ranges_between_arrays(device):
    start, stop, base = np.array([1.0, 2.0]), np.array([[3.0], [4.0]]), np.array([2.0, 10.0])
    x, y, b = map(gpuarray.to_device, (start, stop, base))
    close(gpuarray.logspace(x, y, 4), np.logspace(start, stop, 4))
    close(
        gpuarray.logspace(x, y, 4, base=b, axis=-1), np.logspace(start, stop, 4, base=base, axis=-1)
    )
    close(gpuarray.geomspace(x, y, 4), np.geomspace(start, stop, 4))
    close(gpuarray.geomspace(x, 100, 3, axis=1), np.geomspace(start, 100, 3, axis=1))
    with pytest.raises(ValueError, match="include zero"):
        gpuarray.geomspace(0, 1)
    with pytest.raises(ValueError, match="non-negative"):
        gpuarray.geomspace(1, 2, -1)


def test_indices_of_the_host(device):
    for where in ([1, 7], (1, 7), [[1], [7]], np.array([1, 7], np.uint8), np.int64(7), 7):
        for got, expected in zip(
            gpuarray.unravel_index(where, (3, 4)), np.unravel_index(where, (3, 4)), strict=True
        ):
            assert_same(got, np.asarray(expected))
    for where in ([[1, 2], [0, 1]], ([1, 2], 3), np.array([[1, 2], [0, 1]]), [[1, 2], [[0], [1]]]):
        got = gpuarray.ravel_multi_index(where, (3, 4))
        assert_same(got, np.asarray(np.ravel_multi_index(where, (3, 4))))
    mixed = gpuarray.ravel_multi_index(([1, 2], gpuarray.to_device([0, 1])), (3, 4))
    assert mixed.tolist() == [4, 9]
    for where in ([1.0], [], np.array([1.0])):
        with pytest.raises(TypeError, match="integers"):
            gpuarray.unravel_index(where, (3, 4))
        with pytest.raises(TypeError, match="integers"):
            gpuarray.ravel_multi_index((where, where), (3, 4))
