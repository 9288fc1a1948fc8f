# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""mean, var and std, against NumPy in higher precision."""

import numpy as np
import pytest
from _support.dtypes import BFLOAT16, DTYPES, kind
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gpuarray

NAMES = ["mean", "var", "std"]
AXES = [None, 0, 1, -1, (0, 2), (0, 1, 2), ()]


def tolerance(dtype):
    dtype = np.dtype(dtype)
    if dtype == BFLOAT16:
        return 1e-2
    return {2: 1e-3, 4: 1e-6, 8: 1e-12}[np.zeros(0, dtype).real.dtype.itemsize]


def numbers(dtype, shape, seed=7):
    rng = np.random.default_rng(seed)
    if kind(dtype) in "bui":
        return rng.integers(0, 2 if kind(dtype) == "b" else 100, shape).astype(dtype)
    host = rng.normal(3, 2, shape)
    if kind(dtype) == "c":
        host = host + 1j * rng.normal(-1, 1, shape)
    return host.astype(dtype)


def result_dtype(name, dtype):
    if kind(dtype) in "bui":
        return np.dtype(np.float64)
    return dtype if name == "mean" else np.zeros(0, dtype).real.dtype


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_over_every_axis(device, name, dtype):
    host = numbers(dtype, (4, 37, 5))
    x = gpuarray.to_device(host)
    exact = host.astype(np.clongdouble if kind(dtype) == "c" else np.longdouble)
    for axis in AXES:
        expected = getattr(exact, name)(axis=axis)
        got = getattr(gpuarray, name)(x, axis=axis)
        assert got.dtype == result_dtype(name, dtype)
        assert got.shape == expected.shape
        wide = got.get().astype(complex if kind(dtype) == "c" else float)
        np.testing.assert_allclose(wide, expected.astype(wide.dtype), rtol=tolerance(got.dtype))
        kept = getattr(x, name)(axis=axis, keepdims=True)
        assert kept.shape == getattr(exact, name)(axis=axis, keepdims=True).shape


@pytest.mark.parametrize("name", ["var", "std"])
def test_corrections(device, name):
    host = numbers(np.dtype(np.float32), (3, 50))
    x = gpuarray.to_device(host)
    for ddof in (0, 1, 2.5):
        expected = getattr(host.astype(float), name)(axis=1, ddof=ddof)
        for given_as in ({"ddof": ddof}, {"correction": ddof}):
            got = getattr(gpuarray, name)(x, axis=1, **given_as)
            np.testing.assert_allclose(got.get(), expected, rtol=1e-6)
    np.testing.assert_allclose(
        getattr(np, name)(x, 1, None, None, 1).get(), getattr(host, name)(1, ddof=1), rtol=1e-5
    )
    with pytest.raises(ValueError, match="ddof and correction"):
        getattr(x, name)(ddof=1, correction=1)
    with pytest.raises(TypeError):
        getattr(x, name)(ddof="1")


def test_nothing_and_too_few(device):
    empty = gpuarray.zeros((0, 3))
    for name in NAMES:
        assert np.isnan(getattr(empty, name)(axis=0).get()).all()
        assert getattr(empty, name)(axis=1).shape == (0,)
    one = gpuarray.ones(1)
    assert one.var().item() == 0
    assert np.isnan(one.var(ddof=1).item())
    assert gpuarray.asarray([1.0, 2.0]).var(ddof=2).item() == np.inf
    assert gpuarray.asarray([1.0, 2.0]).var(ddof=3).item() == np.inf


def test_no_digits_are_lost_to_a_large_mean(device):
    rng = np.random.default_rng(3)
    for count in (17, 5000, 300_000):
        host = 1e9 + rng.normal(size=count)
        got = gpuarray.to_device(host).var().item()
        np.testing.assert_allclose(got, float(host.astype(np.longdouble).var()), rtol=1e-9)
        narrow = (1e4 + rng.normal(size=count)).astype(np.float32)
        got = gpuarray.to_device(narrow).std().item()
        np.testing.assert_allclose(got, narrow.astype(float).std(), rtol=1e-6)
    first = np.r_[1e8, rng.normal(size=5000)]
    got = gpuarray.to_device(first).var().item()
    np.testing.assert_allclose(got, float(first.astype(np.longdouble).var()), rtol=1e-9)
    assert gpuarray.full(100_001, 0.1).var().item() == 0


def test_nan_and_infinity_make_nan(device):
    for bad in (np.nan, np.inf, -np.inf):
        for place in (0, 700, 1999):
            host = np.ones(2000)
            host[place] = bad
            assert np.isnan(gpuarray.to_device(host).var().item())
            assert np.isnan(gpuarray.to_device(host).std().item())


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(max_dims=3, max_side=40),
        elements=st.floats(-1e3, 1e3, width=32),
    ),
    st.data(),
)
def test_any_shape_and_layout(device, host, data):
    axis = data.draw(st.none() | st.integers(0, host.ndim - 1))
    order = data.draw(st.permutations(range(host.ndim)))
    view = host.transpose(order)[::-1]
    x = gpuarray.to_device(host).transpose(order)[::-1]
    np.testing.assert_allclose(x.mean(axis).get(), view.mean(axis), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(x.var(axis).get(), view.var(axis), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_long_rows_and_columns(device, name):
    for shape, axis in [((3, 70_000), 1), ((70_000, 3), 0), ((2, 300, 300), (1, 2))]:
        host = numbers(np.dtype(np.float32), shape)
        got = getattr(gpuarray.to_device(host), name)(axis=axis)
        expected = getattr(host.astype(float), name)(axis=axis)
        np.testing.assert_allclose(got.get(), expected, rtol=1e-6)


def test_dtype_and_out(device):
    host = np.arange(10, dtype=np.int32)
    x = gpuarray.to_device(host)
    assert x.mean(dtype=np.float32).dtype == np.float32
    assert x.mean(dtype=np.int64).dtype == np.int64
    assert x.mean(dtype=np.int64).item() == host.mean(dtype=np.int64)
    assert x.var(dtype=np.float32).dtype == np.float32
    out = gpuarray.empty((), np.float32)
    assert x.var(out=out) is out
    assert out.item() == np.float32(host.var())
    with pytest.raises(ValueError, match=r"std: out has shape \(2,\), expected \(\)"):
        x.std(out=gpuarray.empty(2))
    with pytest.raises(TypeError, match="var: cannot write a result of dtype float64"):
        x.var(out=gpuarray.empty((), np.int32))
