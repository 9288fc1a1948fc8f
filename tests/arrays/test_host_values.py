# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the host may give: lists and scalars as values, and by which rule they are cast."""

import warnings

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES

import gpuarray

NUMPY_DTYPES = [dtype for dtype in DTYPES if dtype.name != "bfloat16"]

KEYS = {
    "slice": slice(1, 3),
    "steps": slice(None, None, -2),
    "ellipsis": ...,
    "row": 0,
    "row of columns": (slice(None), 1),
    "indices": [2, 0],
    "ndarray": np.array([0, 2]),
    "mask": np.array([True, False, True]),
    "both": ([0, 2], slice(1, 3)),
}
VALUES = [
    [1, 0],
    [1, 2, 3],
    (1, 2, 3),
    [[1], [2]],
    [[1, 2, 3], [4, 5, 6]],
    [2.5, 3.5, 1.5],
    [True, False, True],
    [np.float32(1.5), 2, np.int8(3)],
    [1, np.nan, 2],
    [1j, 2, 3],
    [300, -1, 2],
    [2**63, 1, 2],
    [2**70, 1, 2],
    [],
    [[]],
]


def outcome(function):
    """What the call gives, or the kind of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            return function()
        except (TypeError, np.exceptions.ComplexWarning):
            return TypeError
        except (ValueError, OverflowError) as error:
            return OverflowError if isinstance(error, OverflowError) else ValueError


def assert_same_outcome(got, expected):
    if isinstance(expected, type):
        assert got is expected
    else:
        assert_same(got, expected)


def assigned(make, key, value):
    a = make()
    a[key] = value
    return a


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_lists_are_assigned_as_numpy_does(device, key, dtype):
    for value in VALUES:
        host = np.zeros((3, 3), dtype)
        expected = outcome(lambda v=value, x=host: assigned(x.copy, key, v))
        got = outcome(lambda v=value, x=host: assigned(lambda: gpuarray.to_device(x), key, v))
        assert_same_outcome(got, expected)


def test_assigned_to_bfloat16(device):
    a = gpuarray.zeros((2, 3), "bfloat16")
    a[0] = [1, 2.5, True]
    assert a.tolist() == [[1, 2.5, 1], [0, 0, 0]]
    with pytest.raises(TypeError):
        a[0] = [1j, 2, 3]


NO_VALUES = [
    np.ones(3),
    range(3),
    {1, 2},
    "123",
    b"123",
    None,
    [1, "2", 3],
    [1, None, 3],
    [np.ones(2), np.ones(2)],
    [np.datetime64("2000-01-01")] * 3,
]
WRITERS = {
    "slice": lambda a, v: a.__setitem__(slice(None), v),
    "mask": lambda a, v: a.__setitem__(a == 0, v),
    "indices": lambda a, v: a.__setitem__([0, 1, 2], v),
    "fill": lambda a, v: a.fill(v),
    "full": lambda a, v: gpuarray.full(3, v, "float64"),
    "full_like": gpuarray.full_like,
    "copyto": gpuarray.copyto,
    "put": lambda a, v: gpuarray.put(a, [0, 1, 2], v),
    "put_along_axis": lambda a, v: gpuarray.put_along_axis(a, [0, 1, 2], v, 0),
    "place": lambda a, v: gpuarray.place(a, a == 0, v),
    "putmask": lambda a, v: gpuarray.putmask(a, a == 0, v),
    "fill_diagonal": lambda a, v: gpuarray.fill_diagonal(a.reshape(3, 1), v),
    "insert": lambda a, v: gpuarray.insert(a, 0, v),
    "append": gpuarray.append,
    "diff": lambda a, v: gpuarray.diff(a, prepend=v),
    "ediff1d": lambda a, v: gpuarray.ediff1d(a, v),
    "isin": gpuarray.isin,
    "searchsorted": gpuarray.searchsorted,
    "digitize": lambda a, v: gpuarray.digitize(v, a),
    "scatter_add": lambda a, v: gpuarray.scatter_add(a, [0, 1, 2], v),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_is_no_value_is_refused(device, write):
    for value in NO_VALUES:
        a = gpuarray.zeros(3)
        if value is None and write in (WRITERS["ediff1d"], WRITERS["diff"]):
            continue  # as not given
        if isinstance(value, np.ndarray) and write is WRITERS["isin"]:
            continue  # a parameter
        with pytest.raises(TypeError):
            write(a, value)
        assert a.tolist() == [0, 0, 0]
    if write is not WRITERS["isin"]:
        with pytest.raises(TypeError, match="to_device"):
            write(gpuarray.zeros(3), np.ones(3))


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_arrays_in_lists_are_stacked(device, write):
    results = []
    for first in (5, gpuarray.full((), 5), gpuarray.arange(4.0, 7.0)[1]):
        a = gpuarray.zeros(3)
        try:
            made = write(a, [first, 1, 2])
        except ValueError:  # of fill, which takes no list
            made = None
        results.append((a.tolist(), None if made is None else made.tolist()))
    assert results[0] == results[1] == results[2]


def test_lists_that_hold_themselves(device):
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested deeper"):
        gpuarray.zeros(3)[:] = endless


# Functions of NumPy that write or insert values, each with an array of three elements.
MASK = np.array([True, False, True])
FUNCTIONS = {
    "put": lambda xp, a, v: xp.put(a, [2, 0], v),
    "put_along_axis": lambda xp, a, v: xp.put_along_axis(a, indices(xp), v, 0),
    "place": lambda xp, a, v: xp.place(a, mask(xp), v),
    "putmask": lambda xp, a, v: xp.putmask(a, mask(xp), v),
    "fill_diagonal": lambda xp, a, v: xp.fill_diagonal(a.reshape(3, 1), v),
    "copyto": lambda xp, a, v: xp.copyto(a, v),
    "copyto where": lambda xp, a, v: xp.copyto(a, v, where=mask(xp)),
    "insert": lambda xp, a, v: xp.insert(a, 1, v),
    "insert several": lambda xp, a, v: xp.insert(a, [0, 2], v),
    "append": lambda xp, a, v: xp.append(a, v),
    "diff": lambda xp, a, v: xp.diff(a, prepend=v, append=v),
    "ediff1d": lambda xp, a, v: xp.ediff1d(a, v, v),
    "isin": lambda xp, a, v: xp.isin(a, v),
    "searchsorted": lambda xp, a, v: xp.searchsorted(a, v),
}
OPERATIONS = {
    "fill": lambda xp, a, v: a.fill(v),
    "assign": lambda xp, a, v: a.__setitem__(slice(None), v),
    "assign to mask": lambda xp, a, v: a.__setitem__(mask(xp), v),
    "assign to indices": lambda xp, a, v: a.__setitem__([0, 2], v),
    "assign to one": lambda xp, a, v: a.__setitem__(0, v),
    "clip": lambda xp, a, v: xp.clip(a, v, None),
    "clip out": lambda xp, a, v: xp.clip(a, v, None, a),
    "clip both": lambda xp, a, v: xp.clip(a, v, v),
    "add where": lambda xp, a, v: np.add(a, v, out=a, where=mask(xp)),
    "in place": lambda xp, a, v: a.__iadd__(v),
    "max of initial": lambda xp, a, v: xp.max(a, initial=v),
    "nanmin of initial": lambda xp, a, v: xp.nanmin(a, initial=v),
    "sum of initial": lambda xp, a, v: xp.sum(a, initial=v),
    "prod where": lambda xp, a, v: xp.prod(a, initial=v, where=mask(xp)),
    "nansum of dtype": lambda xp, a, v: xp.nansum(a, dtype=a.dtype, initial=v),
}
SCALARS = [2, 1.5, True, 1j, -1, 300, np.int64(2), np.float64(1.5), np.float32(1.5), np.uint8(7)]
SCALARS += [np.complex64(2), np.bool_(True)]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int64", "float32", "complex64"])
@pytest.mark.parametrize("function", OPERATIONS.values(), ids=OPERATIONS)
def test_operations_take_scalars(device, function, dtype):
    host = np.array([0, 1, 1], dtype)
    for value in SCALARS:
        expected = outcome(lambda v=value: written(np, function, host, v))
        got = outcome(lambda v=value: written(gpuarray, function, host, v))
        assert_same_outcome(got, expected)


# Operations that cast NumPy's scalars without a check, and that use them as operands.
_CASTING = ("clip", "clip out", "clip both", "add where", "in place")
_CASTING_SCALARS = ("assign to mask", "assign to indices")
OUT_OF_RANGE = [300.0, -1.0, -129.0, 255.9, -0.9, 1e30, -1e30, 2.0**63, -(2.0**63), 2.0**64]
OUT_OF_RANGE += [np.inf, np.nan, np.int64(300), np.int64(-1), np.int8(-1), np.uint64(2**64 - 1)]
OUT_OF_RANGE += [np.array(300), np.array(-1), np.bool_(True), np.float64(7.5)]
# What these give for dtypes without a sign depends on the processor in NumPy.
OUT_OF_RANGE_WITH_SIGN = [np.float64(1e30), np.float32(-1e30), np.float16(300), np.float64(-1)]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint32", "int32", "int64", "uint64"])
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in _CASTING])
def test_numbers_out_of_range(device, name, dtype):
    host, function = np.array([0, 1, 1], dtype), OPERATIONS[name]
    signed = np.dtype(dtype).kind == "i" and name not in _CASTING_SCALARS
    for value in (*OUT_OF_RANGE, *(OUT_OF_RANGE_WITH_SIGN if signed else ())):
        expected = outcome(lambda v=value: written(np, function, host, v))
        got = outcome(lambda v=value: written(gpuarray, function, host, v))
        assert_same_outcome(got, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint64"])
def test_full_casts_numbers_out_of_range(device, dtype):
    highest = np.iinfo(dtype).max
    assert gpuarray.full(2, 1e30, dtype).tolist() == [highest, highest]
    assert gpuarray.full(2, np.int64(-1), dtype).tolist() == np.full(2, -1).astype(dtype).tolist()


def mask(xp):
    return MASK if xp is np else gpuarray.to_device(MASK)


def indices(xp):
    return np.array([2, 0]) if xp is np else gpuarray.to_device(np.array([2, 0]))


def written(xp, function, host, value):
    a = host.copy() if xp is np else gpuarray.to_device(host)
    made = function(xp, a, value)
    return a if made is None else made


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int64", "float32", "complex64"])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_take_scalars_and_lists(device, function, dtype):
    host = np.array([0, 1, 1], dtype)
    for value in (*SCALARS, *([v, 1] for v in SCALARS), [2], [[1, 2]], []):
        expected = outcome(lambda v=value: written(np, function, host, v))
        got = outcome(lambda v=value: written(gpuarray, function, host, v))
        assert_same_outcome(got, expected)


PYTHON_SCALARS = [True, 2, -1, 300, 1.5, 1 + 2j]


def sources(dtype):
    """An array, one of no dimensions and a scalar of a dtype, each beside NumPy's."""
    host = np.array([0, 1, 2]).astype(dtype)
    yield gpuarray.to_device(host), host
    yield gpuarray.to_device(host)[1], host[1:2].reshape(())
    yield host[1], host[1]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("target", NUMPY_DTYPES, ids=str)
def test_casting_of_copyto(device, target, casting):
    pairs = [(one, one) for one in PYTHON_SCALARS]
    pairs += [pair for dtype in NUMPY_DTYPES for pair in sources(dtype)]
    host = np.zeros(3, target)
    for source, expected_source in pairs:
        for where in (True, MASK) if casting == "same_kind" else (True,):
            expected, a = host.copy(), gpuarray.to_device(host)
            on_device = where if where is True else gpuarray.to_device(where)
            error = None
            try:
                np.copyto(expected, expected_source, casting, where)
            except (TypeError, OverflowError) as caught:
                error = TypeError if isinstance(caught, TypeError) else OverflowError
            if error is None:
                gpuarray.copyto(a, source, casting, on_device)
            else:
                with pytest.raises(error):
                    gpuarray.copyto(a, source, casting, on_device)
            assert_same(a, expected)


WEIGHTS = [1, 4, 2]
FUNCTIONS_OF_WEIGHTS = {
    "average": lambda xp, a, w: xp.average(a, weights=w),
    "average along an axis": lambda xp, a, w: xp.average(xp.stack([a, a]), axis=1, weights=w),
    "cov, fweights": lambda xp, a, w: xp.cov(a, fweights=w),
    "cov, aweights": lambda xp, a, w: xp.cov(a, aweights=w),
    "bincount": lambda xp, a, w: xp.bincount(a.astype("int64"), w),
    "histogram": lambda xp, a, w: xp.histogram(a, 2, weights=w)[0],
    "histogram2d": lambda xp, a, w: xp.histogram2d(a, a, 2, weights=w)[0],
    "interp, xp": lambda xp, a, w: xp.interp(a, sorted(w) if type(w) is list else w, a),
    "interp, fp": lambda xp, a, w: xp.interp(a, a, w),
    "trapezoid": lambda xp, a, w: xp.trapezoid(a, w),
    "gradient": lambda xp, a, w: xp.gradient(a, w),
}


@pytest.mark.parametrize("name", FUNCTIONS_OF_WEIGHTS)
def test_weights_and_points_are_values(device, name):
    call, host = FUNCTIONS_OF_WEIGHTS[name], np.array([1.0, 3.0, 4.0])
    a = gpuarray.to_device(host)
    got, expected = call(gpuarray, a, WEIGHTS), call(np, host, WEIGHTS)
    np.testing.assert_allclose(got.get(), expected)
    assert got.dtype == expected.dtype
    assert got.device == a.device
    assert_same(call(gpuarray, a, tuple(sorted(WEIGHTS))), call(np, host, tuple(sorted(WEIGHTS))))
    with pytest.raises(TypeError, match="to_device"):
        call(gpuarray, a, np.array(WEIGHTS))
    elements = [*gpuarray.array([*WEIGHTS])]
    np.testing.assert_allclose(call(gpuarray, a, elements).get(), expected)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_weights_of_quantiles_are_values(name):
    call, host = getattr(gpuarray, name), np.array([1.0, 3.0, 4.0])
    a = gpuarray.to_device(host, device="cpu")
    options = {"weights": WEIGHTS, "method": "inverted_cdf"}
    assert call(a, 0.5, **options).item() == getattr(np, name)(host, 0.5, **options)
    with pytest.raises(TypeError, match="to_device"):
        call(a, 0.5, **options | {"weights": np.array(WEIGHTS)})
