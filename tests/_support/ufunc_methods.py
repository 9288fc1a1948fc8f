# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Helpers for tests of ufuncs' methods: the ufuncs, values for them, and the comparison."""

import warnings

import numpy as np

import gpuarray

from .compare import assert_same, host, wider
from .dtypes import NAMES, kind
from .samples import ordinary
from .tables import BINARY, EXACT, UNARY

BINARY_UFUNCS = [op.name for op in BINARY if isinstance(getattr(np, op.name, None), np.ufunc)]
UNARY_UFUNCS = [op.name for op in UNARY if isinstance(getattr(np, op.name, None), np.ufunc)]
DTYPES = [np.dtype(name) for name in NAMES if name != "bfloat16"]
ERRORS = (TypeError, ValueError, IndexError, OverflowError)
# The last bits of these functions may differ from NumPy's, or floats are taken in another order.
ROUNDED = {op.name for op in [*BINARY, *UNARY]} - EXACT | {"divide"}
# NumPy's vector loops of these functions take elements out of order on some CPUs.
WRONG_IN_NUMPY = ("power", "arctan2")
SUMS = ("add", "subtract", "multiply")


def sample(name, dtype, shape, seed=0):
    """Return values for which NumPy's results are defined on every machine."""
    values = ordinary(dtype, shape, seed=seed)
    if dtype.kind == "b":
        return values
    if name == "power":
        values = np.abs(values.real).astype(int) % 3 if dtype.kind != "u" else values % 3
    if name in ("left_shift", "right_shift"):
        values = np.abs(values) % 4
    if name in ("multiply", "divide") and dtype.kind in "fc":
        values = values % 3 + 0.5 if dtype.kind == "f" else values / 10
    if name in ("floor_divide", "remainder", "fmod", "divide"):
        values = np.where(values == 0, 1, values)
    if name == "reciprocal" and dtype.kind in "iu":
        values = np.ones(shape)
    return values.astype(dtype)


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except ERRORS as error:
            return next(kind for kind in ERRORS if isinstance(error, kind))


def assert_agree(name, got, expected, *, what=""):
    """Assert the same class of error, or the same dtype, shape and, but for rounding, elements."""
    if isinstance(expected, type) or isinstance(got, type):
        assert got is expected, f"{what}: {got}, expected {expected}"
        return
    got, expected = host(got), np.asarray(expected)
    if kind(expected.dtype) not in "fc" or name not in (*ROUNDED, *SUMS, *WRONG_IN_NUMPY):
        assert_same(got, expected, what=what, signed_zero=False)
        return
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape), what
    if name in WRONG_IN_NUMPY:
        return
    unit = float(np.finfo(expected.dtype).eps)
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1) if name in SUMS else None
    np.testing.assert_allclose(
        wider(got), wider(expected), rtol=40 * unit, atol=20 * unit * (size or 0), err_msg=what
    )


def compare(collector, name, function, *values, **options):
    """Compare what the function gives for arrays on the device with what it gives on the host."""

    def check():
        arrays = [gpuarray.to_device(v) if isinstance(v, np.ndarray) else v for v in values]
        expected = outcome(lambda: function(*values, **options))
        assert_agree(name, outcome(lambda: function(*arrays, **options)), expected)

    label = [f"{v.dtype}{v.shape}" if isinstance(v, np.ndarray) else v for v in values]
    collector.check(f"{name} {label} {options}", check)
