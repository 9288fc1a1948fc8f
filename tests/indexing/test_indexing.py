# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Basic indexing as views, and assignment through them, against NumPy."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.samples import ordinary
from _support.strategies import arrays, broadcastable, indices, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def byte_offset(view, whole):
    """Where a NumPy view begins in the memory of an array."""
    return view.__array_interface__["data"][0] - whole.__array_interface__["data"][0]


@given(data=st.data())
def test_views_match_numpy(device, data):
    host = data.draw(arrays())
    x = gpuarray.to_device(host)
    index = data.draw(indices(host.shape))
    expected, got = host[index if index != () else ...], x[index]
    assert isinstance(got, gpuarray.GPUArray), "even one element is an array"
    assert_same(got, np.asarray(expected))
    if expected.size > 1 and isinstance(expected, np.ndarray):
        assert got.strides == expected.strides or 1 in expected.shape
        assert got.ptr - x.ptr == byte_offset(expected, host)


@given(data=st.data())
def test_views_of_views_match_numpy(device, data):
    host = data.draw(arrays())
    expected, got = data.draw(views((host, gpuarray.to_device(host))))
    assert_same(got, np.asarray(expected))


@given(data=st.data())
def test_operators_on_views_match_numpy(device, data):
    host = ordinary(np.int64, data.draw(st.lists(st.integers(0, 5), max_size=5).map(tuple)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    other = ordinary(np.int64, data.draw(broadcastable(np.shape(a))), seed=9)
    assert_same(x * 2 - gpuarray.to_device(other), np.asarray(a * 2 - other))
    assert_same(x.sum(), np.asarray(np.sum(a)))


@given(data=st.data())
def test_assignment_through_views_matches_numpy(device, data):
    host = data.draw(arrays())
    x = gpuarray.to_device(host)
    index = data.draw(indices(host.shape))
    source = ordinary(host.dtype, data.draw(broadcastable(host[index].shape)), seed=7)
    host[index] = source
    x[index] = gpuarray.to_device(source)
    assert_same(x, host)


@given(data=st.data())
def test_scalars_are_assigned_through_views(device, data):
    host = data.draw(arrays())
    x = gpuarray.to_device(host)
    index = data.draw(indices(host.shape))
    value = data.draw(st.sampled_from([0, 1, True]))
    host[index] = value
    x[index] = value
    assert_same(x, host)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scalars_of_every_dtype_are_assigned(device, dtype):
    x = gpuarray.zeros(4, dtype)
    x[1] = 1
    x[2:] = np.ones((), dtype)[()]
    x[3] = gpuarray.zeros((), dtype)
    assert_same(x, np.array([0, 1, 1, 0]).astype(dtype))


def test_integers_of_every_kind(device):
    host = np.arange(12).reshape(3, 4)
    x = gpuarray.to_device(host)
    for index in (1, -1, np.int8(2), np.uint64(0), np.array(1), gpuarray.to_device(np.array(2))):
        assert_same(x[index], host[int(index)])
        assert_same(x[:, index], host[:, int(index)])
    assert x[np.int16(1), gpuarray.to_device(np.int32(2))].item() == 6


def test_slices_take_index_objects(device):
    x = gpuarray.arange(10)
    assert x[np.int64(2) : gpuarray.to_device(np.array(8)) : np.uint8(3)].tolist() == [2, 5]
    assert x[-(10**30) : 10**30].tolist() == list(range(10))
    assert x[:: 2**62].tolist() == [0]
    assert x[:: -(2**62)].tolist() == [9]


def test_up_to_every_step(device):
    host = np.arange(7)
    x = gpuarray.to_device(host)
    bounds = [None, *range(-9, 10)]
    for start in bounds[::3]:
        for stop in bounds[::2]:
            for step in (1, 2, 3, 7, 8, -1, -2, -3, -7, -8):
                assert_same(x[start:stop:step], host[start:stop:step])


def test_new_axes_and_ellipsis(device):
    host = np.arange(24).reshape(2, 3, 4)
    x = gpuarray.to_device(host)
    for index in [
        ...,
        None,
        (None, ...),
        (..., None),
        (0, ..., 0),
        (..., 1, slice(None, None, -1)),
        (None, 1, None, ..., None, 2),
        (slice(1), ..., slice(None), None, 3),
        (1, 2, 3, ...),
        (),
    ]:
        assert_same(x[index], np.asarray(host[index]))
        assert_same(x[index], np.asarray(host[index]))


def test_rows_write_through(device):
    x = gpuarray.zeros((2, 2))
    x[1, 0, ...][...] = 5
    x[0][1] = 3
    assert x.tolist() == [[0, 3], [5, 0]]


def test_assignment_from_another_dtype(device):
    x = gpuarray.zeros((2, 3), np.int32)
    x[0] = gpuarray.to_device(np.array([1.7, -1.7, 300.2]))
    x[1, ::2] = gpuarray.to_device(np.array([True, False]))
    assert x.tolist() == [[1, -1, 300], [1, 0, 0]]


def test_assignment_takes_what_broadcasts(device):
    host = np.zeros((3, 1, 2))
    x = gpuarray.to_device(host)
    source = np.arange(3.0).reshape(1, 3, 1, 1)
    host[...] = source
    x[...] = gpuarray.to_device(source)
    assert_same(x, host)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (5, IndexError, "index 5 is out of bounds for axis 0 with size 3"),
        (-4, IndexError, "index -4 is out of bounds for axis 0 with size 3"),
        ((0, 4), IndexError, "index 4 is out of bounds for axis 1 with size 4"),
        (10**30, IndexError, "int|index"),
        ((0, 0, 0), IndexError, "too many indices for array: array is 2-dimensional, but 3 were"),
        ((..., ...), IndexError, "single ellipsis"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        ("name", IndexError, "only integers, slices"),
        (1.0, IndexError, "only integers, slices"),
        (slice("a"), TypeError, "slice indices"),
        ((None,) * 63, IndexError, "64"),
    ],
    ids=str,
)
def test_bad_indices(device, index, error, message):
    x = gpuarray.zeros((3, 4))
    with pytest.raises(error, match=message):
        x[index]
    with pytest.raises(error, match=message):
        x[index] = 1
    assert not x.get().any()


def test_assignments_that_do_not_fit(device):
    x = gpuarray.zeros((3, 4), np.uint8)
    with pytest.raises(ValueError, match=r"\(3,\).*\(3, 4\)|\(3, 4\).*\(3,\)"):
        x[...] = gpuarray.ones(3)
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = gpuarray.ones((2, 4))
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        x[0] = 300
    with pytest.raises(TypeError, match="to_device"):
        x[0] = np.ones(4)
    with pytest.raises(ValueError, match="delete"):
        del x[0]
    assert not x.get().any()


def test_read_only_arrays(device):
    x = gpuarray.zeros(3)
    x.flags.writeable = False
    for target in (x, x[1:], x.T, x.reshape(3, 1), x[None]):
        with pytest.raises(ValueError, match="read-only"):
            target[...] = 1
    assert not x.get().any()


def test_iteration_gives_views_of_the_first_axis(device):
    host = np.arange(6).reshape(3, 2)
    x = gpuarray.to_device(host)
    rows = list(x)
    assert [row.tolist() for row in rows] == host.tolist()
    rows[1][...] = -1
    assert x[1].tolist() == [-1, -1]
    assert [row.tolist() for row in reversed(x)] == x.tolist()[::-1]
    first, *_ = x
    assert first.tolist() == [0, 1]


def test_membership(device):
    x = gpuarray.to_device(np.array([[1.0, 2.0], [3.0, np.nan]]))
    assert 2.0 in x
    assert 2 in x
    assert 5.0 not in x
    assert np.nan not in x


@pytest.mark.parametrize("shape", [(1,), (2,), (1, 1), (0,)])
def test_an_element_takes_no_array_of_axes(device, shape):
    """An integer for each axis names an element, to which NumPy assigns no array with axes."""
    x, value = gpuarray.zeros((1, 3)), gpuarray.ones(shape)
    for target, index in ((x, (0, 1)), (x[0], 1), (x[0], (1,)), (x[0, 1:2].reshape(()), ())):
        with pytest.raises(ValueError, match=r"an array element with a sequence.*slice"):
            target[index] = value
    with pytest.raises(ValueError, match="array element"):
        x[0, 1] = value.tolist()
    if value.size:
        with pytest.raises(ValueError, match="array element"):
            value[(0,) * len(shape)] = value
    assert not x.any()


def test_an_element_takes_an_array_of_one_by_a_slice_or_an_ellipsis(device):
    host, x = np.zeros((2, 3)), gpuarray.zeros((2, 3))
    for xp, target in ((np, host), (gpuarray, x)):
        target[0, 1:2] = xp.ones((1, 1))
        target[1, 1, ...] = xp.ones(1)
        target[1, 2] = xp.ones(())
    assert_same(x, host)
