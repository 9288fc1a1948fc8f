# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""copy, astype and their orders, view, fill, and what views share."""

import copy

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.samples import ordinary
from _support.strategies import arrays, broadcastable, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def strides_of_long_axes(array):
    """Strides that matter: those along axes of more than one element."""
    return [s for s, extent in zip(array.strides, array.shape, strict=True) if extent > 1]


@given(data=st.data(), order=st.sampled_from("CFAK"))
def test_order_of_copies(device, data, order):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    expected, got = a.copy(order), x.copy(order)
    assert_same(got, expected)
    if a.size:
        assert strides_of_long_axes(got) == strides_of_long_axes(expected)
    assert got.base is None


@given(data=st.data(), order=st.sampled_from("CFAK"))
def test_order_of_astype(device, data, order):
    host = data.draw(arrays(dtype=np.dtype(np.int16)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    expected, got = np.asarray(a).astype(np.float64, order=order), x.astype("f8", order=order)
    assert_same(got, expected)
    if expected.size:
        assert strides_of_long_axes(got) == strides_of_long_axes(expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_copies_of_every_dtype_and_layout(device, layout, dtype):
    host = ordinary(dtype, (33, 65))
    x = layout(host)
    for order in "CFK":
        assert_same(x.copy(order), host)


def test_copies_are_independent(device):
    x = gpuarray.zeros((2, 2))
    for made in (x.copy(), copy.copy(x), copy.deepcopy(x), x.flatten(), gpuarray.array(x)):
        made[...] = 7
        assert made.base is None
    assert not x.get().any()


def test_shallow_copy_keeps_the_layout(device):
    x = gpuarray.zeros((3, 4)).T
    assert copy.copy(x).strides == x.strides


def test_results_keep_the_layout_of_their_operands(device):
    """As NumPy's order='K': what both operands agree on."""
    host = np.zeros((3, 4, 5)).transpose(2, 0, 1)
    x = gpuarray.zeros((3, 4, 5)).transpose(2, 0, 1)
    assert (x + x).strides == (host + host).strides
    assert gpuarray.exp(x).strides == np.exp(host).strides
    assert (x * 2).strides == (host * 2).strides


@given(data=st.data())
def test_layout_of_results_is_numpys(device, data):
    """The axes in the order that the operands agree on, else in C order."""
    shape = data.draw(st.lists(st.integers(2, 3), min_size=1, max_size=4).map(tuple))
    hosts = []
    for _ in range(2):
        axes = data.draw(st.permutations(range(len(shape))))
        part = data.draw(broadcastable(shape))
        part = (1,) * (len(shape) - len(part)) + part
        dense = np.zeros([part[axis] for axis in axes])
        hosts.append(dense.transpose(np.argsort(axes)))
    a, b = hosts
    x, y = (layouts.like(host) for host in hosts)
    for got, expected in ((x + y, a + b), (x + y.T.T * 2, a + b * 2)):
        # The stride along an axis of one element says nothing.
        walked = [axis for axis, extent in enumerate(expected.shape) if extent > 1]
        assert [got.strides[axis] for axis in walked] == [expected.strides[axis] for axis in walked]


@pytest.mark.parametrize(
    ("shape", "source", "target"),
    [
        ((4, 6), "int32", "float32"),
        ((4, 6), "int32", "int8"),
        ((4, 6), "uint8", "uint16"),
        ((2, 8), "float32", "complex128"),
        ((3, 0), "int64", "int16"),
        ((), "float64", "int64"),
        ((5,), "bool", "uint8"),
        ((4, 2), "float16", "bfloat16"),
    ],
    ids=str,
)
def test_view_as_another_dtype(device, shape, source, target):
    host = ordinary(source, shape)
    x = gpuarray.to_device(host)
    expected = host.view(gpuarray.empty(0, target).dtype)
    got = x.view(target)
    assert_same(got, expected)
    assert got.ptr == x.ptr
    if got.size:
        got[...] = 0
        assert not x.get().any()


def test_view_of_a_view(device):
    host = ordinary(np.int32, (4, 6))
    x = gpuarray.to_device(host)
    assert_same(x[::2, 2:4].view(np.int64), host[::2, 2:4].view(np.int64))
    assert_same(x[1::2].view(np.int16), host[1::2].view(np.int16))
    assert x.view().shape == x.shape
    assert x.view() is not x


@pytest.mark.parametrize(
    ("make", "dtype", "message"),
    [
        (lambda: gpuarray.zeros((), "f8"), "f4", "0d array"),
        (lambda: gpuarray.zeros((2, 3), "f4"), "f8", "divisor"),
        (lambda: gpuarray.zeros((4, 4), "f4")[:, ::2], "f8", "last axis must be contiguous"),
        (lambda: gpuarray.zeros((4, 4), "f4").T, "i2", "last axis must be contiguous"),
    ],
)
def test_views_that_do_not_fit(device, make, dtype, message):
    with pytest.raises(ValueError, match=message):
        make().view(dtype)


def test_view_takes_no_unsupported_dtype(device):
    with pytest.raises(TypeError, match="datetime64"):
        gpuarray.zeros(2, "i8").view("datetime64[s]")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_fill(device, dtype):
    x = gpuarray.zeros((3, 4), dtype)
    x[:, ::2].fill(1)
    expected = np.zeros((3, 4), dtype)
    expected[:, ::2] = 1
    assert_same(x, expected)
    x.fill(np.zeros((), dtype)[()])
    assert_same(x, np.zeros((3, 4), dtype))


def test_fill_refuses_what_is_no_scalar(device):
    x = gpuarray.zeros(3, np.uint8)
    for value in ([1, 2, 3], "text", None, gpuarray.ones(3), np.ones(3)):
        with pytest.raises((TypeError, ValueError)):
            x.fill(value)
    with pytest.raises(OverflowError, match="256 out of bounds for uint8"):
        x.fill(256)
    assert x.tolist() == [0, 0, 0]


def test_base_is_the_owner(device):
    x = gpuarray.zeros((4, 4))
    assert x.base is None
    assert x[1:].base is x
    assert x[1:][:, 0].T.base is x
    assert x.T.reshape(16).base is None, "a copy"
    assert x.view("i8").base is x


def test_views_keep_the_memory(device):
    row = gpuarray.to_device(np.arange(12.0).reshape(3, 4))[1]
    other = gpuarray.zeros((3, 4))
    assert row.tolist() == [4, 5, 6, 7]
    assert not other.get().any()


def test_read_only_views(device):
    x = gpuarray.zeros(4)
    view = x[1:]
    view.flags.writeable = False
    assert x.flags.writeable
    assert not view.flags.writeable
    assert not view[1:].flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        y = gpuarray.zeros(4)
        y.flags.writeable = False
        y[1:].flags.writeable = True


@pytest.mark.parametrize("bad", ["Z", "", "CF", 3])
def test_bad_orders(device, bad):
    x = gpuarray.zeros((2, 2))
    for call in (x.copy, x.ravel, x.flatten, x.tobytes):
        with pytest.raises((TypeError, ValueError), match="order"):
            call(bad)
