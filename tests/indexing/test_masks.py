# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Selection by masks, and assignment to what they select."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.samples import ordinary
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

SIZES = [0, 1, 15, 16, 17, 31, 2047, 2048, 2049, 16_385, 100_003]
SHARES = [0.0, 0.03, 0.5, 0.97, 1.0]


def mask_of(size, share, seed=0):
    return np.random.default_rng([seed, size]).random(size) < share


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("size", SIZES)
def test_selection_of_all_sizes(device, size, share):
    mask = mask_of(size, share)
    own = gpuarray.to_device(mask)
    for dtype in (np.uint8, np.float16, np.float32, np.float64, np.complex128):
        host = ordinary(dtype, (size,))
        assert_same(gpuarray.to_device(host)[own], host[mask])
    assert_same(gpuarray.nonzero(own)[0], mask.nonzero()[0])


@pytest.mark.parametrize("offset", [1, 3, 16])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_memory_off_boundaries(device, dtype, offset):
    host, mask = ordinary(dtype, (5000,)), mask_of(5000, 0.4)
    x, own = gpuarray.to_device(host), gpuarray.to_device(mask)
    assert_same(x[offset:][own[offset:]], host[offset:][mask[offset:]])
    assert_same(x[:-offset][own[offset:]], host[:-offset][mask[offset:]])
    assert_same(x[::-2][own[::2]], host[::-2][mask[::2]])


@given(data=st.data())
def test_masks_of_views(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    mask = data.draw(arrays(a.shape, np.bool_))
    assert_same(x[gpuarray.to_device(mask)], a[mask])
    values = ordinary(a.dtype, (np.count_nonzero(mask),), seed=9)
    a, x = a.copy(), x.copy()
    a[mask] = values
    x[gpuarray.to_device(mask)] = gpuarray.to_device(values)
    assert_same(x, a)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("size", SIZES)
def test_values_are_spread(device, size, share):
    mask = mask_of(size, share)
    for dtype in (np.uint8, np.float16, np.float32, np.float64, np.complex128):
        host = ordinary(dtype, (size,))
        values = ordinary(dtype, (np.count_nonzero(mask),), seed=4)
        x = gpuarray.to_device(host)
        host[mask] = values
        x[gpuarray.to_device(mask)] = gpuarray.to_device(values)
        assert_same(x, host)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_value_for_all(device, dtype):
    host, mask = ordinary(dtype, (30, 7)), mask_of(210, 0.5).reshape(30, 7)
    x, own = gpuarray.to_device(host), gpuarray.to_device(mask)
    for value in (1, True, np.ones((), dtype), gpuarray.full((), 1, dtype)):
        host[mask] = 1
        x[own] = value
        assert_same(x, host)
        x[...] = host[...] = 0
    x[own] = gpuarray.ones(1, np.float64)
    host[mask] = 1
    assert_same(x, host)
    x[own[:, 0]] = 0
    host[mask[:, 0]] = 0
    assert_same(x, host)


def test_comparisons_as_masks(device):
    host = ordinary(np.float32, (1000,))
    x = gpuarray.to_device(host)
    assert_same(x[x > 0.5], host[host > 0.5])
    x[x < 0] = 0
    host[host < 0] = 0
    assert_same(x, host)
    x[x == 0] = x[x == 0] + 2
    host[host == 0] += 2
    assert_same(x, host)


def test_a_mask_as_its_own_array(device):
    mask = mask_of(100, 0.5)
    own = gpuarray.to_device(mask)
    own[own] = gpuarray.zeros(int(mask.sum()), bool)
    assert not own.any()


def test_masks_of_leading_axes(device):
    host = ordinary(np.float32, (6, 4, 5))
    x = gpuarray.to_device(host)
    rows, planes = mask_of(6, 0.5), mask_of(24, 0.5).reshape(6, 4)
    assert_same(x[gpuarray.to_device(rows)], host[rows])
    assert_same(x[gpuarray.to_device(planes)], host[planes])
    assert_same(x.T[:, gpuarray.to_device(planes.T)], host.T[:, planes.T])
    values = ordinary(np.float32, (np.count_nonzero(planes), 5), seed=2)
    host[planes] = values
    x[gpuarray.to_device(planes)] = gpuarray.to_device(values)
    assert_same(x, host)


def test_values_that_do_not_fit(device):
    x, mask = gpuarray.zeros(5), gpuarray.to_device(np.array([1, 1, 0, 1, 0], bool))
    with pytest.raises(ValueError, match="cannot assign 2 input values to the 3 output values"):
        x[mask] = gpuarray.ones(2)
    with pytest.raises(TypeError, match="0 or 1-dimensional input, input has 2 dimensions"):
        x[mask] = gpuarray.ones((1, 3))
    assert not x.get().any()


@pytest.mark.parametrize(
    ("shape", "mask_shape"),
    [((1,), (0,)), ((3, 4), (0,)), ((3, 4), (0, 4)), ((3, 4), (3, 0)), ((0, 3), (0,))],
    ids=str,
)
def test_a_mask_of_no_extent_fits_any(device, shape, mask_shape):
    """As in NumPy, and as the array API standard demands."""
    host, mask = np.ones(shape), np.zeros(mask_shape, bool)
    x = gpuarray.to_device(host)
    assert_same(x[gpuarray.to_device(mask)], host[mask])
    x[mask] = 5
    assert_same(x, host)


@given(data=st.data())
def test_nonzero_functions(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    if a.ndim:
        for got, expected in zip(gpuarray.nonzero(x), a.nonzero(), strict=True):
            assert_same(got, expected)
    assert_same(gpuarray.argwhere(x), np.argwhere(a))
    assert_same(gpuarray.flatnonzero(x), np.flatnonzero(a))
    assert_same(gpuarray.count_nonzero(x), np.asarray(np.count_nonzero(a)))
    for axis in range(a.ndim):
        assert_same(gpuarray.count_nonzero(x, axis), np.count_nonzero(a, axis))


def test_nonzero_without_dimensions(device):
    with pytest.raises(ValueError, match="0d"):
        gpuarray.zeros(()).nonzero()


@pytest.mark.cuda
def test_shapes_that_hang_on_data_are_not_captured(cuda):
    x, mask = gpuarray.arange(5), gpuarray.ones(5, bool)
    out = gpuarray.zeros(5, np.int64)
    x[[0, 1]], x[mask]
    with pytest.raises(gpuarray.errors.CaptureError, match="on data"), gpuarray.capture():
        x[mask]
    with gpuarray.capture() as graph:
        out[mask] = 3
        out[[0, 1]] = x[[3, 4]]
    graph.launch()
    assert out.tolist() == [3, 4, 3, 3, 3]


@pytest.mark.parametrize("shape", [(2, 1), (1, 2, 1), (1, 1)], ids=str)
def test_values_beside_axes_of_one_element(device, shape):
    host, mask = np.zeros((3, 1)), np.array([True, False, True])
    x, values = gpuarray.to_device(host), ordinary(np.float64, shape)
    host[mask] = values
    x[gpuarray.to_device(mask)] = gpuarray.to_device(values)
    assert_same(x, host)


def test_values_are_of_the_shape_that_is_selected(device):
    x, mask = gpuarray.zeros((3, 1)), gpuarray.to_device(np.array([True, False, True]))
    with pytest.raises(ValueError, match=r"could not be broadcast to indexing result of shape"):
        x[mask] = gpuarray.ones(2)
