# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Comparison of results with NumPy's, to the bit or within units in the last place."""

import ml_dtypes
import numpy as np
import pytest

from .dtypes import epsilon, kind

_WIDER = {
    "bfloat16": np.float32,
    "float16": np.float32,
    "float32": np.float64,
    "float64": np.longdouble,
    "complex64": np.complex128,
    "complex128": np.clongdouble,
}


def wider(array):
    """Return the values in a dtype of higher precision, and integers unchanged."""
    return array.astype(_WIDER.get(array.dtype.name, array.dtype))


def _parts(array):
    """Return real floating values to compare: both parts of complex ones, bfloat16 as float32."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1)
    return array.astype(np.float32) if kind(array.dtype) == "f" else array


def _fail(got, expected, wrong, what):
    places = np.argwhere(wrong)[:4]
    shown = [
        f"{tuple(map(int, p))}: got {got[tuple(p)]!r}, expected {expected[tuple(p)]!r}"
        for p in places[:, : got.ndim]
    ]
    raise AssertionError(
        f"{what}: {int(np.count_nonzero(wrong))} elements differ; " + "; ".join(shown)
    )


def assert_same(got, expected, *, what="", signed_zero=True):
    """Assert the same dtype, shape and elements; NaN equals NaN, and zeros have the same sign."""
    got, expected = host(got), np.asarray(expected)
    assert got.dtype == expected.dtype, f"{what}: dtype {got.dtype}, expected {expected.dtype}"
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
    if kind(got.dtype) not in "fc":
        if not np.array_equal(got, expected):
            _fail(got, expected, got != expected, what)
        return
    a, b = _exact_parts(got), _exact_parts(expected)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if signed_zero:
        same &= np.isnan(a) | (np.signbit(a) == np.signbit(b))
    if not same.all():
        _fail(got, expected, ~same, what)


def _exact_parts(array):
    if array.dtype.kind == "c":
        return _parts(array)
    return array if array.dtype.kind == "f" else array.astype(np.float32)


def _spacing(values, dtype):
    """Return the distance between neighbours of `dtype` at these finite values."""
    smallest = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    _, exponent = np.frexp(np.abs(values))
    return np.maximum(np.ldexp(epsilon(dtype), exponent - 1), smallest)


def assert_close(got, reference, dtype, *, ulps, what="", signed_zero=True, scale=0.0):
    """Assert that all is within `ulps` units of `dtype` in the last place of a precise reference.

    The unit is that of the result, or of `scale` where that is larger, as for sums that cancel.
    """
    got, dtype = host(got), np.dtype(dtype)
    assert got.dtype == dtype, f"{what}: dtype {got.dtype}, expected {dtype}"
    assert got.shape == reference.shape, f"{what}: shape {got.shape}, expected {reference.shape}"
    with np.errstate(all="ignore"):
        expected = reference.astype(dtype)
        if dtype.kind == "c":
            right = _close_complex(got, expected, reference, dtype, ulps)
        else:
            unit = ulps * _spacing(np.maximum(_finite(expected), scale), dtype)
            right = _close_real(got, expected, reference, unit, signed_zero)
    if not right.all():
        _fail(got, expected, ~right, what)


def _finite(array):
    """Return the magnitudes, with 1 in the place of infinities and NaN."""
    parts = _exact_parts(array)
    return np.abs(np.where(np.isfinite(parts), parts, 1))


def _close_real(got, expected, reference, unit, signed_zero):
    a, b = _exact_parts(got), _exact_parts(expected)
    right = (a == b) | (np.isnan(a) & np.isnan(b))
    finite = np.isfinite(a) & np.isfinite(b)
    error = np.abs(np.where(finite, wider(got), 0) - np.where(finite, reference, 0))
    right |= finite & (error <= unit)
    if signed_zero:
        right &= (np.signbit(a) == np.signbit(b)) | ~((a == 0) & (b == 0))
    return right


def _close_complex(got, expected, reference, dtype, ulps):
    """Compare finite values by their distance in the plane, and the others part by part."""
    real = np.dtype(dtype.char.lower())
    finite = np.isfinite(got) & np.isfinite(expected)
    distance = np.abs(np.where(finite, wider(got), 0) - np.where(finite, reference, 0))
    size = np.abs(np.where(finite, expected, 1).astype(np.clongdouble))
    near = distance <= ulps * _spacing(size.astype(np.longdouble), real)
    a, b = _parts(got), _parts(expected)
    same = ((a == b) | (np.isnan(a) & np.isnan(b)) | (np.isfinite(a) & np.isfinite(b))).all(-1)
    return np.where(finite, near, same)


def host(array):
    """Return the elements as a NumPy array, wherever they are."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


class Collector:
    """Runs many cases in one test and reports the first failures of all of them."""

    def __init__(self) -> None:
        self.count = 0
        self.failures: list[str] = []

    def check(self, label, function, *args, **kwargs):
        self.count += 1
        try:
            function(*args, **kwargs)
        except Exception as error:
            message = str(error).partition("\n")[0]
            self.failures.append(f"{label}: {type(error).__name__}: {message}")

    def finish(self) -> None:
        assert self.count, "no case was run"
        shown = "\n  ".join(self.failures[:12])
        if self.failures:
            pytest.fail(f"{len(self.failures)} of {self.count} cases:\n  {shown}", pytrace=False)
