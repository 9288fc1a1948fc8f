# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Many dimensions, no elements, and sizes that cannot be."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.samples import ordinary

import gpuarray

MANY = (1, 2) * 8 + (1,) * 15 + (3,)
DENSE = (2,) * 12 + (1,) * 20


@pytest.mark.parametrize("shape", [MANY, DENSE, (1,) * 32], ids=["mixed", "dense", "ones"])
def test_32_dimensions(device, shape):
    host = ordinary(np.int32, shape)
    x = gpuarray.to_device(host)
    assert x.ndim == 32
    assert x.shape == shape
    assert_same(x, host)
    assert_same(x.T, host.T)
    assert_same(x + x.T.T[::-1], host + host[::-1])
    assert_same(x.sum(), np.asarray(host.sum()))
    assert_same(x.sum(axis=(1, -1)), host.sum(axis=(1, -1)))
    assert_same(x[(0,) * 31], host[(0,) * 31])
    assert_same(x.reshape(-1), host.reshape(-1))
    assert_same(x.astype(np.float64).T.copy(), host.astype(np.float64).T)


def test_32_dimensions_that_do_not_collapse(device):
    """Every second axis reversed, so that no two of them merge."""
    host = ordinary(np.float32, (2,) * 14).reshape((2,) * 14 + (1,) * 18)
    index = tuple(slice(None, None, -1 if axis % 2 else 1) for axis in range(32))
    x = gpuarray.to_device(host)
    assert_same(x[index] * 2, host[index] * 2)
    swapped = (*range(13, -1, -1), *range(31, 13, -1))
    assert_same(x[index].transpose(swapped) + x, host[index].transpose(swapped) + host)


@pytest.mark.parametrize(
    "make",
    [
        lambda: gpuarray.zeros((1,) * 33),
        lambda: gpuarray.to_device(np.zeros((1,) * 33)),
        lambda: gpuarray.ones(()).reshape((1,) * 33),
        lambda: gpuarray.expand_dims(gpuarray.ones((1,) * 32), 0),
        lambda: gpuarray.GPUArray((1,) * 40),
    ],
)
def test_33_dimensions_are_refused(device, make):
    with pytest.raises(ValueError, match="32"):
        make()


def test_indexing_to_33_dimensions_is_refused(device):
    with pytest.raises(IndexError, match="32"):
        gpuarray.ones((1,) * 32)[None]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 2**40)], ids=str)
def test_no_elements(device, shape):
    x = gpuarray.zeros(shape, np.float32)
    assert x.size == x.nbytes == 0
    assert x.shape == shape
    assert (x + 1).shape == shape
    assert (x == x).dtype == bool
    assert x.sum().item() == 0.0
    assert x.T.shape == shape[::-1]
    assert x.copy().shape == x.astype(int).shape == shape
    assert x.reshape(-1, 5).shape == (0, 5)
    assert x.tobytes() == b""
    x[...] = 7
    x += 1
    if max(shape) < 2**20:
        assert_same(x, np.zeros(shape, np.float32))
        assert x.tolist() == np.zeros(shape).tolist()


@pytest.mark.parametrize("function", ["empty", "zeros", "ones"])
@pytest.mark.parametrize(
    ("shape", "error"),
    [
        (-1, ValueError),
        ((2, -3), ValueError),
        ((-1, 0), ValueError),
        ((2**32, 2**32), ValueError),
        (2**63, ValueError),
        ((2**61,), ValueError),
        ((2**40, 2**21), ValueError),
        ((0, 2**62, 2**62), ValueError),
        (1.5, TypeError),
        ("3", TypeError),
        ((2, None), TypeError),
        (None, TypeError),
    ],
    ids=str,
)
def test_impossible_shapes(device, function, shape, error):
    """The bytes count too: 2**61 elements of 8 bytes have no size."""
    with pytest.raises((error, MemoryError) if shape in [(2**61,), (2**40, 2**21)] else error):
        getattr(gpuarray, function)(shape)


@pytest.mark.parametrize("shape", [(2**45,), (2**30, 2**15)], ids=str)
def test_memory_that_is_not_there(device, shape):
    with pytest.raises(gpuarray.OutOfMemoryError, match=str(2**48)) as caught:
        gpuarray.empty(shape, np.float64)
    assert isinstance(caught.value, MemoryError)


def test_results_too_large_for_memory(device):
    column, row = gpuarray.ones((2**24, 1), "i1"), gpuarray.ones((1, 2**24), "i1")
    with pytest.raises(MemoryError):
        column + row
    assert column.sum().item() == 2**24


def test_shapes_from_numpy_integers(device):
    assert gpuarray.zeros(np.int8(3)).shape == (3,)
    assert gpuarray.zeros([np.uint64(2), 3]).shape == (2, 3)
    assert gpuarray.zeros(np.array([2, 3])).shape == (2, 3)
    assert gpuarray.zeros(np.array(3)).shape == (3,)
    assert gpuarray.zeros(True).shape == (1,)
