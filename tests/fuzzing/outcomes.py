# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls with hostile arguments: a value, or an error of those that the pages name."""

from typing import Any

import numpy as np

import gpuarray

# All others, SystemError and MemoryError among them, are findings.
REFUSALS = (
    *(TypeError, ValueError, BufferError, LookupError, OverflowError, OSError, EOFError),
    *(gpuarray.DeviceError, gpuarray.CudaError, gpuarray.CompileError),
)


def outcome(call: Any, *arguments: Any, **keywords: Any) -> tuple[Any, Exception | None]:
    """Return the value of a call and None, or None and the error with which it refuses."""
    try:
        return call(*arguments, **keywords), None
    except REFUSALS as error:
        return None, error


def check_same(got: Any, expected: Any, what: Any) -> None:
    """Raise AssertionError unless dtype, shape and elements are the same; NaN equals NaN."""
    got, expected = gpuarray.asnumpy(got), np.asarray(expected)
    same = got.dtype == expected.dtype and got.shape == expected.shape
    is_float = expected.dtype.kind in "fc"
    assert same and np.array_equal(got, expected, equal_nan=is_float), (what, got, expected)


def check_both(got: Any, expected: Any, what: Any) -> None:
    """Raise AssertionError unless both outcomes refuse, or have the same value."""
    (value, error), (expected_value, expected_error) = got, expected
    assert (error is None) == (expected_error is None), (what, error, expected_error)
    if error is None:
        check_same(value, expected_value, what)
