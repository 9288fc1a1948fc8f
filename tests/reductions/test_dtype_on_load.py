# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""dtype= of reductions and scans: elements are converted as they are read, without a copy."""

import itertools
import warnings

import hypothesis
import numpy as np
import pytest
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, FLOATS, is_inexact, kind
from hypothesis import strategies as st

import gpuarray
from gpuarray import memory
from gpuarray._ufuncs import chunks, ufunc_folds

SIZE = 40_000  # elements: a copy takes 40 KB at least
LARGE = (1 << 20) + 5  # from 2^20 on kernels are compiled for the dtypes
SLACK = 1 << 14  # bytes for more partial results

PLAIN = ["sum", "prod", "mean", "var", "std"]
VARIANCES = ["var", "std"]  # are real floats, whatever `dtype=` says
WIDEST = ["float64", "complex128"]  # accumulate in no wider dtype
BUT_NAN = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd"]


def function_of(name):
    return getattr(gpuarray, name)


def taken(name, source, dtype):
    """Return whether the reduction computes in this dtype in one pass."""
    if name in BUT_NAN:
        return is_inexact(dtype) and not (kind(source) == "c" and kind(dtype) != "c")
    return True


def peak_of(device, call):
    """Return the result and the most bytes that arrays and temporaries took meanwhile."""
    gpuarray.synchronize()
    source = memory.StatisticsResource(memory.DriverResource(device))
    with memory.using_allocator(source):
        made = call()
        gpuarray.synchronize()
    return made, source.statistics()["peak_bytes"]


def values_of(dtype, shape):
    random = np.random.default_rng(1)
    return random.integers(0, 3, shape).astype(dtype)


def check_peak(device, x, name, dtype, allowed, **options):
    """Assert that a call takes no more than its result and `allowed` bytes."""
    call = function_of(name)
    made, peak = peak_of(device, lambda: call(x, dtype=dtype, **options))
    assert peak <= made.nbytes + allowed, f"{peak} bytes"


@pytest.mark.parametrize("name", PLAIN + BUT_NAN)
def test_reductions_need_no_memory_for_a_conversion(device, name):
    cases, axes = Collector(), itertools.cycle([None, 0, 1])
    for source in DTYPES:
        x = gpuarray.to_device(values_of(source, (SIZE // 100, 100)))
        x.get()
        for dtype in DTYPES:
            if dtype != source and taken(name, source, dtype):
                axis = next(axes)
                what = f"{source} {dtype} {axis}"
                cases.check(what, check_converted_peak, device, x, name, dtype, axis)
    cases.finish()


def check_converted_peak(device, x, name, dtype, axis):
    """Allow the partial results that elements of this dtype need as well, but never a copy."""
    converted = x.astype(dtype)
    converted.get()
    made, least = peak_of(device, lambda: function_of(name)(converted, dtype=dtype, axis=axis))
    check_peak(device, x, name, dtype, min(least - made.nbytes + SLACK, SIZE - 1), axis=axis)


@pytest.mark.parametrize("source", ["float32", "int32", "float16"])
def test_large_reductions_need_no_memory_for_a_conversion(device, source):
    x = gpuarray.to_device(values_of(source, LARGE))
    rows = gpuarray.to_device(values_of(source, (LARGE // 4, 4)))
    x.get()
    for name in ("sum", "mean"):
        check_peak(device, x, name, "float64", 1 << 18)
        check_peak(device, x[::-1], name, "float64", 1 << 18)
        check_peak(device, rows, name, "float64", 1 << 18, axis=1)
        check_peak(device, rows, name, "float64", 1 << 18, axis=0)
        expected = getattr(np, name)(x.get(), dtype=np.float64)
        assert_same(function_of(name)(x, dtype=np.float64), expected)
        assert_same(
            function_of(name)(x[::2], dtype=np.float64), getattr(np, name)(x.get()[::2], dtype="f8")
        )
    for axis in (0, 1):
        assert_same(
            rows.sum(axis, dtype=np.float64), rows.get().astype(np.float64).sum(axis), what="rows"
        )


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_scans_need_no_memory_for_a_conversion(device, name):
    cases = Collector()
    for source in ("float32", "int16", "bool", "float16"):
        x = gpuarray.to_device(values_of(source, (SIZE // 100, 100)))
        x.get()
        for dtype in (np.float64, np.int64, np.float16, np.complex64):
            if name.startswith("nan") and is_inexact(np.dtype(source)):
                continue  # NaN is replaced in a copy
            for axis in (None, 0, 1):
                cases.check(
                    f"{source} {dtype.__name__} {axis}",
                    check_peak,
                    device,
                    x,
                    name,
                    dtype,
                    SLACK * 4,
                    axis=axis,
                )
    cases.finish()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "fmax", "fmin"])
def test_methods_of_ufuncs_need_no_memory_for_a_conversion(device, name):
    for source, dtype in [("float32", np.float64), ("int16", np.float32), ("uint8", np.int64)]:
        x = gpuarray.to_device(values_of(source, (SIZE // 100, 100)))
        x.get()
        for axis in (0, 1, (0, 1)):
            made, peak = peak_of(
                device, lambda x=x, a=axis, d=dtype: getattr(gpuarray, name).reduce(x, a, dtype=d)
            )
            assert peak <= 2 * made.nbytes + SLACK * 8, (source, dtype, axis)
            with np.errstate(all="ignore"):
                assert_same(made, getattr(np, name).reduce(x.get(), axis, dtype=dtype))


@pytest.mark.parametrize("name", PLAIN + BUT_NAN)
def test_results_are_those_of_a_conversion_before(device, name):
    """In another order the few elements have the same sum, but for that of WIDEST."""
    cases, axes = Collector(), itertools.cycle([None, 0, 1])
    values = np.array([[1.0001, 2.3, -3.7], [100.03, 0.5, 7.77]])
    for source in DTYPES:
        x = gpuarray.to_device(values.astype(source))
        for dtype in DTYPES:
            if not taken(name, source, dtype) or (name in VARIANCES and not is_inexact(dtype)):
                continue
            for layout in (x, x.T, x[:, ::-1], x[::-1, :2]):
                axis = next(axes)
                what = f"{source} {dtype} {axis}"
                cases.check(what, check_conversion, name, layout, dtype, axis)
    cases.finish()


def check_conversion(name, x, dtype, axis):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = function_of(name)(x, axis=axis, dtype=dtype)
        expected = function_of(name)(x.astype(dtype), axis=axis, dtype=dtype)
    if name.endswith(("sum", "prod", "mean")) and np.dtype(dtype).name not in WIDEST:
        assert_same(got, expected)
    else:
        assert got.dtype == expected.dtype
        epsilon = 1e-12 if got.dtype.name in WIDEST else 1e-2 if got.itemsize == 2 else 1e-6
        got, expected = (made.get().astype(np.complex128) for made in (got, expected))
        np.testing.assert_allclose(got, expected, rtol=epsilon)


def test_reductions_are_numpys(device):
    cases = Collector()
    for source in DTYPES:
        for dtype in DTYPES:
            if BFLOAT16 in (source, dtype):
                continue
            host = values_of(source, (7, 33)) + np.array(1, source)
            x = gpuarray.to_device(host)
            for name in ("sum", "mean"):
                for axis in (0, 1):
                    cases.check(f"{name} {source} {dtype}", check_numpy, name, host, x, dtype, axis)
    cases.finish()


def check_numpy(name, host, x, dtype, axis):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(np, name)(host, axis=axis, dtype=dtype)
        got = function_of(name)(x, axis=axis, dtype=dtype)
    if name == "mean" and is_inexact(dtype):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got.get(), expected, rtol=3 * np.finfo(dtype).eps)
    else:
        assert_same(got, expected)


@hypothesis.given(
    source=st.sampled_from([d for d in DTYPES if d != BFLOAT16]),
    dtype=st.sampled_from([np.dtype(d) for d in ("f2", "f4", "f8", "i4", "u1", "c8", "c16")]),
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
    order=st.permutations([0, 1, 2]),
    axis=st.sampled_from([None, 0, 1, 2, (0, 1), (0, 2), (1, 2)]),
    steps=st.tuples(*[st.sampled_from([1, 2, -1])] * 3),
)
def test_sums_of_any_layout(device, source, dtype, shape, order, axis, steps):
    host = values_of(source, shape).transpose(order)
    view = tuple(slice(None, None, step) for step in steps)
    x = gpuarray.to_device(host)[view]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(x.sum(axis, dtype=dtype), host[view].sum(axis, dtype=dtype))
        expected = np.cumsum(host[view], axis=0, dtype=dtype)
        assert_same(gpuarray.cumsum(x, axis=0, dtype=dtype), expected)


def test_out_may_be_the_source(device):
    x = gpuarray.arange(6, dtype=np.float64).reshape(2, 3)
    expected = np.cumsum(x.get(), axis=1, dtype=np.float32).astype(np.float64)
    assert_same(gpuarray.cumsum(x, axis=1, dtype=np.float32, out=x), expected)
    y = gpuarray.arange(6, dtype=np.float32)
    gpuarray.sum(y.reshape(2, 3), axis=1, dtype=np.float64, out=y[:2])
    assert y.tolist() == [3, 12, 2, 3, 4, 5]


def test_where_and_initial_with_dtype(device):
    host = values_of(np.float32, (60, 100))
    mask = values_of(np.uint8, (60, 100)) > 1
    x, where = gpuarray.to_device(host), gpuarray.to_device(mask)
    for name in ("sum", "prod"):
        expected = getattr(np, name)(host, 0, dtype=np.float64, where=mask, initial=3)
        got = getattr(x, name)(0, dtype=np.float64, where=where, initial=3)
        assert_same(got, expected)
    assert_same(x.mean(1, dtype="f8", where=where), host.mean(1, dtype="f8", where=mask))
    np.testing.assert_allclose(
        x.var(1, dtype="f8", where=where).get(), host.var(1, dtype="f8", where=mask), rtol=1e-14
    )


@pytest.mark.parametrize("mode", ["off", "auto", "always"])
def test_pending_operations_are_reduced_in_a_wider_dtype(device, mode):
    host = values_of(np.float32, 5000)
    with gpuarray.fusion(mode):
        x = gpuarray.to_device(host)
        for _ in range(30):
            y = x * 2 + 1
            got = y.sum(dtype=np.float64)
            narrow = y.sum(dtype=np.float16)
        assert_same(got, (host * 2 + 1).sum(dtype=np.float64))
        assert_same(narrow, y.astype(np.float16).sum())


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int64", "bool"])
@pytest.mark.parametrize("source", ["uint8", "float64", "bool"])
def test_means_in_whole_numbers_wrap_as_numpys(device, dtype, source):
    host = (np.arange(200) % 101).reshape(2, 100).astype(source)
    x = gpuarray.to_device(host)
    for axis in (None, 0, 1):
        expected = np.asarray(host.mean(axis, dtype=dtype))
        assert_same(x.mean(axis, dtype=dtype), expected)
        out = gpuarray.zeros(expected.shape, dtype)
        assert x.mean(axis, dtype=dtype, out=out) is out
        assert_same(out, expected)
    assert_same(x.mean(1, dtype=dtype, keepdims=True), host.mean(1, dtype=dtype, keepdims=True))
    # A wider `out` holds the quotient itself.
    for wide in ("float32", "float64", "int64"):
        expected = host.mean(1, dtype=dtype, out=np.zeros(2, wide))
        assert_same(x.mean(1, dtype=dtype, out=gpuarray.zeros(2, wide)), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_narrow_means_round_the_elements_first(device, dtype):
    values = np.array([1.0001, 3.0003, 70000.0, 5.0])
    x = gpuarray.to_device(values)
    for name in ("mean", "sum", "max"):
        if name == "max":
            got = gpuarray.maximum.reduce(x, dtype=dtype)
        else:
            got = function_of(name)(x, dtype=dtype)
        assert_same(got, function_of(name)(x.astype(dtype)))


@pytest.mark.parametrize("name", ["std", "var", "nanstd", "nanvar"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_deviations_of_complex_numbers_in_a_real_dtype(device, name, dtype):
    """They are those of the real parts; NumPy takes the mean alone of these."""
    host = np.array([[1 + 1j, 2, 3j], [4, -1j, 2.5 + 2j]])
    made = getattr(gpuarray, name)(gpuarray.to_device(host), axis=1, dtype=dtype)
    assert made.dtype == dtype
    np.testing.assert_allclose(made.get(), getattr(np, name)(host.real, axis=1), rtol=1e-6)


MANY = 40_000  # elements: 10 chunks
PEAKS = {
    "sum where": lambda a: a.x.sum(0, where=a.mask),
    "sum of all": lambda a: a.x.sum(dtype="f8", where=a.mask),
    "prod of bytes": lambda a: a.bytes.prod(0, where=a.mask),
    "max where": lambda a: a.x.max(0, where=a.mask, initial=0),
    "all where": lambda a: a.mask.all(0, where=a.mask),
    "mean where": lambda a: a.x.mean(0, where=a.mask),
    "mean of bytes": lambda a: a.bytes.mean(where=a.mask),
    "var where": lambda a: a.x.var(0, where=a.mask),
    "std of bytes": lambda a: a.bytes.std(1, where=a.mask),
    "var of a mean": lambda a: a.x.var(0, mean=a.x.mean(0, keepdims=True)),
    "nansum where": lambda a: gpuarray.nansum(a.x, 0, where=a.mask),
    "nansum of whole numbers": lambda a: gpuarray.nansum(a.x, dtype="i8"),
    "nanmean where": lambda a: gpuarray.nanmean(a.x, 0, where=a.mask),
    "nanstd where": lambda a: gpuarray.nanstd(a.x, 1, where=a.mask),
    "maximum.reduce": lambda a: gpuarray.maximum.reduce(a.x, 0, dtype="i1"),
    "bitwise_or.reduce": lambda a: gpuarray.bitwise_or.reduce(a.bytes, 0, dtype="i8"),
    "hypot.reduce": lambda a: gpuarray.hypot.reduce(a.x, 1, dtype="f8"),
    "subtract.reduce": lambda a: gpuarray.subtract.reduce(a.x, 0, dtype="f8"),
    "add.reduceat": lambda a: gpuarray.add.reduceat(a.x, a.starts, 0, dtype="f8"),
    "add.reduceat of bytes": lambda a: gpuarray.add.reduceat(a.bytes, [0, 7], 0, dtype="i8"),
    "maximum.reduceat": lambda a: gpuarray.maximum.reduceat(a.bytes, a.starts, 0, dtype="f8"),
    "cumsum into bytes": lambda a: gpuarray.cumsum(a.bytes, 0, "i8", a.out("i1")),
    "cumsum into float32": lambda a: gpuarray.cumsum(a.x, 0, "f8", a.out("f4")),
    "cumsum into float64": lambda a: gpuarray.cumsum(a.x, 1, "f4", a.out("f8")),
    "cumprod into float32": lambda a: gpuarray.cumprod(a.x, 1, "f8", a.out("f4")),
    "cumsum of all": lambda a: gpuarray.cumsum(a.x, None, "f8", a.out("f4").reshape(-1)),
    "cumsum of columns": lambda a: gpuarray.cumsum(a.x.T),
    "cumsum of wider columns": lambda a: gpuarray.cumsum(a.x.T, dtype="f8"),
    "add.accumulate": lambda a: gpuarray.add.accumulate(a.x, 0, "f8", a.out("f4")),
    "maximum.accumulate": lambda a: gpuarray.maximum.accumulate(a.x, 0, "f8", a.out("f8")),
    "subtract.accumulate": lambda a: gpuarray.subtract.accumulate(a.x, 0, "f8"),
    "cumulative_sum": lambda a: gpuarray.cumulative_sum(a.x, axis=0, dtype="f8"),
    "nancumsum": lambda a: gpuarray.nancumsum(a.x, 0),
    "nancumsum of all": lambda a: gpuarray.nancumsum(a.x),
    "nancumprod of columns": lambda a: gpuarray.nancumprod(a.x.T, dtype="f8"),
    "nancumsum into float64": lambda a: gpuarray.nancumsum(a.x, 0, "f4", a.out("f8")),
    "nancumsum into itself": lambda a: gpuarray.nancumsum(a.copy, 0, out=a.copy),
}


class Sources:
    """Arrays of MANY elements, and new ones for results, made outside of the measured memory."""

    def __init__(self):
        random = np.random.default_rng(2)
        host = random.integers(-3, 4, (MANY // 40, 40))
        self.x = gpuarray.to_device(host.astype(np.float32))
        self.bytes = gpuarray.to_device(host.astype(np.int8))
        self.mask = gpuarray.to_device(host > 0)
        self.copy = self.x.copy()
        self.starts = np.arange(0, MANY // 40, 7)
        self.outs = {dtype: self.x.astype(dtype) for dtype in ("f4", "f8", "i1")}

    def out(self, dtype):
        return self.outs[dtype]


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK", {"cpu": 4000, "cuda": 4000})
    monkeypatch.setattr(ufunc_folds, "CHUNK", chunks.CHUNK)


@pytest.mark.parametrize("name", PEAKS)
def test_no_copy_of_the_array_is_made(device, small_chunks, name):
    """The memory is that of the result and of some chunks, in the widest dtype and as indices."""
    sources = Sources()
    gpuarray.synchronize()
    made, peak = peak_of(device, lambda: PEAKS[name](sources))
    is_new = all(made.ptr != other.ptr for other in [sources.copy, *sources.outs.values()])
    assert peak <= made.nbytes * is_new + 7 * 8 * 4000 // 2, f"{peak} bytes"
