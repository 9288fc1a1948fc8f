# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""reshape, ravel, flatten, transpose, swapaxes, squeeze and expand_dims, against NumPy."""

import math

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.samples import ordinary
from _support.strategies import arrays, shapes, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def shares_memory(a, b):
    return a.base is not None and (a.base is b or a.base is b.base)


@st.composite
def splits(draw, size):
    """A shape of so many elements."""
    if size == 0:
        return draw(shapes().filter(lambda shape: 0 in shape))
    factors = []
    while size > 1 and len(factors) < 5:
        divisor = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
        factors.append(divisor)
        size //= divisor
    return tuple(draw(st.permutations([*factors, size])))


@pytest.mark.parametrize("shape", [(1, 1, 1, 4, 1, 2), (1, 8), (8, 1), (2, 1, 4, 1), (1, 1, 8, 1)])
def test_strides_of_axes_of_one_element(device, shape):
    host = np.zeros(8, np.float32)
    x = gpuarray.to_device(host)
    assert x.reshape(shape).strides == host.reshape(shape).strides
    assert x[::2].reshape(1, 4).strides == host[::2].reshape(1, 4).strides


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_ravel_of_repeated_elements(device, axes, order):
    column = np.arange(2.0)[:, None]
    host = np.broadcast_to(column, (3, 2, 4)).transpose(axes)
    x = gpuarray.broadcast_to(gpuarray.to_device(column), (3, 2, 4)).transpose(axes)
    assert x.ravel(order).tolist() == host.ravel(order).tolist()


@given(data=st.data())
def test_reshape_of_any_view(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    shape = data.draw(splits(a.size))
    order = data.draw(st.sampled_from("CFA"))
    expected, got = np.reshape(a, shape, order=order), x.reshape(shape, order=order)
    assert_same(got, expected)
    if a.size > 1:
        is_view = np.shares_memory(expected, host)
        assert shares_memory(got, x) == is_view or not is_view, "a view where NumPy has one"


@given(data=st.data())
def test_ravel_and_flatten_of_any_view(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    for order in "CFA":
        assert_same(x.ravel(order), np.asarray(a).ravel(order), what=f"ravel {order}")
        assert_same(x.flatten(order), np.asarray(a).flatten(order), what=f"flatten {order}")
        assert not shares_memory(x.flatten(order), x)


@pytest.mark.parametrize("order", "CFAK")
def test_ravel_orders_of_dense_arrays(device, order):
    host = np.arange(24).reshape(2, 3, 4)
    x = gpuarray.to_device(host)
    for axes in [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)]:
        a, g = host.transpose(axes), x.transpose(axes)
        assert_same(g.ravel(order), a.ravel(order))
        assert_same(g.flatten(order), a.flatten(order))


def test_reshape_is_a_view_where_possible(device):
    x = gpuarray.zeros((2, 3, 4))
    for view in (x.reshape(6, 4), x.reshape(-1), x.ravel(), x[:, ::2].reshape(2, 2, 2, 2)):
        view[...] += 1
    assert x[0, 0, 0].item() == 4
    copy = x.T.reshape(-1)
    copy[...] = 100
    assert x.get().max() == 4


def test_ways_to_write_a_shape(device):
    x = gpuarray.arange(12)
    expected = np.arange(12).reshape(3, 4)
    for got in (
        x.reshape(3, 4),
        x.reshape((3, 4)),
        x.reshape([3, 4]),
        x.reshape(3, -1),
        x.reshape((-1, 4)),
        x.reshape(np.int64(3), np.int8(4)),
        gpuarray.reshape(x, (3, 4)),
    ):
        assert_same(got, expected)
    assert x.reshape(12).shape == (12,)
    assert gpuarray.ones(1).reshape(()).shape == ()
    assert gpuarray.ones(()).reshape(1, 1).shape == (1, 1)
    assert gpuarray.ones((0, 3)).reshape(-1, 5).shape == (0, 5)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 2), r"cannot reshape array of size 6 into shape \(2,2\)"),
        ((-1, 4), r"cannot reshape array of size 6 into shape"),
        ((-1, -1), "one unknown dimension"),
        ((0, -1), "cannot reshape"),
        ((-2, 3), "negative|reshape"),
        ((2**62, 2**62), "big|large|reshape|2\\*\\*63"),
        ((1,) * 65, "64"),
    ],
    ids=str,
)
def test_bad_shapes(device, shape, message):
    with pytest.raises(ValueError, match=message):
        gpuarray.zeros((2, 3)).reshape(shape)


@given(data=st.data())
def test_transpose_of_any_view(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    axes = data.draw(st.permutations(range(a.ndim)))
    signed = [data.draw(st.sampled_from([axis, axis - a.ndim])) for axis in axes]
    assert_same(x.transpose(signed), np.asarray(a.transpose(axes)))
    assert_same(x.T, np.asarray(a.T))
    assert shares_memory(x.T, x)


def test_ways_to_transpose(device):
    host = ordinary(np.int32, (2, 3, 4))
    x = gpuarray.to_device(host)
    for got in (x.T, x.transpose(), x.transpose(None), x.transpose(2, 1, 0), gpuarray.transpose(x)):
        assert_same(got, host.T)
    assert_same(x.transpose((1, 0, 2)), host.transpose(1, 0, 2))
    assert_same(gpuarray.transpose(x, (1, 2, 0)), host.transpose(1, 2, 0))
    assert_same(x.mT, host.mT)
    assert_same(x.swapaxes(0, -1), host.swapaxes(0, -1))
    assert_same(gpuarray.swapaxes(x, 1, 2), host.swapaxes(1, 2))
    with pytest.raises(ValueError, match="matrix transpose"):
        _ = gpuarray.ones(3).mT


@pytest.mark.parametrize(
    ("axes", "error", "message"),
    [
        ((0,), ValueError, "axes don't match array"),
        ((0, 0), ValueError, "repeated axis"),
        ((0, 2), np.exceptions.AxisError, "axis 2 is out of bounds for array of dimension 2"),
        ((0, -3), np.exceptions.AxisError, "axis -3 is out of bounds"),
        ((0, 1.5), TypeError, "int"),
    ],
    ids=str,
)
def test_bad_axes_of_transpose(device, axes, error, message):
    with pytest.raises(error, match=message):
        gpuarray.zeros((2, 3)).transpose(axes)


@given(data=st.data())
def test_squeeze_and_expand_dims(device, data):
    host = ordinary(np.int16, data.draw(shapes(max_side=2)))
    x = gpuarray.to_device(host)
    assert_same(x.squeeze(), host.squeeze())
    ones = [axis for axis, extent in enumerate(host.shape) if extent == 1]
    chosen = tuple(data.draw(st.lists(st.sampled_from(ones), unique=True))) if ones else ()
    assert_same(gpuarray.squeeze(x, chosen), np.squeeze(host, chosen))
    count = data.draw(st.integers(0, 3))
    ndim = host.ndim + count
    axes = tuple(data.draw(st.integers(-ndim, ndim - 1)) for _ in range(count))
    try:
        expected = np.expand_dims(host, axes)
    except ValueError:
        with pytest.raises(ValueError, match="repeated axis"):
            gpuarray.expand_dims(x, axes)
        return
    assert_same(gpuarray.expand_dims(x, axes), expected)


def test_squeeze_and_expand_dims_take_one_axis(device):
    x = gpuarray.zeros((1, 3, 1))
    assert x.squeeze(0).shape == (3, 1)
    assert x.squeeze(-1).shape == (1, 3)
    assert gpuarray.expand_dims(x, 1).shape == (1, 1, 3, 1)
    with pytest.raises(ValueError, match="size not equal to one"):
        x.squeeze(1)
    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds"):
        x.squeeze(3)
    with pytest.raises(np.exceptions.AxisError, match="axis 5 is out of bounds"):
        gpuarray.expand_dims(x, 5)


@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_reshape_of_large_views(device, layout):
    host = np.arange(math.prod((30, 40, 7)), dtype=np.float32).reshape(30, 40, 7)
    got = layout(host).reshape(70, 120, order="F")
    assert_same(got, host.reshape(70, 120, order="F"))
