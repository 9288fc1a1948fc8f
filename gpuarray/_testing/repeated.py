# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Decorators that run a test once for each dtype or order, named as those of cupy.testing."""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "for_CF_orders",
    "for_all_dtypes",
    "for_all_dtypes_combination",
    "for_complex_dtypes",
    "for_dtypes",
    "for_dtypes_combination",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_int_dtypes_combination",
    "for_orders",
    "for_signed_dtypes",
    "for_signed_dtypes_combination",
    "for_unsigned_dtypes",
    "for_unsigned_dtypes_combination",
]

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., None]], Callable[..., None]]

_SIGNED = tuple(map(np.dtype, ("int8", "int16", "int32", "int64")))
_UNSIGNED = tuple(map(np.dtype, ("uint8", "uint16", "uint32", "uint64")))
_FLOATS = tuple(map(np.dtype, ("float16", "float32", "float64")))
_COMPLEX = tuple(map(np.dtype, ("complex64", "complex128")))
_BOOL = (np.dtype("bool"),)


def without(function: Callable[..., Any], names: Iterable[str]) -> Callable[[F], F]:
    """Give a wrapper the function's name and parameters, without those that it passes itself."""

    def decorate(wrapper: F) -> F:
        made = functools.wraps(function)(wrapper)
        signature = inspect.signature(function)
        kept = [p for p in signature.parameters.values() if p.name not in names]
        made.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return made  # type: ignore[return-value]

    return decorate


def _for_each(cases: Iterable[dict[str, Any]]) -> Decorator:
    """Run a test once for each dict of keyword arguments; an error names those that it had."""
    cases = list(cases)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @without(test, {name for case in cases for name in case})
        def run(*args: Any, **kwargs: Any) -> None:
            for case in cases:
                try:
                    test(*args, **kwargs, **case)
                except Exception as error:
                    error.add_note(", ".join(f"{name}: {value}" for name, value in case.items()))
                    raise

        return run

    return decorate


def for_dtypes(dtypes: Iterable[Any], name: str = "dtype") -> Decorator:
    """Run a test once for each dtype, which it takes as the keyword `name`: a type of NumPy's."""
    return _for_each({name: np.dtype(dtype).type} for dtype in dtypes)


def _all_dtypes(no_float16: bool, no_bool: bool, no_complex: bool) -> tuple[Any, ...]:
    made = (*_SIGNED, *_UNSIGNED, *_FLOATS, *(() if no_bool else _BOOL))
    made += () if no_complex else _COMPLEX
    return tuple(dtype for dtype in made if not (no_float16 and dtype == "float16"))


def for_all_dtypes(
    name: str = "dtype", no_float16: bool = False, no_bool: bool = False, no_complex: bool = False
) -> Decorator:
    """Run a test for each dtype that NumPy has too, as for_dtypes."""
    return for_dtypes(_all_dtypes(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name: str = "dtype", no_float16: bool = False) -> Decorator:
    """Run a test for each real floating dtype that NumPy has too, as for_dtypes."""
    return for_dtypes(_FLOATS[1:] if no_float16 else _FLOATS, name)


def for_signed_dtypes(name: str = "dtype") -> Decorator:
    """Run a test for each dtype of signed integers, as for_dtypes."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name: str = "dtype") -> Decorator:
    """Run a test for each dtype of unsigned integers, as for_dtypes."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name: str = "dtype", no_bool: bool = False) -> Decorator:
    """Run a test for each dtype of integers, and bool, as for_dtypes."""
    return for_dtypes((*_SIGNED, *_UNSIGNED, *(() if no_bool else _BOOL)), name)


def for_complex_dtypes(name: str = "dtype") -> Decorator:
    """Run a test for each complex dtype, as for_dtypes."""
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(
    types: Iterable[Any], names: Iterable[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """Run a test for all combinations of dtypes, which it takes as the keywords `names`.

    Of more than two names, and unless `full`, for as many as two names have: each pair of dtypes
    stands once at the first two places.
    """
    kinds, names = [np.dtype(kind).type for kind in types], list(names)
    count = len(kinds)
    rows: Iterable[tuple[Any, ...]] = itertools.product(kinds, repeat=len(names))
    if len(names) > 2 and not full:
        rows = (
            tuple(kinds[(first + step * place) % count] for place in range(len(names)))
            for first, step in itertools.product(range(count), repeat=2)
        )
    return _for_each(dict(zip(names, row, strict=True)) for row in rows)


def for_all_dtypes_combination(
    names: Iterable[str] = ("dtype",),
    no_float16: bool = False,
    no_bool: bool = False,
    full: bool | None = None,
    no_complex: bool = False,
) -> Decorator:
    """Run a test for combinations of the dtypes of for_all_dtypes, as for_dtypes_combination."""
    return for_dtypes_combination(_all_dtypes(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(
    names: Iterable[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """Run a test for combinations of signed integers, as for_dtypes_combination."""
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(
    names: Iterable[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """Run a test for combinations of unsigned integers, as for_dtypes_combination."""
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(
    names: Iterable[str] = ("dtype",), no_bool: bool = False, full: bool | None = None
) -> Decorator:
    """Run a test for combinations of integers, and bool, as for_dtypes_combination."""
    kinds = (*_SIGNED, *_UNSIGNED, *(() if no_bool else _BOOL))
    return for_dtypes_combination(kinds, names, full)


def for_orders(orders: Iterable[Any], name: str = "order") -> Decorator:
    """Run a test once for each order, which it takes as the keyword `name`."""
    return _for_each({name: order} for order in orders)


def for_CF_orders(name: str = "order") -> Decorator:  # noqa: N802
    """Run a test for the orders "C" and "F", as for_orders."""
    return for_orders("CF", name)
