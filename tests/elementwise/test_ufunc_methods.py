# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""reduce, accumulate, reduceat and outer of every ufunc that has a row, against NumPy."""

from functools import partial

import numpy as np
import pytest
from _support.compare import Collector, assert_same, host, wider
from _support.dtypes import BFLOAT16
from _support.ufunc_methods import (
    BINARY_UFUNCS,
    DTYPES,
    WRONG_IN_NUMPY,
    assert_agree,
    compare,
    outcome,
    sample,
)
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


@pytest.mark.parametrize("name", BINARY_UFUNCS)
def test_reduce(device, name):
    collector, reduce = Collector(), getattr(np, name).reduce
    for dtype in DTYPES:
        for shape in ((5, 4), (4, 1), (1,), (9,), (0, 3), (3, 0), ()):
            x = sample(name, dtype, shape)
            for axis in (0, -1, None, (0, 1), ()):
                for keepdims in (False, True):
                    compare(collector, name, reduce, x, axis=axis, keepdims=keepdims)
        x = sample(name, dtype, (4, 6))
        compare(collector, name, lambda a: reduce(a[::2, ::-1].T, axis=1), x)
    collector.finish()


def masked_reduce(name, a, mask, **options):
    return getattr(np, name).reduce(a, where=mask, **options)


@pytest.mark.parametrize("name", BINARY_UFUNCS)
def test_reduce_with_initial_and_where(device, name):
    collector, reduce = Collector(), getattr(np, name).reduce
    for dtype in DTYPES:
        x, mask = sample(name, dtype, (6, 3)), sample(name, np.dtype(bool), (6, 3), 1)
        for initial in (np._NoValue, None, 1):
            for part in (x, x[:0], x[:1]):
                compare(collector, name, reduce, part, initial=initial)
            for where in (mask, mask[:1], mask[:, :1], False):
                compare(collector, name, partial(masked_reduce, name), x, where, initial=initial)
    collector.finish()


def into(method, a, out, *more):
    assert method(a, *more, out=out) is out
    return out


@pytest.mark.parametrize("name", BINARY_UFUNCS)
@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat"])
def test_dtype_and_out(device, name, method):
    collector, function = Collector(), getattr(getattr(np, name), method)
    more = ([0, 2, 1],) if method == "reduceat" else ()
    for dtype in DTYPES:
        x = sample(name, dtype, (5, 2))
        expected = outcome(partial(function, x, *more))
        for other in map(np.dtype, ("bool", "int8", "int64", "float32", "complex128")):
            if (dtype.kind == "c" and other.kind != "c") or (dtype, other) == (float, "f4"):
                continue  # NumPy casts with a warning alone, and rounds each step to out's dtype
            compare(collector, name, function, x, *more, dtype=other)
            if not isinstance(expected, type) and np.can_cast(
                np.result_type(expected, other), other, "same_kind"
            ):
                out = np.zeros(expected.shape, other)
                compare(collector, name, partial(into, function), x, out, *more)
    collector.finish()


@pytest.mark.parametrize("name", BINARY_UFUNCS)
def test_accumulate(device, name):
    collector, accumulate = Collector(), getattr(np, name).accumulate
    for dtype in DTYPES:
        for shape in ((5, 4), (1,), (9,), (0, 3), (3, 0), ()):
            x = sample(name, dtype, shape)
            for axis in (0, -1, None, (0,), (0, 1), 2):
                compare(collector, name, accumulate, x, axis=axis)
        x = sample(name, dtype, (4, 6))
        compare(collector, name, lambda a: accumulate(a[::2, ::-1].T, axis=1), x)
    collector.finish()


@pytest.mark.parametrize("name", BINARY_UFUNCS)
def test_reduceat(device, name):
    collector, reduceat = Collector(), getattr(np, name).reduceat
    for dtype in DTYPES:
        x = sample(name, dtype, (7, 5))
        for indices in ([0, 2, 4], [4, 1, 1, 0], [0], [], [6, 0, 6], [7], [-1], [[0]], 0):
            compare(collector, name, reduceat, x, indices)
        compare(collector, name, lambda a: reduceat(a[::2, ::-1], [1, 0, 3, 4], axis=1), x)
        compare(collector, name, reduceat, x, [0], axis=None)
        compare(collector, name, reduceat, x[0, 0], [0])
    collector.finish()


IN_ORDER = ["divide", "floor_divide", "remainder", "power", "arctan2", "copysign", "nextafter"]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("floor_divide", "int64"), ("divide", "float16"), ("lcm", "uint8"), ("copysign", "float64")],
)
def test_many_steps(device, name, dtype):
    ufunc, values = getattr(np, name), sample(name, np.dtype(dtype), (300, 4))
    values[1::2] = 1
    for view in (values, values[:, ::2]):
        x = gpuarray.to_device(values)[:, :: 1 if view is values else 2]
        assert_agree(name, ufunc.reduce(x), ufunc.reduce(view))
        assert_agree(name, ufunc.accumulate(x), ufunc.accumulate(view))
    column = gpuarray.to_device(values[:, 0])
    assert_agree(name, ufunc.reduce(column), ufunc.reduce(values[:, 0]))
    assert_agree(name, ufunc.accumulate(column), ufunc.accumulate(values[:, 0]))


@pytest.mark.parametrize("name", IN_ORDER)
def test_floats_one_after_the_other(device, name):
    ufunc, values = getattr(np, name), sample(name, np.dtype(np.float64), (6, 5)) + 0.25
    x, steps = gpuarray.to_device(values), [values[0]]
    for row in values[1:]:
        steps.append(ufunc(steps[-1], row))
    for got, expected in (
        (ufunc.reduce(x), steps[-1]),
        (ufunc.accumulate(x), np.array(steps)),
        (ufunc.reduceat(x, [0, 1]), np.array([values[0], ufunc.reduce(values[1:])])),
    ):
        if name in WRONG_IN_NUMPY and got.shape == (2, 5):
            continue
        np.testing.assert_allclose(got.get(), expected, rtol=1e-14)


@given(
    name=st.sampled_from(["add", "maximum", "subtract", "bitwise_or", "floor_divide", "gcd"]),
    length=st.integers(1, 40),
    data=st.data(),
)
def test_reduceat_of_any_indices(device, name, length, data):
    indices = np.array(data.draw(st.lists(st.integers(0, length - 1), max_size=12)), np.int64)
    values = sample(name, np.dtype(np.int32), (length, 2), seed=length)
    ufunc = getattr(np, name)
    expected = ufunc.reduceat(values, indices)
    x = gpuarray.to_device(values)
    assert_same(ufunc.reduceat(x, indices), expected)
    assert_same(ufunc.reduceat(x, gpuarray.to_device(indices)), expected)


def test_reduceat_with_one_long_segment(device):
    values = np.arange(1000.0, dtype=np.float32)
    indices = [*range(50), 990, *range(990, 1000)]
    for name in ("add", "fmax", "subtract"):
        got = getattr(np, name).reduceat(gpuarray.to_device(values), indices)
        assert_agree(name, got, getattr(np, name).reduceat(values, indices))


def test_indices_of_reduceat(device):
    x = gpuarray.arange(5)
    for indices in (np.array([0.0]), np.array([1], np.uint64), [1j]):
        with pytest.raises(TypeError):
            np.add.reduceat(x, indices)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        np.add.reduceat(x, [0, 5])
    assert np.add.reduceat(x, np.array([0, 2], np.uint8)).tolist() == [1, 9]


def one_of_outer(name, part, a, b):
    made = getattr(np, name).outer(a, b)
    return made if part is None else made[part]


@pytest.mark.parametrize("name", [*BINARY_UFUNCS, "divmod"])
def test_outer(device, name):
    collector = Collector()
    for dtype in DTYPES:
        x, y = sample(name, dtype, (3, 2)), sample(name, dtype, (4,), 1)
        for part in (0, 1) if name == "divmod" else (None,):
            for a, b in ((x, y), (y, x), (x[0, :1], y), (x, y[:0])):
                compare(collector, name, partial(one_of_outer, name, part), a, b)
    collector.finish()


@pytest.mark.parametrize("name", ["multiply", "add", "equal", "hypot", "divmod"])
def test_outer_of_numbers(device, name):
    collector = Collector()
    for dtype in ("int8", "uint8", "float16", "float32", "complex64"):
        x = np.array([[100, 1]], dtype)
        for number in (2, 300, -1, 1.5, 2j, True, np.float32(2), np.int8(3)):
            for part in (0, 1) if name == "divmod" else (None,):
                compare(collector, name, partial(one_of_outer, name, part), x, number)
                compare(collector, name, lambda a, n=number, p=part: one_of_outer(name, p, n, a), x)
    collector.finish()


def test_of_no_result_or_two(device):
    x = gpuarray.arange(3.0)
    for call in (np.divmod.reduce, np.negative.reduce, np.negative.accumulate):
        with pytest.raises(ValueError, match="only supported"):
            call(x)
    with pytest.raises(ValueError, match="binary functions"):
        np.negative.outer(x, x)


@pytest.mark.parametrize("name", ["add", "fmax", "power"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 1), (1, 3), (4, 3)])
def test_shape_of_out(device, name, keepdims, shape):
    ufunc, x = getattr(np, name), gpuarray.ones((4, 3))
    out = gpuarray.zeros(shape)
    if shape == ((1, 3) if keepdims else (3,)):
        assert ufunc.reduce(x, keepdims=keepdims, out=out) is out
    else:
        with pytest.raises(ValueError, match="shape"):
            ufunc.reduce(x, keepdims=keepdims, out=out)
    for method, *more in ((ufunc.accumulate,), (ufunc.reduceat, [0, 1])):
        with pytest.raises(ValueError, match="shape"):
            method(x, *more, out=gpuarray.zeros((2, 4, 3)))


def test_where_of_the_host(device):
    x, mask = np.array([3.0, 4.0, 5.0]), np.array([True, False, True])
    for call in (
        np.add.reduce,
        np.sum,
        np.mean,
        np.var,
        np.nansum,
        np.any,
        partial(np.power.reduce, initial=2),
        partial(np.max, initial=0),
    ):
        for where in (mask.tolist(), tuple(mask.tolist()), mask):
            expected = call(x, where=where)
            assert_same(host(call(gpuarray.to_device(x), where=where)), np.asarray(expected))
    for where in (mask.tolist(), tuple(mask.tolist()), mask):
        a = gpuarray.to_device(x)
        assert np.add(a, 1.0, where=where).tolist() == [4, 0, 6]
        assert np.add(a, 1.0, out=a, where=where).tolist() == [4, 4, 6]
        for copyto in (gpuarray.copyto, np.copyto):
            copyto(a, 1, where=where)
            assert a.tolist() == [1, 4, 1]


def test_where_of_another_dtype(device):
    x = gpuarray.arange(3.0)
    calls = (np.add.reduce, np.sum, partial(np.add, 1.0), partial(gpuarray.copyto, src=1))
    for where in ([1, 0, 1], (1.0,), [], np.array([1, 0, 1]), ["a"], gpuarray.arange(3)):
        for call in calls:
            with pytest.raises(TypeError, match="where"):
                call(x, where=where)
    assert x.tolist() == [0, 1, 2]


def test_negative_integer_exponents(device):
    x = gpuarray.to_device([2, 3, -1])
    for call in (np.power.reduce, np.power.accumulate, lambda a: np.power.reduceat(a, [0])):
        with pytest.raises(ValueError, match="negative integer powers"):
            call(x)


def test_negative_integer_exponents_that_are_masked_out(device):
    x, mask = np.array([2, -1, 3]), np.array([True, False, True])
    a, m = gpuarray.to_device(x), gpuarray.to_device(mask)
    assert np.power.reduce(a, where=m, initial=1).tolist() == 1
    assert np.power.reduce(a, where=m, initial=2).tolist() == 2**6
    assert np.power(a, a, where=m).tolist() == [4, 0, 27]
    assert np.power(2, a, out=a, where=m).tolist() == [4, -1, 8]
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power.reduce(a, where=~m, initial=1)


def test_initial_on_the_device(device):
    x = gpuarray.to_device([7, 4, 2])
    assert np.bitwise_or.reduce(x, initial=gpuarray.to_device(8)).tolist() == 15
    assert np.subtract.reduce(x, initial=gpuarray.to_device(8)).tolist() == -5
    with pytest.raises(OverflowError):
        np.bitwise_or.reduce(x.astype("int8"), initial=300)


@pytest.mark.parametrize("name", ["add", "subtract", "divide", "fmax", "hypot", "logical_xor"])
def test_bfloat16(device, name):
    ufunc, values = getattr(np, name), np.array([6, 3, 1.5, 0.5, 2], np.float32)
    x = gpuarray.to_device(values.astype(BFLOAT16))
    for call in (ufunc.reduce, ufunc.accumulate, lambda a: ufunc.reduceat(a, [0, 3, 1])):
        expected = np.asarray(call(values))
        got = call(x)
        assert got.dtype == (BFLOAT16 if expected.dtype == np.float32 else expected.dtype)
        np.testing.assert_allclose(wider(host(got)), expected, rtol=2e-2)
    wide = ufunc.reduce(x, dtype="float32" if name != "logical_xor" else bool)
    assert_agree(name, wide, ufunc.reduce(values))
    with pytest.raises(TypeError, match=r"less\.reduce"):
        np.less.reduce(x)
