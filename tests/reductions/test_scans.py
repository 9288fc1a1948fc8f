# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""cumsum, cumprod and the accumulate of ufuncs along any axis, against NumPy."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, FLOATS, kind
from _support.strategies import arrays, shapes, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

EXTREMES = ["maximum", "minimum", "fmax", "fmin"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
LOGICAL = ["logical_and", "logical_or", "logical_xor"]
# Around a vector, a warp's rounds, a block's tile of 32 to 1 bytes, a group of 32 tiles.
LENGTHS = [1, 3, 15, 16, 17, 64, 511, 512, 513, 1024, 4095, 4096, 4097, 8192, 65537, 131072, 131077]


def numpy_scan(name, host, axis):
    """NumPy's; bfloat16 as float32, rounded once."""
    ufunc = getattr(np, {"cumsum": "add", "cumprod": "multiply"}.get(name, name))
    exact = host.astype(np.float32) if host.dtype == BFLOAT16 else host
    with np.errstate(all="ignore"):
        made = ufunc.accumulate(exact, axis=axis)
    return made.astype(BFLOAT16) if host.dtype == BFLOAT16 and made.dtype != bool else made


def small_numbers(dtype, shape, low=-2, high=3):
    """Whose sums are exact in every dtype."""
    return np.random.default_rng(list(shape)).integers(low, high, shape).astype(dtype)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_every_dtype_and_axis(device, name):
    cases = Collector()
    for dtype in DTYPES:
        cases.check(str(dtype), check_axes, name, small_numbers(dtype, (2, 3, 2), 1, 3))
    cases.finish()


def check_axes(name, host):
    x = gpuarray.to_device(host)
    for axis in range(-3, 3):
        expected = numpy_scan(name, host, axis)
        assert_same(getattr(gpuarray, name)(x, axis), expected, what=f"axis={axis}")
        assert_same(getattr(x, name)(axis=axis), expected, what=f"method, axis={axis}")
    assert_same(getattr(x, name)(), numpy_scan(name, host.ravel(), 0), what="all")


@pytest.mark.parametrize("name", EXTREMES + BITS + LOGICAL)
def test_every_operation(device, name):
    cases = Collector()
    for dtype in DTYPES:
        if name in BITS and kind(dtype) not in "biu":
            continue
        host = small_numbers(dtype, (3, 40), 0, 100)
        cases.check(str(dtype), check_ufunc, name, host)
    cases.finish()


def check_ufunc(name, host):
    x = gpuarray.to_device(host)
    for axis in (0, 1):
        expected = numpy_scan(name, host, axis)
        assert_same(getattr(np, name).accumulate(x, axis=axis), expected, what=f"axis={axis}")


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128"])
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(device, dtype, length):
    host = small_numbers(dtype, (length,))
    x = gpuarray.to_device(host)
    assert_same(x.cumsum(), np.cumsum(host), what="row")
    assert_same(gpuarray.to_device(host[1:])[::-1].cumsum(), np.cumsum(host[1:][::-1]), what="back")
    assert_same(np.maximum.accumulate(x), np.maximum.accumulate(host), what="maximum")


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((3, 5000), 1),  # tiles of several rows
        ((700, 3), 1),  # a thread a row
        ((70, 200), 1),  # several threads a row
        ((300, 130), 0),  # columns one by one
        ((64, 128), 0),  # one tile of whole vectors
        ((129, 4096), 0),  # tiles of enough columns to look back
        ((130, 1030), 0),
        ((5000, 3), 0),  # few columns: strided rows
        ((2, 100, 33), 1),
        ((2, 3, 40, 64), 2),
        ((40, 2, 3, 64), 0),
    ],
)
def test_shapes(device, shape, axis):
    for dtype in ("float32", "uint8", "float16"):
        host = small_numbers(dtype, shape, 0, 2)
        x = gpuarray.to_device(host)
        assert_same(np.maximum.accumulate(x, axis), np.maximum.accumulate(host, axis))
        exact = host.astype("float32")
        got = x.cumsum(axis, dtype="float32")
        assert_same(got, np.cumsum(exact, axis), what=dtype)


@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_layouts(device, layout):
    host = small_numbers("float32", (6, 7, 40))
    for axis in range(3):
        assert_same(layout(host).cumsum(axis), np.cumsum(host, axis), what=f"axis={axis}")
    assert_same(layout(host).cumsum(), np.cumsum(host), what="all")


def test_large(device):
    host = np.random.default_rng(0).integers(-3, 4, 1 << 22).astype(np.float32)
    x = gpuarray.to_device(host)
    assert_same(x.cumsum(), np.cumsum(host, dtype=np.float64).astype(np.float32))
    assert_same(x[5:].cumsum(), np.cumsum(host[5:], dtype=np.float64).astype(np.float32))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_same_bits_every_time(device, dtype):
    host = np.random.default_rng(1).standard_normal((3, 40_000)).astype(dtype)
    x = gpuarray.to_device(host)
    for axis in (0, 1):
        first = x.cumsum(axis).get().tobytes()
        assert all(x.cumsum(axis).get().tobytes() == first for _ in range(3))


def test_float32_is_accumulated_in_float64(device):
    host = np.full(300_000, 0.1, np.float32)
    expected = np.cumsum(host, dtype=np.float64).astype(np.float32)
    np.testing.assert_allclose(gpuarray.to_device(host).cumsum().get(), expected, rtol=1e-7)


@pytest.mark.parametrize("name", ["add", "multiply", *EXTREMES])
def test_special_values(device, name):
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5]
    host = np.array([[a, b, c] for a in special for b in special for c in special]).T.copy()
    x = gpuarray.to_device(host)
    for axis in (0, 1):
        got = getattr(np, name).accumulate(x, axis)
        assert_same(got, numpy_scan(name, host, axis), what=f"axis={axis}")


def test_the_first_element_stays_as_it_is(device):
    for value in (-0.0, complex(np.inf, 0), complex(-0.0, -0.0)):
        host = np.array([value])
        for name in ("cumsum", "cumprod"):
            assert getattr(gpuarray.to_device(host), name)().get().tobytes() == host.tobytes()


@given(data=st.data())
def test_any_view(device, data):
    dtype = np.dtype(data.draw(st.sampled_from(["bool", "int8", "int32", "uint64"])))
    base = data.draw(arrays(shape=data.draw(shapes(max_dims=4)), dtype=dtype))
    host, x = data.draw(views((base, gpuarray.to_device(base))))
    host = np.asarray(host)
    if host.ndim == 0:
        return
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    assert_same(x.cumsum(axis), np.cumsum(host, axis))
    assert_same(np.minimum.accumulate(x, axis), np.minimum.accumulate(host, axis))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
def test_nothing(device, shape):
    host = np.zeros(shape, np.int16)
    for axis in (None, *range(len(shape))):
        assert_same(gpuarray.to_device(host).cumsum(axis), np.cumsum(host, axis))


def test_no_dimensions(device):
    host = np.array(3, np.int8)
    x = gpuarray.to_device(host)
    for axis in (None, 0, -1):
        assert_same(x.cumsum(axis), np.cumsum(host, axis))
    with pytest.raises(TypeError, match="no dimensions"):
        np.add.accumulate(x)


@pytest.mark.parametrize(
    ("source", "dtype"),
    [("int8", "int8"), ("int32", "float64"), ("float32", "float64"), ("bool", "bool")],
)
def test_dtype(device, source, dtype):
    host = small_numbers(source, (5, 70), 0, 3)
    x = gpuarray.to_device(host)
    assert_same(x.cumsum(1, dtype=dtype), np.cumsum(host, 1, dtype=dtype))
    assert_same(x.cumprod(0, dtype), np.cumprod(host, 0, dtype))


def test_out(device):
    host = small_numbers("int32", (4, 70))
    x = gpuarray.to_device(host)
    out = gpuarray.empty((4, 70), "int64")
    assert x.cumsum(1, out=out) is out
    assert_same(out, np.cumsum(host, 1))
    wide = gpuarray.zeros((4, 140), "float64")
    x.cumsum(1, out=wide[:, ::-2])
    assert_same(wide[:, ::-2], np.cumsum(host, 1, dtype="float64"))
    assert_same(wide[:, ::2], np.zeros((4, 70)))
    np.add.accumulate(x, 0, out=x)
    assert_same(x, np.cumsum(host, 0, dtype="int32"))


def test_out_overlaps(device):
    host = small_numbers("float64", (9000,))
    x = gpuarray.to_device(host)
    x[:-1].cumsum(out=x[1:])
    expected = host.copy()
    expected[1:] = np.cumsum(host[:-1])
    assert_same(x, expected)
    x[::-1].cumsum(out=x)
    assert_same(x, np.cumsum(expected[::-1]))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_array_api_names(device, name):
    initial = int(name.endswith("prod"))
    host = small_numbers("int16", (3, 5), 1, 3)
    x = gpuarray.to_device(host)
    ufunc = np.multiply if initial else np.add
    function = getattr(gpuarray, name)
    for axis in (0, 1, -1):
        expected = ufunc.accumulate(host, axis)
        assert_same(function(x, axis=axis), expected)
        assert_same(getattr(np, name)(x, axis=axis), expected)
        widths = [(1, 0) if k == axis % 2 else (0, 0) for k in range(2)]
        padded = np.pad(expected, widths, constant_values=initial)
        assert_same(function(x, axis=axis, include_initial=True), padded)
        out = gpuarray.empty(padded.shape, "int64")
        assert function(x, axis=axis, include_initial=True, out=out) is out
        assert_same(out, padded)
    assert_same(function(x[0], dtype="float32"), ufunc.accumulate(host[0], dtype="float32"))
    with pytest.raises(ValueError, match=f"^{name}:"):
        function(x)


def test_numpy_calls(device):
    host = small_numbers("int8", (3, 4))
    x = gpuarray.to_device(host)
    assert_same(np.cumsum(x), np.cumsum(host))
    assert_same(np.cumprod(x, axis=1, dtype="int32"), np.cumprod(host, axis=1, dtype="int32"))
    assert_same(np.add.accumulate(x), np.add.accumulate(host))
    assert_same(np.add.accumulate(x, axis=(1,)), np.add.accumulate(host, axis=1))


def test_streams(device):
    host = small_numbers("float32", (20_000,))
    x = gpuarray.to_device(host)
    stream = gpuarray.Stream()
    on_stream = x.cumsum(stream=stream)
    with stream:
        assert_same(x.cumsum(), np.cumsum(host))
    assert_same(on_stream, np.cumsum(host))
    assert_same(gpuarray.cumulative_sum(x, stream=stream), np.cumsum(host))


def test_graphs(device):
    host = small_numbers("float32", (20_000,))
    x = gpuarray.to_device(host)
    x.cumsum()  # compiled before
    graph = gpuarray.graph(lambda a: a.cumsum())(x)
    for factor in (1, 2):
        x[...] = gpuarray.to_device(host * np.float32(factor))
        graph.launch()
        assert_same(graph.result, np.cumsum(host * np.float32(factor)))


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (np.exceptions.AxisError, "axis 2", lambda x: x.cumsum(2)),
        (TypeError, "expected an int", lambda x: x.cumsum((0, 1))),
        (TypeError, "less.accumulate", lambda x: np.less.accumulate(x)),
        (TypeError, "bitwise_or.accumulate: dtype float64", lambda x: np.bitwise_or.accumulate(x)),
        (TypeError, "dtype must be bool", lambda x: np.logical_or.accumulate(x, dtype=int)),
        (ValueError, "multiple axes", lambda x: np.add.accumulate(x, axis=(0, 1))),
        (ValueError, "expected", lambda x: x.cumsum(0, out=gpuarray.empty(3))),
        (TypeError, "same_kind", lambda x: x.cumsum(0, float, out=gpuarray.empty((2, 3), int))),
        (TypeError, "GPUArray", lambda x: gpuarray.cumsum(np.ones(2))),
        (TypeError, "GPUArray", lambda x: gpuarray.cumulative_sum(np.ones(2))),
    ],
)
def test_errors(device, error, match, call):
    with pytest.raises(error, match=match):
        call(gpuarray.ones((2, 3)))
