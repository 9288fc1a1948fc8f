# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Assertions of numpy.testing about arrays of any device, which are copied to the host."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gpuarray._core import GPUArray

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
    "assert_equal",
]

F = TypeVar("F", bound=Callable[..., Any])


def _host(value: Any) -> Any:
    if isinstance(value, list | tuple):
        items = map(_host, value)
        return list(items) if isinstance(value, list) else tuple(items)
    return value.get() if isinstance(value, GPUArray) else value


def _on_host(function: F) -> F:
    """Return numpy.testing's function for arguments that may be, or hold, GPUArrays."""

    @functools.wraps(function)
    def compare(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_host, args), **{key: _host(value) for key, value in kwargs.items()})

    return compare  # type: ignore[return-value]


assert_allclose = _on_host(np.testing.assert_allclose)
assert_array_almost_equal = _on_host(np.testing.assert_array_almost_equal)
assert_array_almost_equal_nulp = _on_host(np.testing.assert_array_almost_equal_nulp)
assert_array_equal = _on_host(np.testing.assert_array_equal)
assert_array_less = _on_host(np.testing.assert_array_less)
assert_array_max_ulp = _on_host(np.testing.assert_array_max_ulp)
assert_equal = _on_host(np.testing.assert_equal)


def assert_array_list_equal(
    xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True
) -> None:
    """Assert that two lists have as many arrays, equal one by one in shape and elements."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"lists of {len(xlist)} and {len(ylist)} arrays differ. {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)
