# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Views and copies in another shape or order, against NumPy's."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.samples import ordinary
from _support.strategies import arrays, shapes
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray


def both(name, host, *args, **kwargs):
    """Compare gpuarray's function with NumPy's; returns gpuarray's result."""
    got = getattr(gpuarray, name)(gpuarray.to_device(host), *args, **kwargs)
    expected = getattr(np, name)(host, *args, **kwargs)
    if isinstance(expected, (list, tuple)):
        assert type(got) is type(expected)
        assert len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            assert_same(a, b)
    else:
        assert_same(got, expected)
    return got


def hosts(max_dims, min_dims=0, dtype=None):
    fitting = shapes(max_dims).filter(lambda shape: len(shape) >= min_dims)
    return fitting.flatmap(lambda shape: arrays(shape, dtype))


def axes(ndim):
    return st.none() | st.integers(-ndim, ndim - 1) if ndim else st.none()


@given(hosts(4), st.data())
def test_broadcast_to(device, host, data):
    device_array = gpuarray.to_device(host)
    shape = tuple(data.draw(st.integers(0, 3)) if n == 1 else n for n in host.shape)
    target = (*data.draw(shapes(max_dims=2)), *shape)
    got = gpuarray.broadcast_to(device_array, target)
    assert_same(got, np.broadcast_to(host, target))
    assert not got.flags.writeable
    assert got.size == 0 or got.ptr == device_array.ptr


def test_broadcasting(device):
    rows, columns = np.arange(3)[:, None], np.arange(4.0)
    got = gpuarray.broadcast_arrays(gpuarray.to_device(rows), gpuarray.to_device(columns))
    for a, b in zip(got, np.broadcast_arrays(rows, columns), strict=True):
        assert_same(a, b)
    assert gpuarray.broadcast_arrays() == ()
    x = gpuarray.zeros((2, 3))
    assert gpuarray.broadcast_arrays(x, gpuarray.zeros(3))[0] is x
    assert gpuarray.broadcast_shapes((2, 1), 3, ()) == (2, 3)
    with pytest.raises(ValueError, match="mismatch"):
        gpuarray.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match=r"\(3,\) does not broadcast to \(2, 4\)"):
        gpuarray.broadcast_to(gpuarray.zeros(3), (2, 4))


@given(hosts(4), st.data())
def test_flips(device, host, data):
    both("flip", host, axis=data.draw(axes(host.ndim)))
    if host.ndim:
        both("flipud", host)
    if host.ndim > 1:
        both("fliplr", host)
        pair = data.draw(st.permutations(range(host.ndim)))[:2]
        both("rot90", host, data.draw(st.integers(-5, 5)), tuple(pair))


def test_flips_are_views(device):
    x = gpuarray.arange(6).reshape(2, 3)
    gpuarray.flip(x)[0, 0] = 50
    gpuarray.rot90(x, -1)[0, 0] = 60
    assert x.get().tolist() == [[0, 1, 2], [60, 4, 50]]
    assert_same(gpuarray.flip(x, (0, 1)), np.flip(x.get(), (0, 1)))
    with pytest.raises(ValueError, match="repeated axis"):
        gpuarray.flip(x, (0, 0))
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.flip(x, 2)


@given(hosts(3), st.data())
def test_roll(device, host, data):
    shift = st.integers(-7, 7)
    axis = data.draw(axes(host.ndim))
    both("roll", host, data.draw(shift), axis)
    if host.ndim:
        several = data.draw(
            st.lists(st.integers(-host.ndim, host.ndim - 1), min_size=1, max_size=3)
        )
        both("roll", host, data.draw(shift), tuple(several))
        both("roll", host, tuple(data.draw(shift) for _ in several), tuple(several))


@given(hosts(3), st.lists(st.integers(0, 3), max_size=4))
def test_tile(device, host, reps):
    both("tile", host, reps)
    both("tile", host, 2)


@given(hosts(3), st.data())
def test_repeat_by_a_number(device, host, data):
    both("repeat", host, data.draw(st.integers(0, 4)), data.draw(axes(host.ndim)))
    both("repeat", host, [data.draw(st.integers(0, 4))], data.draw(axes(host.ndim)))


@given(hosts(3), st.data())
def test_repeat_each_by_its_number(device, host, data):
    axis = data.draw(axes(host.ndim))
    extent = host.size if axis is None else host.shape[axis]
    counts = data.draw(st.lists(st.integers(0, 3), min_size=extent, max_size=extent))
    expected = np.repeat(host, np.array(counts, int), axis)
    x = gpuarray.to_device(host)
    assert_same(gpuarray.repeat(x, np.array(counts, np.int8), axis), expected)
    on_device = gpuarray.asarray(np.array(counts, np.int32))
    assert_same(gpuarray.repeat(x, on_device, axis), expected)


def test_repeat_by_unsigned_numbers(device):
    a = gpuarray.to_device([5, 6, 7])
    for repeats in (np.uint64(2), [np.uint64(2)] * 3, np.array([2, 2, 2], np.uint32)):
        assert gpuarray.repeat(a, repeats).tolist() == [5, 5, 6, 6, 7, 7]
    counts = np.array([1, 2, 3], np.uint64)
    for repeats in (counts, counts[:1], gpuarray.to_device(counts)):
        with pytest.raises(TypeError, match="uint64 to int64"):
            gpuarray.repeat(a, repeats)
    assert gpuarray.repeat(a[:0], []).tolist() == []


def test_repeat_and_delete_on_the_device(device):
    x = gpuarray.arange(12).reshape(3, 4)
    counts = np.array([2, 0, 1])
    expected = np.repeat(x.get(), counts, 0)
    assert_same(gpuarray.repeat(x, gpuarray.to_device(counts), 0), expected)
    assert_same(gpuarray.repeat(x, [2, 0, 1], 0), expected)
    with pytest.raises(ValueError, match="negative"):
        gpuarray.repeat(x, gpuarray.to_device(counts - 1), 0)
    mask = np.array([True, False, True, False])
    for chosen in (mask, [0, -1], slice(None, None, 2), np.array([], int)):
        assert_same(gpuarray.delete(x, chosen, 1), np.delete(x.get(), chosen, 1))
    assert_same(gpuarray.delete(x, gpuarray.to_device(mask), 1), np.delete(x.get(), mask, 1))
    for places in ([0, 2, 4], [1, 1], slice(0, 4, 2), np.array([], int)):
        assert_same(gpuarray.insert(x, places, 7, 1), np.insert(x.get(), places, 7, 1))
    values = np.arange(6).reshape(3, 2)
    got = gpuarray.insert(x, [0, -1], gpuarray.to_device(values), 1)
    assert_same(got, np.insert(x.get(), [0, -1], values, 1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_on_the_device(device, dtype):
    host = ordinary(dtype, (3, 4))
    both("flip", host)
    both("roll", host, (1, -1), (0, 1))
    both("tile", host, (2, 3))
    both("repeat", host, 3, 1)
    both("resize", host, (5, 7))
    both("tril", host, 1)
    both("triu", host, -1)
    both("pad", host, 2, "wrap")
    both("pad", host, 1, "symmetric")


def test_errors_of_copies(device):
    x = gpuarray.arange(6)
    for call in (
        lambda: gpuarray.repeat(x, -1),
        lambda: gpuarray.repeat(x, [1, 2]),
        lambda: gpuarray.repeat(x, [[1]] * 2),
        lambda: gpuarray.tile(x, -1),
        lambda: gpuarray.resize(x, (2, -1)),
        lambda: gpuarray.roll(x, [[1]], 0),
        lambda: gpuarray.fliplr(x),
        lambda: gpuarray.rot90(x.reshape(2, 3), axes=(0, 0)),
    ):
        with pytest.raises(ValueError):
            call()
    for name, args in {"flip": (), "roll": (1,), "tile": (2,), "repeat": (2,), "pad": (1,)}.items():
        with pytest.raises(TypeError, match=rf"{name}: expected a GPUArray, got numpy.ndarray"):
            getattr(gpuarray, name)(np.arange(3), *args)
    with pytest.raises(TypeError, match="repeat: expected integers"):
        gpuarray.repeat(x, 1.5)


@given(hosts(3), shapes(max_dims=3))
def test_resize(device, host, shape):
    both("resize", host, shape)


@given(hosts(3, min_dims=1), st.data())
def test_splits(device, host, data):
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    bounds = st.lists(st.integers(-6, 6), max_size=4)
    both("array_split", host, data.draw(st.integers(1, 5)), axis)
    both("split", host, data.draw(bounds), axis)
    both("unstack", host, axis=axis)
    both("hsplit", host, data.draw(bounds))
    for least, name in ((2, "vsplit"), (3, "dsplit")):
        if host.ndim >= least:
            both(name, host, data.draw(bounds))


def test_splits_are_views_of_equal_parts(device):
    x = gpuarray.arange(6)
    parts = gpuarray.split(x, 3)
    parts[1][...] = 9
    assert x.get().tolist() == [0, 1, 9, 9, 4, 5]
    for call in (
        lambda: gpuarray.split(x, 4),
        lambda: gpuarray.array_split(x, 0),
        lambda: gpuarray.vsplit(x, 2),
        lambda: gpuarray.dsplit(x, 2),
        lambda: gpuarray.unstack(x[0]),
    ):
        with pytest.raises(ValueError):
            call()


STACKS = ["hstack", "vstack", "dstack", "column_stack"]


@pytest.mark.parametrize("name", STACKS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (0,), (2, 0)], ids=str)
def test_stacks(device, name, shape):
    if name == "column_stack" and shape == ():
        pytest.skip("NumPy's result depends on the version")
    hosts = [ordinary(np.float32, shape), ordinary(np.int16, shape)]
    on_device = [gpuarray.to_device(host) for host in hosts]
    assert_same(getattr(gpuarray, name)(on_device), getattr(np, name)(hosts))
    if name in ("hstack", "vstack"):
        assert getattr(gpuarray, name)(on_device, dtype="complex64").dtype == np.complex64
    with pytest.raises(ValueError, match="at least one"):
        getattr(gpuarray, name)([])


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_atleast(device, name):
    for shape in [(), (3,), (2, 3), (2, 3, 4), (2, 1, 3, 1)]:
        both(name, ordinary(np.float64, shape))
    a, b = np.zeros(2), np.ones((2, 2))
    got = getattr(gpuarray, name)(gpuarray.to_device(a), gpuarray.to_device(b))
    for x, y in zip(got, getattr(np, name)(a, b), strict=True):
        assert_same(x, y)


def test_block(device):
    a, b, c = np.ones((2, 2)), np.zeros((2, 3), np.float32), np.arange(5)
    x, y, z = map(gpuarray.to_device, (a, b, c))
    assert_same(gpuarray.block([[x, y], [z]]), np.block([[a, b], [c]]))
    assert_same(gpuarray.block([z, 7, z]), np.block([c, 7, c]))
    assert_same(gpuarray.block([[[x]], [[x]]]), np.block([[[a]], [[a]]]))
    copied = gpuarray.block(x)
    copied[...] = 5
    assert_same(x, a)
    for wrong, error in (([[x], y], ValueError), ([], ValueError), ((x, x), TypeError)):
        with pytest.raises(error):
            gpuarray.block(wrong)


def test_append(device):
    host = np.arange(6.0).reshape(2, 3)
    x = gpuarray.to_device(host)
    assert_same(gpuarray.append(x, x, axis=1), np.append(host, host, axis=1))
    assert_same(gpuarray.append(x, 7), np.append(host, 7))
    with pytest.raises(ValueError, match="same number of dimensions"):
        gpuarray.append(x, x[0], axis=0)


@given(hosts(3, min_dims=1), st.data())
def test_delete_neighbours(device, host, data):
    axis = data.draw(st.integers(0, host.ndim - 1))
    extent = host.shape[axis]
    bound = st.integers(-6, 6) | st.none()
    chosen = slice(data.draw(bound), data.draw(bound), data.draw(st.sampled_from([None, 1, -1])))
    both("delete", host, chosen, axis)
    both("delete", host, chosen)
    if extent:
        both("delete", host, data.draw(st.integers(-extent, extent - 1)), axis)


@given(hosts(3, min_dims=1), st.data())
def test_insert_at_one_place(device, host, data):
    axis = data.draw(st.integers(0, host.ndim - 1))
    extent = host.shape[axis]
    at = data.draw(st.integers(-extent, extent))
    both("insert", host, at, 1, axis)
    both("insert", host, [at], 1, axis)
    both("insert", host, data.draw(st.integers(-host.size, host.size)), 1)


def test_insert_of_arrays(device):
    host, row = np.arange(6).reshape(2, 3), np.array([7.5, 8, 9])
    x, y = gpuarray.to_device(host), gpuarray.to_device(row)
    assert_same(gpuarray.insert(x, 1, y, axis=0), np.insert(host, 1, row, axis=0))
    assert_same(gpuarray.insert(x, 1, y[:2], axis=1), np.insert(host, 1, row[:2], axis=1))
    assert_same(gpuarray.insert(x, -1, y), np.insert(host, -1, row))
    for call in (gpuarray.insert, lambda x, at, *_: gpuarray.delete(x, at)):
        with pytest.raises(IndexError, match="out of bounds"):
            call(x, 9, 1)


MODES = [
    "constant",
    "edge",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
    "reflect",
    "symmetric",
]
SIMPLE = st.sampled_from([np.dtype(name) for name in ("int32", "float64", "complex64", "uint8")])


@settings(max_examples=200)
@given(st.sampled_from([*MODES, "wrap"]), st.data())
def test_pad(device, mode, data):
    host = data.draw(hosts(3, dtype=data.draw(SIMPLE)))
    if host.dtype.kind == "c" and mode in ("maximum", "median", "minimum", "linear_ramp"):
        host = host.real.copy()
    width = st.integers(0, 6)
    widths = data.draw(st.lists(st.tuples(width, width), min_size=host.ndim, max_size=host.ndim))
    kwargs = {}
    if mode in ("reflect", "symmetric"):
        kwargs["reflect_type"] = data.draw(st.sampled_from(["even", "odd"]))
    if mode in ("maximum", "mean", "median", "minimum"):
        kwargs["stat_length"] = data.draw(st.none() | st.integers(1, 4))
    if mode == "constant":
        kwargs["constant_values"] = data.draw(st.integers(0, 9))
    if mode == "linear_ramp":
        kwargs["end_values"] = data.draw(st.integers(0, 9))
    try:
        expected = np.pad(host, widths or 0, mode, **kwargs)
    except ValueError:
        with pytest.raises(ValueError):
            gpuarray.pad(gpuarray.to_device(host), widths or 0, mode, **kwargs)
        return
    got = gpuarray.pad(gpuarray.to_device(host), widths or 0, mode, **kwargs)
    assert got.dtype == expected.dtype
    narrow = expected.real.dtype.itemsize < 8  # whose ramps NumPy computes in float64
    np.testing.assert_allclose(got.get(), expected, rtol=1e-4 if narrow else 1e-9, atol=1e-9)


def test_pad_on_the_device(device):
    host = np.arange(12.0).reshape(3, 4)
    for mode in {*MODES, "wrap"} - {"linear_ramp"}:
        both("pad", host, ((2, 1), (1, 3)), mode)
    ramps = gpuarray.pad(gpuarray.to_device(host), 2, "linear_ramp", end_values=-1)
    np.testing.assert_allclose(ramps.get(), np.pad(host, 2, "linear_ramp", end_values=-1))
    both("pad", host, {1: (1, 2)}, constant_values=((1, 2), (3, 4)))
    got = gpuarray.pad(gpuarray.to_device(host), 1, "empty")
    assert_same(got[1:-1, 1:-1], host)

    def border(vector, widths, axis, kwargs):
        vector[: widths[0]] = kwargs["value"]

    both("pad", host, 1, border, value=3)


@pytest.mark.parametrize(
    ("args", "kwargs", "error"),
    [
        ((-1,), {}, ValueError),
        ((1.5,), {}, TypeError),
        (([1, 2, 3],), {}, ValueError),
        ((1, "circle"), {}, ValueError),
        ((1, "edge"), {"constant_values": 3}, ValueError),
        ((1, "reflect"), {"reflect_type": "strange"}, ValueError),
        ((1, "maximum"), {"stat_length": -1}, ValueError),
    ],
)
def test_pad_errors(device, args, kwargs, error):
    with pytest.raises(error, match="pad"):
        gpuarray.pad(gpuarray.ones((3, 3)), *args, **kwargs)


def test_numpy_calls_them(device):
    x = gpuarray.arange(6).reshape(2, 3)
    for got, expected in (
        (np.tile(x, 2), np.tile(x.get(), 2)),
        (np.roll(x, 1), np.roll(x.get(), 1)),
        (np.pad(x, 1), np.pad(x.get(), 1)),
        (np.vstack([x, x]), np.vstack([x.get()] * 2)),
        (np.diagonal(x), np.diagonal(x.get())),
        (np.repeat(x, 2), np.repeat(x.get(), 2)),
        (np.reshape(x, (3, 2)), np.reshape(x.get(), (3, 2))),
        (np.broadcast_to(x, (2, 2, 3)), np.broadcast_to(x.get(), (2, 2, 3))),
    ):
        assert isinstance(got, gpuarray.GPUArray)
        assert_same(got, expected)
