# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Many dimensions, no elements, and sizes that cannot be."""

import math

import numpy as np
import pytest
from _support.compare import assert_same
from _support.numpy_names import check
from _support.samples import ordinary

import gpuarray

MANY = (1, 2) * 8 + (1,) * 47 + (3,)
DENSE = (2,) * 12 + (1,) * 52


@pytest.mark.parametrize("shape", [MANY, DENSE, (1,) * 64], ids=["mixed", "dense", "ones"])
def test_64_dimensions(device, shape):
    host = ordinary(np.int32, shape)
    x = gpuarray.to_device(host)
    assert x.ndim == 64
    assert x.shape == shape
    assert_same(x, host)
    assert_same(x.T, host.T)
    assert_same(x + x.T.T[::-1], host + host[::-1])
    assert_same(x.sum(), np.asarray(host.sum()))
    assert_same(x.sum(axis=(1, -1)), host.sum(axis=(1, -1)))
    assert_same(x[(0,) * 63], host[(0,) * 63])
    assert_same(x.reshape(-1), host.reshape(-1))
    assert_same(x.astype(np.float64).T.copy(), host.astype(np.float64).T)


def test_64_dimensions_that_do_not_collapse(device):
    """Every second axis reversed, so that no two of them merge."""
    host = ordinary(np.float32, (2,) * 14).reshape((2,) * 14 + (1,) * 50)
    index = tuple(slice(None, None, -1 if axis % 2 else 1) for axis in range(64))
    x = gpuarray.to_device(host)
    assert_same(x[index] * 2, host[index] * 2)
    swapped = (*range(13, -1, -1), *range(63, 13, -1))
    assert_same(x[index].transpose(swapped) + x, host[index].transpose(swapped) + host)


# Axes of two elements at both ends, and one in the middle.
FAR = (2, 3) + (1,) * 30 + (5,) + (1,) * 29 + (2, 4)


def backwards(x):
    return x[tuple(slice(None, None, -1 if axis % 2 else 1) for axis in range(x.ndim))]


FUNCTIONS = {
    "copy": lambda xp, x: x.copy(),
    "transposed copy": lambda xp, x: xp.transpose(x, [*range(1, 64), 0]).copy(),
    "broadcast": lambda xp, x: x + x[:1, ..., :1],
    "broadcast_to": lambda xp, x: xp.broadcast_to(x[:1], x.shape) * 2,
    "comparison": lambda xp, x: x > 3,
    "where": lambda xp, x: xp.where(x > 3, x, -x),
    "sum of every second axis": lambda xp, x: x.sum(axis=tuple(range(1, 64, 2))),
    "argmax": lambda xp, x: x.argmax(axis=63),
    "keepdims": lambda xp, x: x.max(axis=(0, 32), keepdims=True),
    "cumsum": lambda xp, x: xp.cumsum(x, axis=32),
    "nonzero": lambda xp, x: xp.stack(xp.nonzero(x > 5)),
    "mask": lambda xp, x: x[x > 5],
    "take": lambda xp, x: xp.take(x, [1, 0, 0], axis=63),
    "concatenate": lambda xp, x: xp.concatenate([x, x], axis=40),
    "flip": lambda xp, x: xp.flip(x),
    "squeeze": lambda xp, x: xp.squeeze(x),
    "expand_dims": lambda xp, x: xp.expand_dims(xp.squeeze(x), tuple(range(1, 60))),
    "moveaxis": lambda xp, x: xp.moveaxis(x, [0, 63], [63, 0]),
    "matmul": lambda xp, x: xp.matmul(x, xp.swapaxes(x, 62, 63)),
    "reshape": lambda xp, x: x.reshape(x.shape[::-1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_64_dimensions(device, name):
    function = FUNCTIONS[name]
    host = np.random.default_rng(1).permutation(240).astype(np.float32).reshape(FAR)
    x = gpuarray.to_device(host)
    assert_same(function(gpuarray, x), function(np, host))
    assert_same(function(gpuarray, backwards(x)), function(np, backwards(host)))


def test_sorts_of_64_dimensions(device):
    """NumPy has none beyond 32."""
    host = np.random.default_rng(1).permutation(240).astype(np.float32).reshape(FAR)
    x, plain = gpuarray.to_device(host), host.squeeze()
    for axis, squeezed in ((1, 1), (63, 4), (40, None)):
        expected = plain if squeezed is None else np.sort(plain, axis=squeezed)
        assert_same(gpuarray.sort(x, axis=axis), expected.reshape(FAR))
        order = gpuarray.argsort(x, axis=axis, descending=True)
        found = gpuarray.take_along_axis(x, order, axis=axis)
        assert_same(gpuarray.flip(found, axis), expected.reshape(FAR))


def test_indices_of_64_dimensions(device):
    host = np.arange(240).reshape(FAR)
    x = gpuarray.to_device(host)
    rows, columns = np.array([1, 0, 1]), np.array([[3], [0]])
    key = (rows,) + (slice(None),) * 62 + (columns,)
    assert_same(x[key], host[key])
    x[key], host[key] = -1, -1
    x[host > 200] = 7
    host[host > 200] = 7
    assert_same(x, host)
    x[..., 1], host[..., 1] = x[..., 0], host[..., 0]
    assert_same(x, host)


def test_64_dimensions_are_exchanged(device):
    host = np.arange(240.0).reshape(FAR)
    x = gpuarray.to_device(host)
    assert_same(gpuarray.from_dlpack(backwards(x)), backwards(host))
    assert_same(gpuarray.from_dlpack(host), host)
    assert memoryview(x).ndim == 64
    np.testing.assert_array_equal(np.asarray(memoryview(x)), host)
    assert_same(gpuarray.to_device(memoryview(host)), host)


def test_kernels_of_64_dimensions(device):
    kernel = gpuarray.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[i] + int(i)", "added")
    fused = gpuarray.fuse(lambda a, b: a * 2 + b)
    host = np.arange(240.0).reshape(FAR)
    x = gpuarray.to_device(host)
    index = np.arange(240).reshape(FAR)
    assert_same(kernel(backwards(x), x), backwards(host) + host + index)
    assert_same(fused(backwards(x), x), backwards(host) * 2 + host)
    total = gpuarray.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    assert_same(total(backwards(x), axis=(0, 63)), backwards(host).sum((0, 63)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: gpuarray.zeros((1,) * 65),
        lambda: gpuarray.to_device(np.zeros((1,) * 65)),
        lambda: gpuarray.ones(()).reshape((1,) * 65),
        lambda: gpuarray.expand_dims(gpuarray.ones((1,) * 64), 0),
        lambda: gpuarray.GPUArray((1,) * 80),
    ],
)
def test_65_dimensions_are_refused(device, make):
    with pytest.raises(ValueError, match="64"):
        make()


def test_indexing_to_65_dimensions_is_refused(device):
    with pytest.raises(IndexError, match="64"):
        gpuarray.ones((1,) * 64)[None]


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
        result = column + row  # which gets its memory when it is computed
        result.synchronize()
    assert column.sum().item() == 2**24


def test_shapes_from_numpy_integers(device):
    assert gpuarray.zeros(np.int8(3)).shape == (3,)
    assert gpuarray.zeros([np.uint64(2), 3]).shape == (2, 3)
    assert gpuarray.zeros(np.array([2, 3])).shape == (2, 3)
    assert gpuarray.zeros(np.array(3)).shape == (3,)
    with pytest.raises(TypeError, match="bool"):
        gpuarray.zeros(True)


def test_functions_that_broadcast_33_dimensions(device):
    host = np.arange(6.0).reshape((1,) * 31 + (2, 3))
    x = gpuarray.to_device(host)
    row = x[(0,) * 32]
    assert gpuarray.broadcast_shapes(x.shape, (2, 1)) == host.shape
    assert [a.shape for a in gpuarray.broadcast_arrays(x, row)] == [host.shape] * 2
    target = gpuarray.zeros_like(x)
    gpuarray.copyto(target, row, where=x > 1)
    assert target.ravel().tolist() == [0, 0, 2, 0, 1, 2]
    assert x.sum(where=x > 1).item() == 14
    np.add(x, row, where=x > 4, out=target)
    assert target.ravel().tolist() == [0, 0, 2, 0, 1, 7]
    target = -x
    target.sort()
    assert target.ravel().tolist() == [-2, -1, 0, -5, -4, -3]
    assert gpuarray.choose(x.astype(int) % 2, [x, row]).ravel().tolist() == [0, 1, 2, 0, 4, 2]


@pytest.mark.parametrize(
    ("shape", "reps"),
    [
        ((2,), (1,) * 63 + (2,)),
        ((2,), (1,) * 62 + (2, 2)),
        ((2,), (2,) + (1,) * 63),
        ((2, *(1,) * 62, 2), (2,) * 5 + (1,) * 54 + (2,) * 5),
        ((2, 1, 3), (2, 0, 3)),
        ((2, 1, 3), (1, 3, 1)),
        ((), (1, 1)),
    ],
)
def test_tile_of_as_many_dimensions_as_there_are(device, shape, reps):
    host = np.arange(math.prod(shape)).reshape(shape)
    check(lambda xp, a: xp.tile(a, reps), host)


def test_block_of_lists_without_end(device):
    endless, deep = [], gpuarray.ones(1)
    endless += [endless, endless]
    for _ in range(100_000):
        deep = [deep]
    for nested in (endless, deep):
        with pytest.raises(ValueError, match="nested deeper"):
            gpuarray.block(nested)
    most = gpuarray.ones(2)
    for _ in range(64):
        most = [most]
    assert gpuarray.block(most).shape == (*(1,) * 63, 2)
