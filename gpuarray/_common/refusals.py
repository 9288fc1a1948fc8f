# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Errors for values of which no array can be made, with what to write instead."""

from collections.abc import Iterator, Mapping, Set
from numbers import Number
from typing import Any, NoReturn

import numpy as np

__all__ = ["refuse_elements"]

_ADVICE = (
    (type(None), "gpuarray.nan stands for a missing number"),
    (Iterator, "write gpuarray.fromiter(x, dtype)"),
    (Mapping, "write list(x.values())"),
    (Set, "write list(x)"),
    (Number, "write float(x)"),
)


def refuse_elements(value: Any) -> NoReturn:
    """Raise the error for a value that NumPy would make an array of Python objects of.

    OverflowError for an integer beyond 64 bits, TypeError that names the type for anything else.
    """
    item = _first_other(value)
    if type(item) is int:
        raise OverflowError(
            f"Python integer {item} needs more than 64 bits; dtype='float64' rounds it"
        )
    where = "" if item is value else f" in a {type(value).__name__}"
    advice = next((f"; {text}" for kind, text in _ADVICE if isinstance(item, kind)), "")
    raise TypeError(
        f"expected an array, a number or a list of these, got {type(item).__name__}{where}{advice}"
    )


def _first_other(value: Any) -> Any:
    """Return the first of the items, nested or not, that is no number of 64 bits."""
    if isinstance(value, list | tuple):
        found = (_first_other(item) for item in value)
        return next((item for item in found if not _is_number(item)), value)
    return value


def _is_number(value: Any) -> bool:
    if isinstance(value, list | tuple | np.ndarray):
        return True
    if type(value) is int:
        return -(2**63) <= value < 2**64
    return isinstance(value, bool | float | complex | np.number | np.bool_)
