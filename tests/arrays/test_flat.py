# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""`a.flat`: read, assigned, iterated over, in C order whatever the layout, as NumPy's."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same

import gpuarray

LAYOUTS = {
    name: getattr(layouts, name)
    for name in ("contiguous", "strided", "reversed_axes", "transposed", "inner")
}
KEYS = {
    "integer": 3,
    "negative": -1,
    "numpy integer": np.int32(2),
    "slice": slice(1, 5),
    "backwards": slice(None, None, -2),
    "nothing": slice(3, 3),
    "ellipsis": ...,
    "empty tuple": (),
    "tuple": (slice(1, 3),),
    "list": [0, 2, -1],
    "empty list": [],
    "array": np.array([[0, 5], [2, 3]]),
    "twice": [1, 1, 4],
    "mask": np.array([True, False, True, True, False, False]),
}
BAD_KEYS = {
    "integer": 6,
    "negative": -7,
    "too many": (1, 2),
    "mask of the array's shape": np.ones((2, 3), bool),
    "long mask": np.ones(7, bool),
    "none": None,
    "bool": True,
    "float": 1.0,
    "floats": np.array([1.0]),
    "text": "a",
}


def pair(layout, dtype="int32", shape=(2, 3)):
    host = (np.arange(np.prod(shape)) * 3 % 7).astype(dtype).reshape(shape)
    return host, LAYOUTS[layout](host).reshape(shape)


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.mark.parametrize("key", KEYS)
def test_reading(device, layout, key):
    host, a = pair(layout)
    got = a.flat[KEYS[key]]
    assert_same(got, np.asarray(host.flat[KEYS[key]]))
    if got.ndim:  # a copy
        got[...] = 9
        assert a.tolist() == host.tolist()


@pytest.mark.parametrize("key", ["array", "mask"])
def test_keys_on_the_device(device, layout, key):
    host, a = pair(layout)
    on_device = gpuarray.to_device(KEYS[key])
    assert_same(a.flat[on_device], host.flat[KEYS[key]])
    a.flat[on_device] = 9
    host.flat[KEYS[key]] = 9
    assert a.tolist() == host.tolist()


@pytest.mark.parametrize("key", [key for key in KEYS if key != "empty tuple"])
@pytest.mark.parametrize("values", [7, 1.75, [8, 9], [[4, 3, 2, 1, 0, 8, 7]], []], ids=str)
def test_assigning(device, layout, key, values):
    """Values are cast to the array's dtype, and repeated as needed."""
    if isinstance(values, list) and key in ("integer", "negative", "numpy integer"):
        values = 3
    host, a = pair(layout)
    host.flat[KEYS[key]] = values
    a.flat[KEYS[key]] = values
    assert a.tolist() == host.tolist()
    _, a = pair(layout)
    a.flat[KEYS[key]] = gpuarray.to_device(np.asarray(values))
    assert a.tolist() == host.tolist()


@pytest.mark.parametrize("values", [5, 2.5, [1, 2], [[1, 2], [3, 4]], range(10), []], ids=str)
def test_assigning_the_attribute(device, layout, values):
    host, a = pair(layout)
    host.flat = values
    a.flat = values
    assert a.tolist() == host.tolist()


def test_values_of_the_array_itself(device, layout):
    host, a = pair(layout)
    host.flat = host[::-1].copy()
    a.flat = a[::-1]
    assert a.tolist() == host.tolist()
    a.flat[:3] = a.flat
    host.flat[:3] = host.flat[:3].copy()
    assert a.tolist() == host.tolist()


@pytest.mark.parametrize("key", BAD_KEYS)
def test_bad_keys(device, layout, key):
    host, a = pair(layout)
    with pytest.raises(IndexError):
        a.flat[BAD_KEYS[key]]
        a.synchronize()
    with pytest.raises(IndexError):
        a.flat[BAD_KEYS[key]] = 1
        a.synchronize()
    assert a.tolist() == host.tolist()


def test_bad_values(device, layout):
    host, a = pair(layout)
    for value in (np.ones(2), "a", None):
        for key in (0, slice(2), [1, 2]):
            with pytest.raises(TypeError, match="to_device"):
                a.flat[key] = value
    with pytest.raises((TypeError, ValueError)):
        a.flat[0] = [1, 2]
    with pytest.raises(TypeError, match="delete"):
        del a.flat
    with pytest.raises((TypeError, AttributeError)):
        del a.flat[0]
    a.flags.writeable = False
    for key in (0, ..., [1, 2]):
        with pytest.raises(ValueError, match="read-only"):
            a.flat[key] = 1
    assert a.tolist() == host.tolist()


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (4,), (2, 3), (2, 1, 3)])
def test_iterating(device, layout, shape):
    host, a = pair(layout, shape=shape)
    expected, got = host.flat, a.flat
    assert (len(got), got.index, got.coords) == (len(expected), expected.index, expected.coords)
    for one, element in zip(got, expected, strict=True):
        assert one.item() == element
        assert (got.index, got.coords) == (expected.index, expected.coords)
    assert list(got) == []
    assert got.base is a


def test_copies(device, layout):
    host, a = pair(layout)
    assert_same(a.flat.copy(), host.flat.copy())
    assert_same(a.flat[...], host.flat[...])
    for made in (np.asarray(a.flat), np.array(a.flat), a.flat.__array__("float64")):
        assert made.tolist() == host.ravel().tolist()
    a.flat.copy()[0] = 100
    assert a.tolist() == host.tolist()


def test_comparisons(device, layout):
    host, a = pair(layout)
    assert_same(a.flat == 3, host.flat == 3)
    assert_same(a.flat < 3, host.flat < 3)
    assert (a.flat != a.copy().flat).tolist() == [False] * 6
    with pytest.raises(TypeError, match="hash"):
        hash(a.flat)
