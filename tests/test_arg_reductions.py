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


@pytest.mark.parametrize("places", [(0,), (999,), (3, 700), (256, 255)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_first_nan_wins(device, name, places):
    host = np.arange(1000.0)
    host[list(places)] = np.nan
    assert getattr(gpuarray.to_device(host), name)().item() == min(places)


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
