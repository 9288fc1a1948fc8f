# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""sum, prod, max, min, any, all and mean over any axes, against NumPy."""

import itertools
import math

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


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_sums_are_as_accurate_as_numpys(device, dtype):
    """2**24 positive addends against their exact sum."""
    host = np.random.default_rng(1).random(2**24).astype(dtype)
    exact = math.fsum(host.real)
    allowed = max(abs(float(host.sum().real) - exact), 4 * epsilon(dtype) * exact)
    x = gpuarray.to_device(host)
    square = x.reshape(4096, 4096)
    for got in (x.sum(), x[::-1].sum(), square.sum(axis=0).astype("complex128").sum()):
        assert abs(got.item().real - exact) <= allowed
    columns = square.sum(axis=0).get().real
    rows = square.sum(axis=1).get().real
    for i in (0, 1, 2047, 4095):
        for got, addends in ((columns[i], host[i::4096]), (rows[i], host[i * 4096 :][:4096])):
            exact = math.fsum(addends.real)
            assert abs(float(got) - exact) <= 8 * epsilon(dtype) * exact


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


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "float16"])
def test_misaligned_sums_are_deterministic(device, dtype):
    x = gpuarray.to_device(ordinary(dtype, (70001,)))[3:]
    for view in (x, x[:66000].reshape(60, 1100)[1:, 1:]):
        first = view.sum().get().tobytes()
        assert all(view.sum().get().tobytes() == first for _ in range(5))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_misaligned_rows_and_tails(device, name, dtype):
    """Every start within 16 bytes, and lengths around whole loads."""
    host = whole_numbers(dtype, (200,))
    x = gpuarray.to_device(host)
    for start in (*range(9), 15, 16, 17):
        for length in (1, 2, 15, 16, 17, 33, 100):
            part = slice(start, start + length)
            assert_same(getattr(x[part], name)(), numpy_reduce(name, host[part]), what=f"{part}")


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "float64", "complex128", bool])
def test_misaligned_matrices(device, dtype):
    dtype = np.dtype(dtype)
    host = whole_numbers(dtype, (67, 131))
    x = gpuarray.to_device(host)
    for rows in (slice(None), slice(3, None), slice(None, None, -2)):
        for columns in (slice(None), slice(1, None), slice(4, 68), slice(None, None, -1)):
            a, b = host[rows, columns], x[rows, columns]
            for axis in (None, 0, 1):
                for name in ("sum", "min", "any"):
                    expected = numpy_reduce(name, a, axis=axis)
                    assert_same(getattr(b, name)(axis=axis), expected, what=f"{rows} {columns}")


@pytest.mark.parametrize("shape", [(4, 6, 16), (2, 33, 5, 8), (3, 2, 65, 3), (70, 1, 2, 64)])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex64"])
def test_all_subsets_of_axes(device, dtype, shape):
    host = whole_numbers(np.dtype(dtype), shape)
    view = (slice(None),) * (len(shape) - 1) + (slice(1, None),)
    x = gpuarray.to_device(host)
    for a, b in ((host, x), (host[view], x[view]), (host.T, x.T), (host[::-1], x[::-1])):
        for axes in axes_of(len(shape)):
            for name in ("sum", "max"):
                assert_same(getattr(b, name)(axis=axes), numpy_reduce(name, a, axis=axes))


class Repeated:
    """A device array of three axes of which the middle one does not move, as another library's."""

    def __init__(self, owner, times):
        first, _, last = owner.strides
        shape = (owner.shape[0], times, owner.shape[2])
        changes = {"shape": shape, "strides": (first, 0, last)}
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, **changes}


@pytest.mark.parametrize("name", ["sum", "max", "all", "argmin"])
def test_axes_that_do_not_move(device, name):
    host = whole_numbers(np.dtype(np.int32), (5, 1, 32))
    owner = gpuarray.to_device(host)
    wide = np.lib.stride_tricks.as_strided(host, (5, 40, 32), (128, 0, 4))
    x = gpuarray.from_dlpack(wide) if device == "cpu" else gpuarray.asarray(Repeated(owner, 40))
    assert x.strides == (128, 0, 4)
    for axes in [None, 0, 1, 2] if name == "argmin" else axes_of(3):
        expected = np.asarray(getattr(wide, name)(axis=axes))
        assert_same(getattr(x, name)(axis=axes), expected, what=f"{axes}")


@pytest.mark.parametrize("shape", [(1 << 20,), (1024, 1024), (2, 512, 1000), (200000, 4)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint32", "int64"])
def test_large_integer_sums_are_exact(device, dtype, shape):
    """Extreme values, whose sums pass 32 bits long before the last element."""
    top = 1 if dtype == "bool" else np.iinfo(dtype).max
    host = np.full(shape, top, dtype)
    host.flat[7] = 0
    x = gpuarray.to_device(host)
    for axis in (None, *range(len(shape))):
        assert_same(x.sum(axis=axis), np.asarray(host.sum(axis=axis)))


@given(data=st.data(), dtype=st.sampled_from(DTYPES), name=st.sampled_from(NAMES))
def test_long_views(device, data, dtype, name):
    rows, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 300))
    host = whole_numbers(np.dtype(bool), (rows, columns)).astype(dtype)
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    if a.size == 0:
        return
    axes = tuple(data.draw(st.lists(st.integers(0, a.ndim - 1), unique=True))) if a.ndim else ()
    assert_same(getattr(x, name)(axis=axes), numpy_reduce(name, a, axis=axes))


def test_out_of_every_layout(device):
    host = whole_numbers(np.dtype(np.float32), (6, 50, 8))
    x = gpuarray.to_device(host)
    for axis in range(3):
        expected = host.sum(axis=axis)
        base = gpuarray.zeros((expected.shape[0] * 2, expected.shape[1] * 3), np.float64)
        out = base[::-2, ::3]
        assert x.sum(axis=axis, out=out) is out
        assert_same(out, expected.astype(np.float64))
        kept = gpuarray.zeros(host.sum(axis=axis, keepdims=True).shape, np.float32)
        assert x.sum(axis=axis, keepdims=True, out=kept) is kept
        assert_same(kept, host.sum(axis=axis, keepdims=True))


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


@pytest.mark.parametrize("shape", [(9,), (5000,), (40_000,), (300, 40), (40, 300), (7, 5, 6)])
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_extremes_are_the_first_nan_of_complex_numbers(device, dtype, name, shape):
    """NaNs differ in their other parts."""
    rng = np.random.default_rng(3)
    host = np.empty(shape, dtype)
    for k, part in enumerate((host.real, host.imag)):
        part[...] = rng.integers(-9, 9, shape)
        part[rng.random(shape) < 0.01 * (k + 1)] = np.nan
    host.flat[0] = 1
    x = gpuarray.to_device(host)
    for axis in range(len(shape)):
        got = getattr(x, name)(axis).get()
        expected = np.take_along_axis(
            host, np.expand_dims(getattr(host, "arg" + name)(axis), axis), axis
        ).squeeze(axis)
        np.testing.assert_array_equal(got.real, expected.real)
        np.testing.assert_array_equal(got.imag, expected.imag)
