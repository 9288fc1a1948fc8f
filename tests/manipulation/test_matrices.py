# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Diagonals and triangles, against NumPy's."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.strategies import arrays, shapes
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

OFFSETS = st.integers(-7, 7)
PLANES = shapes(4).filter(lambda shape: len(shape) > 1).flatmap(arrays)


@given(st.integers(0, 6), st.none() | st.integers(0, 6), OFFSETS)
def test_eye_and_tri(device, rows, columns, k):
    for name in ("eye", "tri"):
        got = getattr(gpuarray, name)(rows, columns, k)
        assert_same(got, getattr(np, name)(rows, columns, k))


def test_eye_takes_any_diagonal(device):
    for k in (2**70, -(2**70), 2**62):
        assert_same(gpuarray.eye(3, 4, k=k), np.zeros((3, 4)))
    assert_same(gpuarray.eye(2, dtype=None), np.eye(2))
    assert_same(gpuarray.tri(2, 3, dtype="int8"), np.tri(2, 3, dtype="int8"))


@given(PLANES, OFFSETS, st.data())
def test_diagonals(device, host, offset, data):
    first, second = data.draw(st.permutations(range(host.ndim)))[:2]
    x = gpuarray.to_device(host)
    got = gpuarray.diagonal(x, offset, first, second)
    assert_same(got, np.diagonal(host, offset, first, second))
    assert not got.flags.writeable
    if host.dtype.kind in "iu":
        assert_same(gpuarray.trace(x, offset, first, second), np.trace(host, offset, first, second))


@given(PLANES, OFFSETS)
def test_triangles(device, host, k):
    x = gpuarray.to_device(host)
    assert_same(gpuarray.tril(x, k), np.tril(host, k))
    assert_same(gpuarray.triu(x, k=k), np.triu(host, k=k))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(37, 70), (64, 64), (5, 33, 3), (3, 1, 200), (2, 3, 41, 29)])
def test_triangles_of_every_itemsize(device, shape, dtype):
    host = np.arange(1, 1 + np.prod(shape)).astype(dtype).reshape(shape)
    x = gpuarray.to_device(np.concatenate([host.ravel()[:1], host.ravel()]))[1:].reshape(shape)
    for m in (gpuarray.to_device(host), x):
        for k in (0, 1, -3, 40, -40, 2**40, -(2**40)):
            assert_same(gpuarray.tril(m, k), np.tril(host, k))
            assert_same(gpuarray.triu(m, k), np.triu(host, k))


def test_diag(device):
    for shape in [(3,), (0,), (2, 3), (4, 2)]:
        host = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        x = gpuarray.to_device(host)
        for k in (0, 2, -1):
            assert_same(gpuarray.diag(x, k), np.diag(host, k))
            assert_same(gpuarray.diagflat(x, k), np.diagflat(host, k))
    with pytest.raises(ValueError, match="one or two dimensions"):
        gpuarray.diag(gpuarray.ones((1, 1, 1)))


@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (7, 2), (8, 3), (3, 3, 3)], ids=str)
@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal(device, shape, wrap):
    for value in (7, np.arange(1, 3)):
        host = np.zeros(shape, np.int32)
        x = gpuarray.to_device(host)
        np.fill_diagonal(host, value, wrap=wrap)
        given_value = gpuarray.to_device(value) if isinstance(value, np.ndarray) else value
        gpuarray.fill_diagonal(x, given_value, wrap=wrap)
        assert_same(x, host)


def test_errors(device):
    x = gpuarray.ones((2, 3))
    for call in (
        lambda: gpuarray.diagonal(x[0]),
        lambda: gpuarray.diagonal(x, 0, 1, 1),
        lambda: gpuarray.fill_diagonal(x[0], 1),
        lambda: gpuarray.fill_diagonal(gpuarray.ones((2, 2, 3)), 1),
        lambda: gpuarray.eye(-1),
        lambda: gpuarray.tril(gpuarray.ones(())),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.diagonal(x, 0, 0, 2)
    with pytest.raises(TypeError, match="trace: expected a GPUArray"):
        gpuarray.trace(np.eye(2))


def test_trace_into_out(device):
    out = gpuarray.empty((), "int64")
    assert gpuarray.trace(gpuarray.eye(4, dtype="int8"), dtype="int64", out=out) is out
    assert out.item() == 4


@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal_with_nothing(device, wrap):
    x = gpuarray.ones((5, 2))
    for nothing in ([], (), gpuarray.zeros(0)):
        gpuarray.fill_diagonal(x, nothing, wrap)
    np.testing.assert_array_equal(x.get(), np.ones((5, 2)))
