# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Decorators that run a test with gpuarray and with NumPy, named as those of cupy.testing."""

import unittest
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._common import package
from gpuarray._core import GPUArray
from gpuarray._testing import assertions
from gpuarray._testing.repeated import Decorator, without

__all__ = [
    "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal",
    "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal",
    "numpy_cupy_array_less",
    "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp",
    "numpy_cupy_equal",
]

# What a caller may catch, by which errors of NumPy and gpuarray are compared.
_ERRORS = (AttributeError, IndexError, NotImplementedError, TypeError, ValueError, ArithmeticError)


def _outcome(test: Any, args: Any, kwargs: Any) -> tuple[Any, Exception | None]:
    try:
        return test(*args, **kwargs), None
    except unittest.SkipTest:
        raise
    except Exception as error:
        return None, error


def _check_errors(ours: Exception | None, theirs: Exception | None, accepted: Any) -> None:
    """Raise AssertionError unless both are errors of one kind, and accepted ones."""
    accepted = Exception if accepted is True else accepted or ()
    kinds = [[isinstance(error, kind) for kind in _ERRORS] for error in (ours, theirs)]
    if kinds[0] != kinds[1] or None in (ours, theirs):
        raise AssertionError(f"gpuarray raised {ours!r}, numpy {theirs!r}") from ours or theirs
    if not (isinstance(ours, accepted) and isinstance(theirs, accepted)):
        raise AssertionError(f"both raised errors: {ours!r}") from ours


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, list | tuple) else [result]


def _check_layout(ours: Any, theirs: Any) -> None:
    """Assert that an array is contiguous where NumPy's is."""
    if not (isinstance(ours, GPUArray) and isinstance(theirs, np.ndarray)):
        return
    for flag in ("c_contiguous", "f_contiguous"):
        if getattr(theirs.flags, flag) and not getattr(ours.flags, flag):
            raise AssertionError(f"numpy's array has the flag {flag}, gpuarray's has not")


def beside_numpy(
    compare: Callable[[Any, Any], None],
    name: str,
    type_check: bool,
    accept_error: Any,
    contiguous_check: bool = False,
) -> Decorator:
    """Run a test with gpuarray and with numpy as the keyword `name`, and compare what it returns.

    Both may raise errors of `accept_error`, of one kind, instead.
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., None]:
        @without(test, [name])
        def run(*args: Any, **kwargs: Any) -> None:
            ours, our_error = _outcome(test, args, {**kwargs, name: package.module})
            theirs, their_error = _outcome(test, args, {**kwargs, name: np})
            if our_error or their_error:
                return _check_errors(our_error, their_error, accept_error)
            if ours is None or theirs is None:
                raise AssertionError("a test beside numpy must return what is compared, got None")
            mine, others = _listed(ours), _listed(theirs)
            if len(mine) != len(others):
                raise AssertionError(f"gpuarray gave {len(mine)} results, numpy {len(others)}")
            for our, their in zip(mine, others, strict=True):
                _check_result(our, their, type_check)
                if contiguous_check:
                    _check_layout(our, their)
                compare(our, their)

        return run

    return decorate


def _check_result(ours: Any, theirs: Any, type_check: bool) -> None:
    is_array = isinstance(theirs, np.ndarray | np.generic)
    if isinstance(ours, np.ndarray) or (is_array and not isinstance(ours, GPUArray | np.generic)):
        raise AssertionError(f"gpuarray gave a {type(ours)}, numpy a {type(theirs)}")
    ours, theirs = (a if hasattr(a, "dtype") else np.asarray(a) for a in (ours, theirs))
    if type_check and ours.dtype != theirs.dtype:
        raise AssertionError(f"gpuarray's dtype is {ours.dtype}, numpy's {theirs.dtype}")
    if ours.shape != theirs.shape:
        raise AssertionError(f"gpuarray's shape is {ours.shape}, numpy's {theirs.shape}")


def _tolerance(tolerance: Any, result: Any) -> Any:
    """Return the tolerance for a result, of a dict by types of dtypes or "default"."""
    if not isinstance(tolerance, dict):
        return tolerance
    kind = np.asarray(result).dtype.type
    found = tolerance.get(kind, tolerance.get("default"))
    if found is None:
        raise TypeError(f"numpy_cupy_allclose: there is no tolerance for {kind.__name__}")
    return found


def numpy_cupy_allclose(
    rtol: Any = 1e-7,
    atol: Any = 0,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    contiguous_check: bool = True,
) -> Decorator:
    """Compare what a test returns with gpuarray and with numpy as its keyword `name`.

    Results, or lists and tuples of them, have the same dtypes with `type_check`, are contiguous
    where NumPy's are with `contiguous_check`, and have elements within the tolerances, which may be
    dicts of types of dtypes. Errors of `accept_error`, True for all, pass if both are of one kind.
    """

    def compare(ours: Any, theirs: Any) -> None:
        limits = _tolerance(rtol, theirs), _tolerance(atol, theirs)
        assertions.assert_allclose(ours, theirs, *limits, err_msg=err_msg, verbose=verbose)

    return beside_numpy(compare, name, type_check, accept_error, contiguous_check)


def numpy_cupy_array_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
) -> Decorator:
    """Compare what a test returns with both, as numpy_cupy_allclose, by assert_array_equal."""

    def compare(ours: Any, theirs: Any) -> None:
        assertions.assert_array_equal(ours, theirs, err_msg, verbose)

    return beside_numpy(compare, name, type_check, accept_error)


# Lists are compared one by one as they are.
numpy_cupy_array_list_equal = numpy_cupy_array_equal


def numpy_cupy_array_less(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
) -> Decorator:
    """Compare what a test returns with both, as numpy_cupy_allclose, by assert_array_less."""

    def compare(ours: Any, theirs: Any) -> None:
        assertions.assert_array_less(ours, theirs, err_msg, verbose)

    return beside_numpy(compare, name, type_check, accept_error)


def numpy_cupy_array_almost_equal(
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
) -> Decorator:
    """Compare what a test returns with both, to `decimal` places: assert_array_almost_equal."""

    def compare(ours: Any, theirs: Any) -> None:
        assertions.assert_array_almost_equal(ours, theirs, decimal, err_msg, verbose)

    return beside_numpy(compare, name, type_check, accept_error)


def numpy_cupy_array_almost_equal_nulp(
    nulp: float = 1, name: str = "xp", type_check: bool = True, accept_error: Any = False
) -> Decorator:
    """Compare what a test returns with both, within `nulp` units in the last place."""

    def compare(ours: Any, theirs: Any) -> None:
        assertions.assert_array_almost_equal_nulp(ours, theirs, nulp)

    return beside_numpy(compare, name, type_check, accept_error)


def numpy_cupy_array_max_ulp(
    maxulp: int = 1,
    dtype: Any = None,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
) -> Decorator:
    """Compare what a test returns with both, within `maxulp` numbers: assert_array_max_ulp."""

    def compare(ours: Any, theirs: Any) -> None:
        assertions.assert_array_max_ulp(ours, theirs, maxulp, dtype)

    return beside_numpy(compare, name, type_check, accept_error)


def numpy_cupy_equal(name: str = "xp") -> Decorator:
    """Assert that a test returns equal objects, as shapes and numbers, with both."""
    return beside_numpy(assertions.assert_equal, name, False, False)
