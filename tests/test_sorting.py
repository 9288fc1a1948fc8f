# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""sort, argsort and what they are made into, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gpuarray

REAL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REAL += ["float16", "float32", "float64"]
DTYPES = [*REAL, "complex64", "complex128"]
SHAPES = [(0,), (1,), (7,), (1000,), (3, 0), (4, 5), (1, 300), (300, 2), (3, 4, 5), (2, 1, 70)]


def sample(dtype, shape, seed=0, few=True):
    """Elements with repeats, and for floats with NaN and zeros of both signs and infinities."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (-4 * (dtype.kind == "i"), 9) if few else (info.min, info.max)
        made = rng.integers(low, high, shape, dtype=dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.05, info.min, made).astype(dtype)
    if dtype.kind == "f":
        made = rng.integers(-5, 5, shape) / 2 if few else rng.standard_normal(shape)
        for value in (np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf):
            made = np.where(rng.random(shape) < 0.05, value, made)
        return np.asarray(made, dtype)
    part = "float32" if dtype == "complex64" else "float64"
    made = np.empty(shape, dtype)
    made.real, made.imag = sample(part, shape, seed + 1, few), sample(part, shape, seed + 2, few)
    return made


def argsorted(x, axis, descending):
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - order, axis)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_along_each_axis(device, dtype, shape, descending):
    x = sample(dtype, shape)
    a = gpuarray.to_device(x)
    for axis in range(-1, len(shape)):
        order = argsorted(x, axis, descending)
        found = gpuarray.argsort(a, axis, descending=descending)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.get(), order)
        made = gpuarray.sort(a, axis, descending=descending)
        assert made.dtype == x.dtype
        assert made.flags.c_contiguous
        np.testing.assert_array_equal(made.get(), np.take_along_axis(x, order, axis))
    np.testing.assert_array_equal(a.get(), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_values(device, dtype):
    x = sample(dtype, (40, 50), 3, few=False)
    a = gpuarray.to_device(x)
    np.testing.assert_array_equal(gpuarray.sort(a, None).get(), np.sort(x, None))
    np.testing.assert_array_equal(gpuarray.sort(a).get(), np.sort(x))
    np.testing.assert_array_equal(
        gpuarray.argsort(a, None).get(), np.argsort(x, None, kind="stable")
    )


def test_bfloat16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = sample("float32", (30, 20), 5).astype(ml_dtypes.bfloat16)
    a = gpuarray.to_device(x)
    wide = x.astype("float32")
    for descending in (False, True):
        order = argsorted(wide, 0, descending)
        found = gpuarray.argsort(a, 0, descending=descending).get()
        np.testing.assert_array_equal(found, order)
        made = gpuarray.sort(a, 0, descending=descending)
        assert made.dtype == x.dtype
        expected = np.take_along_axis(wide, order, 0)
        np.testing.assert_array_equal(made.astype("float32").get(), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nans_keep_their_bits(device, dtype):
    bits = f"uint{8 * np.dtype(dtype).itemsize}"
    x = np.array([np.nan, 1, -np.nan, np.inf, -np.nan, -1], dtype)
    x.view(bits)[0] += 1
    made = gpuarray.sort(gpuarray.to_device(x)).get()
    np.testing.assert_array_equal(made[:3], np.array([-1, 1, np.inf], dtype))
    assert sorted(made[3:].view(bits)) == sorted(x[[0, 2, 4]].view(bits))


def test_only_negative_nans(device):
    x = np.full(5, -np.nan, "float32")
    assert np.isnan(gpuarray.sort(gpuarray.to_device(x)).get()).all()


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[3:, ::-2]])
def test_views(device, view):
    x = sample("float32", (12, 9), 7)
    a = gpuarray.to_device(x)
    for axis in (0, 1):
        np.testing.assert_array_equal(gpuarray.sort(a[view], axis).get(), np.sort(x[view], axis))
        np.testing.assert_array_equal(
            gpuarray.argsort(a[view].T, axis).get(), np.argsort(x[view].T, axis, kind="stable")
        )


def test_layout_is_kept(device):
    a = gpuarray.to_device(np.asfortranarray(sample("int32", (5, 6))))
    assert gpuarray.sort(a, 0).flags.f_contiguous
