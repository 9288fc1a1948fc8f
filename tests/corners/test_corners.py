# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays of no dimensions and of no elements, infinities and weak scalars, against NumPy."""

import warnings

import numpy as np
import pytest
from _support.numpy_names import check

import gpuarray


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


ROWS = {
    "argsort": lambda xp, a, axis: xp.argsort(a, axis=axis),
    "argpartition": lambda xp, a, axis: xp.argpartition(a, 0, axis=axis),
    "repeat": lambda xp, a, axis: xp.repeat(a, 2, axis=axis),
    "packbits": lambda xp, a, axis: xp.packbits(a, axis=axis),
    "cumulative_sum": lambda xp, a, axis: xp.cumulative_sum(a, axis=axis),
    "mean": lambda xp, a, axis: xp.mean(a, axis=axis),
    "var": lambda xp, a, axis: xp.var(a, axis=axis),
    "std": lambda xp, a, axis: a.std(axis=axis),
    "nanmean": lambda xp, a, axis: xp.nanmean(a, axis=axis),
    "nanvar": lambda xp, a, axis: xp.nanvar(a.astype("float32"), axis=axis),
    "sum": lambda xp, a, axis: xp.sum(a, axis=axis),
}


@pytest.mark.parametrize("axis", [None, 0, -1, 1])
@pytest.mark.parametrize("name", ROWS)
def test_no_dimensions(device, name, axis):
    check(lambda xp, a: ROWS[name](xp, a, axis), np.array(5))


def test_more_of_no_dimensions(device):
    check(lambda xp, a: xp.asfortranarray(a), np.array(5.0))
    check(lambda xp, a: xp.unpackbits(a, axis=0), np.array(5, "uint8"))
    check(lambda xp, a: xp.pad(a, -1), np.array(5))
    check(lambda xp, a: xp.append(a, 2.5, axis=0), np.ones(3))
    check(lambda xp, a: xp.polyval(a, a[0]), np.array([1, 2, 3], "int8"))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_no_elements(device, shape, axis):
    host = np.ones(shape)
    check(lambda xp, a: xp.median(a, axis=axis), host)
    check(lambda xp, a: xp.partition(a, 7, axis=axis), host)
    check(lambda xp, a: xp.argpartition(a, 7, axis=axis), host)


def test_quantile_of_no_rows(device):
    check(lambda xp, a: xp.quantile(a, [0.5, 1.0], axis=1), np.ones((0, 3)))


def test_indices_where_nothing_is_taken(device):
    for call in (
        lambda a: gpuarray.take(a, [7], axis=0),
        lambda a: np.add.at(a, [7], 1.0),
    ):
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
            call(gpuarray.ones((3, 0)))
            gpuarray.device(device).synchronize()
    check(lambda xp, a: xp.take(a, [7], axis=1), np.ones((0, 3)))
    gpuarray.device(device).synchronize()
    with pytest.raises(IndexError, match="cannot replace elements of an empty array"):
        gpuarray.put(gpuarray.ones(0), [1], [])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_variance_of_infinities(device, dtype):
    host = np.array([[1, np.inf, np.nan], [1, 2, np.nan]], dtype)
    check(lambda xp, a: xp.nanvar(a, axis=1), host)
    check(lambda xp, a: xp.nanstd(a), host)


def test_means_of_floats_are_no_integers(device):
    for name in ("nanmean", "nanvar", "nanstd"):
        check(lambda xp, a, name=name: getattr(xp, name)(a, dtype="int32"), np.ones(3))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_median_of_subnormal_numbers(device, dtype):
    host = np.array([np.finfo(dtype).smallest_subnormal, np.nan], dtype)
    check(lambda xp, a: xp.nanmedian(a), host, exact=True)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_infinities_stay_where_they_are(device, name, mode):
    host = np.array([np.inf, 1, 2, np.nan, 3, 4])
    taps = np.array([1.0, np.inf, 2.0])
    for v in (taps, taps[:2], taps[::-1], taps[::2]):
        check(lambda xp, a, b: getattr(xp, name)(a, b, mode), host, v)
        check(lambda xp, a, b: getattr(xp, name)(b, a, mode), host, v)


def test_weak_scalars(device):
    small, flags = np.array([1, 2, 3], "int8"), np.array([True, False, True])
    check(lambda xp, a, b: xp.select([b, ~b], [a, b], 0), small, flags)
    check(lambda xp, a, b: xp.select([b], [b], 0), small, flags)
    for value in (3, 2.5):
        check(lambda xp, a, value=value: xp.insert(a, 1, value), small)
        check(lambda xp, a, value=value: xp.pad(a, 1, constant_values=value), small)
    check(lambda xp, a: xp.select([a > 1], [a], 300), small)
    for call in (
        lambda a: gpuarray.insert(a, 0, 300),
        lambda a: gpuarray.pad(a, 1, constant_values=300),
    ):
        with pytest.raises(OverflowError, match="300 out of bounds for int8"):
            call(gpuarray.to_device(small))


def test_edges_that_end_with_nan(device):
    edges = np.array([0.0, 1.0, np.nan])
    check(lambda xp, x, bins: xp.digitize(x, bins), np.array([-1.0, 0.5, 2.0, np.nan]), edges)


def test_counts_are_integers(device):
    check(lambda xp: xp.linspace(0, 1, 2.5))
    check(lambda xp: xp.linspace(0, 1, np.int64(3)))
    for host in (np.ones(3), np.arange(3), np.ones(3) * 1j):
        check(lambda xp, a: xp.round(a, 1.5), host)


def test_histogram_without_edges(device):
    check(lambda xp, a, bins: xp.histogram(a, bins), np.ones(3), np.ones(0))


@pytest.mark.parametrize("value", [300, -5, np.nan, np.inf, (1, 300)])
def test_ramps_to_what_the_dtype_does_not_hold(device, value):
    a = gpuarray.ones(3, "uint8")
    with pytest.raises((OverflowError, ValueError)):
        gpuarray.pad(a, 2, "linear_ramp", end_values=value)
    check(lambda xp, a: xp.pad(a, 2, "linear_ramp", end_values=(2.5, 9)), np.ones(3, "uint8"))
    if value is not np.nan:
        check(lambda xp, a: xp.pad(a, 2, "linear_ramp", end_values=300), np.ones(3, "int16"))
