# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""argmax and argmin: the first of equal elements, NaN before all."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES
from _support.samples import few, ordinary
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

NAMES = ["argmax", "argmin"]


def numpy_arg(name, host, **kwargs):
    known = host.astype(np.float32) if host.dtype == BFLOAT16 else host
    return np.asarray(getattr(np, name)(known, **kwargs))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_every_dtype(device, name, dtype):
    for host in (few(dtype), few(dtype)[::-1].copy(), ordinary(dtype, (77,))):
        assert_same(getattr(gpuarray.to_device(host), name)(), numpy_arg(name, host))


@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_every_axis_and_layout(device, name, layout):
    host = np.random.default_rng(0).integers(0, 4, (4, 5, 6)).astype(np.float32)
    x = layout(host)
    for axis in (None, 0, 1, 2, -1):
        for keepdims in (False, True):
            got = getattr(gpuarray, name)(x, axis=axis, keepdims=keepdims)
            assert_same(got, numpy_arg(name, host, axis=axis, keepdims=keepdims))


@given(data=st.data(), name=st.sampled_from(NAMES))
def test_any_view(device, data, name):
    host = data.draw(arrays(dtype=np.dtype(np.int8)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    if a.size:
        assert_same(getattr(x, name)(), numpy_arg(name, np.asarray(a)))


@pytest.mark.parametrize("size", [1, 2, 33, 1000, 100003])
@pytest.mark.parametrize("name", NAMES)
def test_first_of_equal_elements(device, name, size):
    assert getattr(gpuarray.ones(size), name)().item() == 0
    host = np.zeros(size, np.int32)
    host[size // 3 :] = 1 if name == "argmax" else -1
    assert_same(getattr(gpuarray.to_device(host), name)(), numpy_arg(name, host))


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 4096])
def test_bools_that_are_all_equal(device, size):
    ones = gpuarray.ones((3, size + 1), "bool")
    ones[:, size:] = False  # beside the rows
    assert ones[:, :size].argmin(-1).tolist() == [0, 0, 0]
    assert (~ones)[:, :size].argmax(-1).tolist() == [0, 0, 0]


@pytest.mark.parametrize("places", [(0,), (999,), (3, 700), (256, 255)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_first_nan_wins(device, name, places):
    host = np.arange(1000.0)
    host[list(places)] = np.nan
    assert getattr(gpuarray.to_device(host), name)().item() == min(places)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_beats_the_extreme(device, name, dtype):
    """All elements are the least (greatest) of the dtype: the first of them is found."""
    lowest = few(dtype)
    host = np.full(5000, lowest[numpy_arg("argmin" if name == "argmax" else "argmax", lowest)])
    host = np.where(host == host, host, host.dtype.type(0))
    for size in (1, 33, 5000):
        assert getattr(gpuarray.to_device(host[:size]), name)().item() == 0


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_infinities(device, name, infinity):
    host = np.full(3000, infinity, np.float32)
    assert getattr(gpuarray.to_device(host), name)().item() == 0
    host[2000:] = [np.nan] * 1000
    assert getattr(gpuarray.to_device(host), name)().item() == 2000


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "complex64", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_ties_in_misaligned_views(device, name, dtype):
    host = np.random.default_rng(2).integers(0, 2, (300, 301)).astype(dtype)
    x = gpuarray.to_device(host)
    for view in (np.s_[1:, 1:], np.s_[:, 1:], np.s_[::-1, ::-1], np.s_[:, ::3], np.s_[3:, :64]):
        for axis in (None, 0, 1):
            got = getattr(x[view], name)(axis=axis)
            assert_same(got, numpy_arg(name, host[view], axis=axis), what=f"{view} {axis}")


@given(data=st.data(), name=st.sampled_from(NAMES))
def test_nan_and_ties_of_long_rows(device, data, name):
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 3000)))
    host = np.random.default_rng(data.draw(st.integers(0, 9))).integers(0, 3, shape)
    host = host.astype(np.float32)
    for _ in range(data.draw(st.integers(0, 3))):
        host.flat[data.draw(st.integers(0, host.size - 1))] = np.nan
    x = gpuarray.to_device(host)
    for axis in (None, 0, 1):
        assert_same(getattr(x, name)(axis=axis), numpy_arg(name, host, axis=axis))


def test_complex_order(device):
    host = np.array([1 + 2j, 1 + 3j, complex(0, np.inf), complex(1, np.nan), 9])
    for part in (host[:3], host):
        assert_same(gpuarray.to_device(part).argmax(), numpy_arg("argmax", part))
        assert_same(gpuarray.to_device(part).argmin(), numpy_arg("argmin", part))


@pytest.mark.parametrize("name", NAMES)
def test_no_elements(device, name):
    with pytest.raises(ValueError, match=f"attempt to get {name} of an empty sequence"):
        getattr(gpuarray.zeros(0), name)()
    with pytest.raises(ValueError, match=f"attempt to get {name} of an empty sequence"):
        getattr(gpuarray.zeros((0, 3)), name)(axis=0)
    assert getattr(gpuarray.zeros((0, 3)), name)(axis=1).shape == (0,)


def test_index_dtype(device):
    assert gpuarray.ones((2, 3), np.float16).argmax(axis=0).dtype == np.int64
    assert gpuarray.ones(()).argmax().item() == 0


def test_one_axis_only(device):
    with pytest.raises(TypeError):
        gpuarray.ones((2, 3)).argmax(axis=(0, 1))
