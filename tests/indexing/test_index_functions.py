# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""take, put and their kin, against NumPy."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.fused import check_one_pass
from _support.samples import ordinary
from _support.strategies import arrays, shapes, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def some_array(data, min_dims=1):
    shape = data.draw(shapes(max_dims=4, max_side=4).filter(lambda s: len(s) >= min_dims))
    host = data.draw(arrays(tuple(extent + 1 for extent in shape)))
    return data.draw(views((host, gpuarray.to_device(host))))


@given(data=st.data())
def test_take(device, data):
    a, x = some_array(data)
    a = np.asarray(a)
    axis = data.draw(st.none() | st.integers(-a.ndim, a.ndim - 1)) if a.ndim else None
    extent = a.size if axis is None else a.shape[axis]
    if extent == 0:
        return
    shape = data.draw(shapes(max_dims=2, max_side=3))
    indices = ordinary(np.int64, shape) % (2 * extent) - extent
    expected = np.take(a, indices, axis)
    assert_same(gpuarray.take(x, gpuarray.to_device(indices), axis), expected)
    assert_same(x.take(indices, axis), expected)
    out = gpuarray.empty(expected.shape, expected.dtype)
    assert gpuarray.take(x, indices, axis, out) is out
    assert_same(out, expected)
    for mode in ("wrap", "clip"):
        expected = np.take(a, indices * 3, axis, mode=mode)
        assert_same(gpuarray.take(x, indices * 3, axis, mode=mode), expected)


@given(data=st.data())
def test_along_an_axis(device, data):
    a, x = some_array(data)
    if a.ndim == 0 or a.size == 0:
        return
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    shape = list(a.shape)
    shape[axis] = data.draw(st.integers(0, 5))
    indices = ordinary(np.int64, tuple(shape)) % (2 * a.shape[axis]) - a.shape[axis]
    own = gpuarray.to_device(indices)
    assert_same(gpuarray.take_along_axis(x, own, axis), np.take_along_axis(a, indices, axis))
    values = ordinary(a.dtype, tuple(shape), seed=2)
    a, x = a.copy(), x.copy()
    np.put_along_axis(a, indices, values, axis)
    gpuarray.put_along_axis(x, own, gpuarray.to_device(values), axis)
    assert_same(x, a)


@pytest.mark.parametrize("count", [1, 4, 9])
@pytest.mark.parametrize("planes", [1, 3])
def test_long_rows(device, planes, count):
    a = ordinary(np.float32, (planes, 7, 4096))
    indices = ordinary(np.int64, (count,)) % 14 - 7
    own = gpuarray.to_device(indices)
    assert_same(gpuarray.take(gpuarray.to_device(a), own, 1), np.take(a, indices, 1))
    rows = np.unique(indices % 7)[::-1]
    values = ordinary(np.float32, (planes, len(rows), 4096), seed=2)
    x = gpuarray.to_device(a)
    x[:, gpuarray.to_device(rows)] = gpuarray.to_device(values)
    a[:, rows] = values
    assert_same(x, a)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 1 with size 7"):
        gpuarray.take(x, gpuarray.to_device(np.append(rows, 7)), 1).get()


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("count", [63, 64])
def test_many_along_an_axis(device, count, axis, dtype):
    a = ordinary(np.dtype(dtype), (32, 48))
    shape = (32, count) if axis else (count, 48)
    indices = ordinary(np.int64, shape) % (2 * a.shape[axis]) - a.shape[axis]
    expected = np.take_along_axis(a, indices, axis)
    for x in (gpuarray.to_device(a), gpuarray.to_device(a.T.copy()).T):
        assert_same(gpuarray.take_along_axis(x, gpuarray.to_device(indices), axis), expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_along_an_axis(device, axis):
    indices = ordinary(np.int64, (64, 48)) % 32
    others = np.arange(indices.shape[1 - axis])
    key = (others[:, None], indices) if axis else (indices, others)
    expected = np.zeros((64, 48), np.int32)
    made = gpuarray.zeros((64, 48), np.int32)
    np.add.at(expected, key, indices)
    gpuarray.add.at(made, key, gpuarray.to_device(indices))
    assert_same(made, expected)


def test_along_an_axis_by_broadcasting(device):
    host = ordinary(np.float32, (4, 5, 6))
    x = gpuarray.to_device(host)
    for shape, axis in [((1, 3, 6), 1), ((4, 1, 1), 2), ((1, 1, 1), 0)]:
        indices = ordinary(np.int64, shape) % host.shape[axis]
        own = gpuarray.to_device(indices)
        expected = np.take_along_axis(host, indices, axis)
        assert_same(gpuarray.take_along_axis(x, own, axis), expected)
        assert_same(np.take_along_axis(x, own, axis), expected)
        copy = host.copy()
        np.put_along_axis(copy, indices, 7, axis)
        written = x.copy()
        np.put_along_axis(written, own, 7, axis)
        assert_same(written, copy)
    flat = np.array([3, -1, 100])
    assert_same(gpuarray.take_along_axis(x, flat, None), np.take_along_axis(host, flat, None))
    gpuarray.put_along_axis(x.T, flat, 1, None)
    host.T.flat[flat] = 1
    assert_same(x, host)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_put(device, mode):
    indices = np.array([0, 5, -1, 5, 2]) + (0 if mode == "raise" else 9)
    for values in (3, [1, 2], np.arange(5), np.arange(9), []):
        host = np.zeros((2, 3))
        x = gpuarray.zeros((2, 3))
        own = gpuarray.to_device(np.asarray(values, float)) if np.ndim(values) else values
        host.put(indices, values, mode)
        x.put(gpuarray.to_device(indices), own, mode)
        assert_same(x, host)
        np.put(x.T, gpuarray.to_device(indices), own, mode)
        np.put(host.T, indices, values, mode)
        assert_same(x, host)


def test_compress_and_extract(device):
    host = np.arange(24).reshape(2, 3, 4)
    x = gpuarray.to_device(host)
    for condition, axis in [([1, 0, 1], 1), ([True], 0), ([0, 1, 1, 0, 1], None), ([0, 0], 2)]:
        expected = np.compress(condition, host, axis)
        assert_same(gpuarray.compress(gpuarray.to_device(np.array(condition)), x, axis), expected)
        assert_same(x.compress(condition, axis), expected)
    assert_same(gpuarray.extract(x % 3 == 0, x), np.extract(host % 3 == 0, host))
    out = gpuarray.empty((2, 2, 4), np.int64)
    assert gpuarray.compress([1, 0, 1], x, 1, out) is out
    assert_same(out, np.compress([1, 0, 1], host, 1))
    with pytest.raises(ValueError, match="1-d"):
        gpuarray.compress([[1]], x)
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        gpuarray.compress([1, 0, 1], x, 0).get()


def test_place_and_putmask(device):
    for name in ("place", "putmask"):
        for values in ([1], [1, 2], np.arange(40)):
            host = np.arange(12.0).reshape(3, 4)
            x = gpuarray.to_device(host)
            mask = host % 5 > 1
            own = gpuarray.to_device(np.asarray(values, float))
            getattr(np, name)(host, mask, values)
            getattr(np, name)(x, gpuarray.to_device(mask), own)
            assert_same(x, host)
    with pytest.raises(ValueError, match="empty"):
        gpuarray.place(x, x > 0, [])
    with pytest.raises(ValueError, match="same size"):
        gpuarray.putmask(x, x[0] > 0, 1)


def test_choose(device):
    choices = [np.arange(4), np.arange(4) * 10, np.full((3, 1), 7)]
    own = [gpuarray.to_device(one) for one in choices]
    index = np.array([0, 2, 1, 0])
    assert_same(gpuarray.choose(gpuarray.to_device(index), own), np.choose(index, choices))
    assert_same(np.choose(gpuarray.to_device(index), own), np.choose(index, choices))
    for mode in ("wrap", "clip"):
        expected = np.choose(index * 5 - 3, choices, mode=mode)
        assert_same(gpuarray.to_device(index * 5 - 3).choose(own, mode=mode), expected)
    assert_same(
        gpuarray.choose(gpuarray.to_device(index) > 0, [1, 2]), np.choose(index > 0, [1, 2])
    )
    for bad in (3, -1):
        with pytest.raises(IndexError, match=r"^choose"):
            gpuarray.choose(gpuarray.to_device(index + bad), own).get()


@given(st.integers(1, 30), st.sampled_from(["wrap", "clip", "raise"]), st.integers(0, 99))
def test_choose_of_many(device, count, mode, seed):
    rng = np.random.default_rng(seed)
    shapes = [(5, 7), (7,), (5, 1), (), (1, 5, 7)]
    choices = [rng.integers(-9, 9, shapes[k]) for k in rng.integers(0, 5, count)]
    index = rng.integers(*(0, count) if mode == "raise" else (-99, 99), shapes[rng.integers(5)])
    own = [gpuarray.to_device(one) for one in choices]
    expected = np.choose(index, choices, mode=mode)
    assert_same(gpuarray.choose(gpuarray.to_device(index), own, mode=mode), np.asarray(expected))


def test_choose_of_more_than_int16_numbers():
    index = gpuarray.to_device([39_999, 5, -1], device="cpu")
    choices = [k % 251 for k in range(40_000)]
    got = gpuarray.choose(index, choices, mode="wrap")
    np.testing.assert_array_equal(got.get(), [39_999 % 251, 5, 39_999 % 251])


def test_choose_in_one_kernel(device):
    a, b = (gpuarray.to_device(np.arange(k, k + 12.0).reshape(3, 4)) for k in (0, 50))
    index = gpuarray.to_device(np.arange(12).reshape(3, 4) % 3)
    check_one_pass(lambda: gpuarray.choose(index, [a, b, 7], mode="wrap"), device, taken=False)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: gpuarray.take(x, [1.0]), TypeError, "take: indices must be integers"),
        (lambda x: gpuarray.take(x, [0], 2), np.exceptions.AxisError, "axis 2"),
        (lambda x: gpuarray.take(x[:0], [0], 0), IndexError, "non-empty take from an empty axes"),
        (lambda x: gpuarray.take(x, [0], 0, gpuarray.empty(3)), ValueError, "shape"),
        (lambda x: gpuarray.take(x, [0], 0, gpuarray.empty((1, 4), "int8")), TypeError, "int8"),
        (lambda x: gpuarray.put(x[:0], [0], 1, "wrap"), IndexError, "of an empty array"),
        (lambda x: gpuarray.take_along_axis(x, [[0.0]], 0), IndexError, "must be an integer array"),
        (lambda x: gpuarray.take_along_axis(x, [0], 0), ValueError, "same number of dimensions"),
        (lambda x: gpuarray.take(np.zeros(3), [0]), TypeError, "expected a GPUArray"),
    ],
)
def test_bad_arguments(device, call, error, message):
    with pytest.raises(error, match=message):
        call(gpuarray.zeros((3, 4)))
