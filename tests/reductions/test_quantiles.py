# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""median, quantile and percentile, compared with NumPy, bit for bit in float64."""

import warnings

import numpy as np
import pytest
from _support.special_values import REAL, sample

import gpuarray

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation"]
METHODS += ["interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased"]
METHODS += ["normal_unbiased", "lower", "higher", "midpoint", "nearest"]


def same(made, expected):
    """The same elements; float64 to the last bit, float16 but for how NumPy rounds on the way."""
    expected = np.asarray(expected)
    assert made.shape == expected.shape
    assert made.dtype == expected.dtype
    if expected.dtype == np.float16:
        np.testing.assert_allclose(made.get(), expected, rtol=2e-3)
    else:
        np.testing.assert_array_equal(made.get(), expected)


def rows(dtype, shape, with_nan):
    x = sample(dtype, shape, 1, few=False)
    if not with_nan and x.dtype.kind == "f":
        x = np.where(np.isfinite(x), x, x.dtype.type(0.75))
    return x


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1])
@pytest.mark.parametrize("dtype", [*REAL, "complex64"])
def test_median(device, dtype, axis, with_nan):
    x = rows(dtype, (4, 7, 6), with_nan)
    if x.dtype.kind == "c":  # infinite ones divide otherwise
        x = np.where(np.isfinite(x) | (np.isnan(x) & with_nan & ~np.isinf(x)), x, 0)
    a = gpuarray.to_device(x)
    for keepdims in (False, True):
        made = gpuarray.median(a, axis, keepdims=keepdims)
        expected = np.asarray(np.median(x, axis, keepdims=keepdims))
        assert made.shape == expected.shape
        assert made.dtype == expected.dtype
        np.testing.assert_allclose(made.get(), expected, rtol=0 if dtype != "float16" else 1e-3)


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
def test_quantile(device, dtype, method, with_nan):
    x = rows(dtype, (5, 11), with_nan)
    a = gpuarray.to_device(x)
    for q in (0.3, 1.0, 0, [0.0, 0.125, 0.5, 0.9, 1.0], np.float32(0.4)):
        if method != "linear" and np.asarray(q).dtype.kind == "i":
            continue
        for axis in (None, 0, 1):
            made = gpuarray.quantile(a, q, axis, method=method)
            same(made, np.quantile(x, q, axis, method=method))


@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
@pytest.mark.parametrize("q", [25, [10, 50.5], [[1, 2], [3, 4]]])
def test_percentile(device, q, axis):
    x = rows("float64", (3, 5, 8), False)
    made = gpuarray.percentile(gpuarray.to_device(x), q, axis, keepdims=True)
    same(made, np.percentile(x, q, axis, keepdims=True))


def test_out(device):
    x = rows("float64", (3, 8), False)
    a, out = gpuarray.to_device(x), gpuarray.empty(3)
    assert gpuarray.median(a, 1, out=out) is out
    np.testing.assert_array_equal(out.get(), np.median(x, 1))
    assert gpuarray.quantile(a, 0.25, 1, out=out) is out
    np.testing.assert_array_equal(out.get(), np.quantile(x, 0.25, 1))


def test_none_of_no_elements(device):
    a = gpuarray.zeros((3, 0))
    assert np.isnan(gpuarray.median(a, 1).get()).all()
    with pytest.raises(IndexError, match="no element"):
        gpuarray.quantile(a, 0.5, 1)
    assert gpuarray.quantile(gpuarray.zeros(3), []).shape == (0,)


def test_errors(device):
    a = gpuarray.zeros(3)
    with pytest.raises(ValueError, match=r"range \[0, 1\]"):
        gpuarray.quantile(a, 1.5)
    with pytest.raises(ValueError, match=r"range \[0, 100\]"):
        gpuarray.percentile(a, [5, 101])
    with pytest.raises(ValueError, match="method must be one of"):
        gpuarray.quantile(a, 0.5, method="best")
    with pytest.raises(TypeError, match="real numbers"):
        gpuarray.quantile(a.astype("complex64"), 0.5)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.median(a, 1)
    with pytest.raises(ValueError, match="repeated axis"):
        gpuarray.median(a, (0, 0))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [2049, 65519, 65520, 65521, 70001])
def test_float16_fractions_of_many_elements(device, count, method):
    """NumPy gives NaN or raises from 65520 elements on, where places overflow in float16."""
    x = np.arange(count, dtype=np.float64)
    a = gpuarray.to_device(x)
    for q in (0, 1) if count < 65520 else (0, 0.25, 0.5, 1):
        wide = np.float16(q) if count < 65520 else np.float64(q)
        expected = np.quantile(x, wide, method=method)
        for made in (
            gpuarray.quantile(a, np.float16(q), method=method),
            gpuarray.percentile(a, np.float16(q * 100), method=method),
        ):
            assert made.dtype == "float64"
            assert made.item() == expected
    narrow = gpuarray.quantile(a.astype("float32"), np.float16([0.5, 1]), method=method)
    assert narrow.dtype == "float32"


def test_bfloat16_fractions_tell_elements_apart(device):
    half = gpuarray.to_device([0.5]).astype("bfloat16")
    assert gpuarray.quantile(gpuarray.arange(1003.0), half).tolist() == [501]
