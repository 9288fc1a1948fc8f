# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""sum, prod, max, min, any, all and mean over any axes, against NumPy."""

import itertools

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, FLOATS, epsilon, kind
from _support.samples import few, ordinary
from _support.strategies import arrays, shapes, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

NAMES = ["sum", "prod", "max", "min", "any", "all"]


def numpy_reduce(name, host, **kwargs):
    """NumPy's; bfloat16 as float32, rounded once."""
    with np.errstate(all="ignore"):
        if host.dtype != BFLOAT16 or name in ("any", "all"):
            return np.asarray(getattr(np, name)(host, **kwargs))
        return np.asarray(getattr(np, name)(host.astype(np.float32), **kwargs)).astype(BFLOAT16)


def whole_numbers(dtype, shape):
    """For which sums and products are exact: powers of two."""
    values = np.random.default_rng(list(shape)).integers(1, 3, shape)
    return values.astype(dtype)


def axes_of(ndim):
    every = [axes for n in range(ndim + 1) for axes in itertools.combinations(range(ndim), n)]
    return [None, *range(-ndim, ndim), *every]


@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_and_axis(device, name):
    cases = Collector()
    for dtype in DTYPES:
        cases.check(str(dtype), check_axes, name, whole_numbers(dtype, (2, 3, 2)))
    cases.finish()


def check_axes(name, host):
    x = gpuarray.to_device(host)
    for axis in axes_of(host.ndim):
        for keepdims in (False, True):
            expected = numpy_reduce(name, host, axis=axis, keepdims=keepdims)
            what = f"axis={axis} keepdims={keepdims}"
            assert_same(getattr(x, name)(axis=axis, keepdims=keepdims), expected, what=what)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_every_layout(device, layout, name):
    for dtype in (np.float32, np.int64, np.complex64, bool, np.float16):
        host = whole_numbers(dtype, (5, 4, 6))
        for axis in (None, 0, 1, 2, (0, 2)):
            got = getattr(gpuarray, name)(layout(host), axis=axis)
            assert_same(got, numpy_reduce(name, host, axis=axis), what=f"{dtype} {axis}")


@given(data=st.data(), name=st.sampled_from(["sum", "max", "all"]))
def test_any_view(device, data, name):
    host = data.draw(arrays(dtype=np.dtype(np.int32)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    axes = tuple(data.draw(st.lists(st.integers(0, a.ndim - 1), unique=True))) if a.ndim else ()
    try:
        expected = np.asarray(getattr(a, name)(axis=axes))
    except ValueError:
        with pytest.raises(ValueError, match="zero-size"):
            getattr(x, name)(axis=axes)
        return
    assert_same(getattr(x, name)(axis=axes), expected)


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 255, 256, 257, 1023, 4097, 100003])
@pytest.mark.parametrize("name", ["sum", "max", "any"])
def test_sizes_around_blocks(device, name, size):
    host = np.random.default_rng(size).integers(-99, 99, size)
    x = gpuarray.to_device(host)
    assert_same(getattr(x, name)(), numpy_reduce(name, host))
    assert_same(getattr(x[::-1], name)(), numpy_reduce(name, host))


@pytest.mark.parametrize("shape", [(3, 100001), (100001, 3), (700, 800), (1, 50000), (50000, 1)])
def test_rows_and_columns(device, shape):
    host = np.random.default_rng(0).integers(-9, 9, shape)
    x = gpuarray.to_device(host)
    for axis in (0, 1):
        assert_same(x.sum(axis=axis), host.sum(axis=axis))
        assert_same(x.T.min(axis=axis), host.T.min(axis=axis))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_result_dtypes_are_numpys(device, dtype):
    x = gpuarray.ones(3, dtype)
    known = np.ones(3, np.float16 if dtype == BFLOAT16 else dtype)
    for name in NAMES:
        expected = getattr(np, name)(known).dtype
        expected = BFLOAT16 if dtype == BFLOAT16 and expected == np.float16 else expected
        assert getattr(x, name)().dtype == expected, name
        assert getattr(x, name)().shape == ()


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != BFLOAT16], ids=str)
def test_dtype_argument(device, dtype):
    host = np.array([1, 2, 3, 1], np.int8)
    x = gpuarray.to_device(host)
    for name in ("sum", "prod"):
        assert_same(getattr(x, name)(dtype=dtype), np.asarray(getattr(host, name)(dtype=dtype)))


def test_integer_sums_widen(device):
    x = gpuarray.full(1000, 100, np.int8)
    assert x.sum().item() == 100000
    assert gpuarray.full(3, 2**31, np.uint32).sum().item() == 3 * 2**31
    assert gpuarray.ones(300, bool).sum().item() == 300
    wrapped = gpuarray.full(2, 2**63 - 1).sum()
    assert wrapped.item() == -2


@pytest.mark.parametrize("name", NAMES)
def test_no_elements(device, name):
    for shape, axis in [((0,), None), ((0, 3), 0), ((2, 0), (0, 1)), ((0, 3), None), ((0, 0), 0)]:
        x = gpuarray.zeros(shape)
        if name in ("max", "min"):
            with pytest.raises(ValueError, match=f"zero-size array to reduction operation.*{name}"):
                getattr(x, name)(axis=axis)
            continue
        assert_same(getattr(x, name)(axis=axis), numpy_reduce(name, np.zeros(shape), axis=axis))
    x = gpuarray.zeros((0, 3))
    assert getattr(x, name)(axis=1).shape == (0,)


@pytest.mark.parametrize("dtype", [*FLOATS, *(d for d in DTYPES if kind(d) == "c")], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_special_values(device, name, dtype):
    values = few(dtype)
    for host in (values, values[values == values], np.array([np.nan, 1, -1]).astype(dtype)):
        got, expected = getattr(gpuarray.to_device(host), name)(), numpy_reduce(name, host)
        if name in ("sum", "prod") and kind(dtype) == "c":
            assert np.isnan(got.get()) == np.isnan(expected)
            continue
        assert_same(got, expected, signed_zero=name not in ("max", "min"))


@pytest.mark.parametrize("place", [0, 1, 500, 999])
@pytest.mark.parametrize("name", ["max", "min", "sum"])
def test_nan_is_found_anywhere(device, name, place):
    host = np.arange(1000, dtype=np.float32)
    host[place] = np.nan
    assert np.isnan(getattr(gpuarray.to_device(host), name)().item())


def test_accuracy_of_float32_sums(device):
    """A million addends; one running sum would be off by thousands of units."""
    host = np.random.default_rng(0).random(10**6, np.float32)
    exact = host.astype(np.float64).sum()
    x = gpuarray.to_device(host)
    for got in (x.sum(), x.reshape(1000, 1000).sum(axis=0).sum(), x[::-1].sum()):
        assert abs(got.item() - exact) <= 32 * epsilon(np.float32) * exact
    tenths = gpuarray.full(10**6, 0.1, np.float32).sum().item()
    assert abs(tenths - 10**6 * float(np.float32(0.1))) < 0.1


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16], ids=str)
def test_halves_are_summed_in_float32(device, dtype):
    x = gpuarray.ones(4096, dtype)
    assert x.sum().astype(np.float32).item() == 4096
    assert gpuarray.mean(gpuarray.full(10**5, 3, dtype)).astype(np.float32).item() == 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_sums_are_deterministic(device, dtype):
    x = gpuarray.to_device(ordinary(dtype, (300, 500)))
    for axis in (None, 0, 1):
        first = x.sum(axis=axis).get()
        for _ in range(5):
            assert_same(x.sum(axis=axis), first)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_mean(device, dtype):
    host = whole_numbers(dtype, (3, 4))
    x = gpuarray.to_device(host)
    known = host.astype(np.float16) if dtype == BFLOAT16 else host
    for axis in (None, 0, 1, (0, 1)):
        expected = np.asarray(known.mean(axis=axis))
        got = x.mean(axis=axis)
        assert got.dtype == (BFLOAT16 if dtype == BFLOAT16 else expected.dtype)
        rtol = 2e-2 if dtype.itemsize == 2 and kind(dtype) == "f" else 1e-6
        np.testing.assert_allclose(got.get().astype(complex), expected.astype(complex), rtol=rtol)
    assert x.mean(axis=1, keepdims=True).shape == (3, 1)
    assert gpuarray.mean(x, dtype=np.complex128).dtype == np.complex128


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mean_into_out_and_of_nothing(device):
    out = gpuarray.empty(4)
    assert gpuarray.mean(gpuarray.ones((3, 4)), axis=0, out=out) is out
    assert out.tolist() == [1, 1, 1, 1]
    assert np.isnan(gpuarray.zeros(0).mean().item())


@pytest.mark.parametrize("name", [*NAMES, "mean", "argmax"])
def test_bad_axes(device, name):
    x = gpuarray.zeros((2, 3))
    reduce = getattr(x, name)
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds for array of dim"):
        reduce(axis=2)
    with pytest.raises(np.exceptions.AxisError, match="axis -3 is out of bounds"):
        reduce(axis=-3)
    with pytest.raises(TypeError):
        reduce(axis=1.0)
    if name != "argmax":
        with pytest.raises(ValueError, match="duplicate value in 'axis'"):
            reduce(axis=(0, -2))


@pytest.mark.parametrize("name", NAMES)
def test_host_arrays_are_refused(device, name):
    with pytest.raises(TypeError, match="to_device"):
        getattr(gpuarray, name)(np.ones(3))


@given(shape=shapes(max_dims=4), data=st.data())
def test_keepdims_broadcasts_back(device, shape, data):
    x = gpuarray.to_device(ordinary(np.int64, shape))
    axes = tuple(data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True))) if shape else ()
    assert (x - x.sum(axis=axes, keepdims=True)).shape == shape


@pytest.mark.parametrize("name", ["sum", "max", "any", "argmax"])
@pytest.mark.parametrize("axis", [0, -1])
def test_no_dimensions_have_an_axis_to_reduce(device, name, axis):
    """As in NumPy, which lets a scalar be reduced over axis 0."""
    x = gpuarray.full((), 3)
    assert getattr(x, name)(axis).item() == getattr(np.asarray(3), name)(axis)
