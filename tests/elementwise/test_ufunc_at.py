# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The method `at` of every ufunc that has a row, against NumPy."""

from functools import partial

import numpy as np
import pytest
from _support.compare import Collector, assert_same
from _support.ufunc_methods import BINARY_UFUNCS, DTYPES, UNARY_UFUNCS, compare, outcome, sample
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

# A kernel for each is compiled on CUDA devices.
FEW = [np.dtype(name) for name in ("bool", "int8", "int64", "float32", "complex128")]


def apply_at(name, key, a, *values):
    a = a.copy()
    getattr(np, name).at(a, key, *values)
    return a


def is_same_kind(name, *values):
    """Whether the result casts to the array's dtype so; NumPy writes others too."""
    made = outcome(lambda: getattr(np, name)(*values))
    return isinstance(made, type) or np.can_cast(made.dtype, values[0].dtype, "same_kind")


KEYS = ([0, 2, 0, 0, 4], [[1], [1]], np.array([True, False, True, True, False]), 3, np.s_[1:3])


@pytest.mark.parametrize("name", BINARY_UFUNCS)
def test_at(device, name):
    collector = Collector()
    for dtype in DTYPES if device == "cpu" else FEW:
        x = sample(name, dtype, (5, 3))
        if not is_same_kind(name, x, x):
            continue
        for key in KEYS:
            values = sample(name, dtype, x[key].shape, 1)
            compare(collector, name, partial(apply_at, name, key), x, values)
            compare(collector, name, partial(apply_at, name, key), x, values[..., :1])
        compare(collector, name, lambda a, b: apply_at(name, [1, 1], a.T, b).T, x, x[:2, 0])
    collector.finish()


def test_ldexp_at(device):
    collector = Collector()
    for dtype in ("float16", "float32", "float64"):
        x = np.array([1.5, 2, -3], dtype)
        for key in ([0], [1, 0, 1], np.array([True, False, True]), 2, np.s_[:2]):
            for value in (2, True, -3, np.int64(4), np.array([1], np.int8)):
                compare(collector, "ldexp", partial(apply_at, "ldexp", key), x, value)
    collector.finish()


@pytest.mark.parametrize("name", UNARY_UFUNCS)
def test_unary_at(device, name):
    collector = Collector()
    for dtype in DTYPES:
        x = sample(name, dtype, (6,))
        x = np.abs(x / 10 if dtype.kind in "fc" else x).astype(dtype)
        if is_same_kind(name, x):
            compare(collector, name, partial(apply_at, name, [0, 3, 0, 1]), x)
    collector.finish()


@given(
    name=st.sampled_from(["add", "subtract", "floor_divide", "left_shift", "remainder", "less"]),
    key=st.lists(st.integers(-7, 6), max_size=20),
    dtype=st.sampled_from(["int8", "int32", "uint64"]),
)
def test_at_of_any_indices(device, name, key, dtype):
    host = sample(name, np.dtype(dtype), (7,))
    values = sample(name, np.dtype(dtype), (len(key),), 1)
    indices = np.array(key, np.int64)
    x = gpuarray.to_device(host)
    getattr(np, name).at(x, gpuarray.to_device(indices), gpuarray.to_device(values))
    getattr(np, name).at(host, indices, values)
    assert_same(x, host)


def test_at_computes_in_the_dtype_of_both(device):
    for name, dtype, other in (("maximum", "int8", "int64"), ("divide", "float32", "float64")):
        host, values = np.array([5, 3, 8], dtype), np.array([300, 2, 4], other)
        x = gpuarray.to_device(host)
        getattr(np, name).at(x, [0, 0, 1], gpuarray.to_device(values))
        getattr(np, name).at(host, [0, 0, 1], values)
        assert_same(x, host)


def test_at_of_views(device):
    host = np.arange(24).reshape(2, 3, 4)
    for view in (lambda a: a.T, lambda a: a[:, ::-1, ::2], lambda a: a[1]):
        expected, x = host.copy(), gpuarray.to_device(host)
        for a in (expected, x):
            np.negative.at(view(a), [0, 0, 1])
            np.left_shift.at(view(a), [0, 1, 0], 1)
        assert_same(x, expected)


def test_errors_of_at(device):
    x = gpuarray.arange(3.0)
    with pytest.raises(ValueError, match="operand"):
        np.add.at(x, [0])
    with pytest.raises(ValueError, match="operand"):
        np.negative.at(x, [0], x)
    with pytest.raises(ValueError, match="single output"):
        np.divmod.at(x, [0], 1.0)
    with pytest.raises(TypeError, match="to_device"):
        np.add.at(x, [0, 1], [1.0, 2.0])
    with pytest.raises(ValueError, match="broadcast"):
        np.power.at(x, [0, 1], x)
    with pytest.raises(TypeError, match="same_kind"):
        np.power.at(gpuarray.arange(3), [0, 1], 0.5)
    with pytest.raises(IndexError, match="out of bounds"):
        np.negative.at(x, [0, 5])
    with pytest.raises(ValueError, match="read-only"):
        np.power.at(gpuarray.broadcast_to(x, (2, 3)), [0, 0], 1.0)
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power.at(gpuarray.arange(3), [0, 0], gpuarray.to_device([1, -1]))
    assert x.tolist() == [0, 1, 2]


def test_at_of_no_dimensions_and_of_nothing(device):
    x = gpuarray.to_device(5)
    np.power.at(x, (), 2)
    assert x.item() == 25
    for key in (0, []):
        for call in (np.add.at, np.power.at):
            with pytest.raises(IndexError):
                call(x, key, 1)
    empty = gpuarray.ones((4, 0))
    for call in (np.add.at, np.power.at):
        call(empty, [0, 0], 3.0)
        call(gpuarray.ones(3), np.zeros(0, int), 3.0)
