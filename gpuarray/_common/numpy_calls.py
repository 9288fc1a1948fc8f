# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's functions called on the memory of arrays of the cpu device."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gpuarray import _core

__all__ = ["numpys_on_cpu"]

R = TypeVar("R")


def numpys_on_cpu(
    numpys: Callable[..., Any],
    *,
    sequences: bool = False,
    strings: bool = False,
    bools: bool = True,
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Let a function of NumPy's serve calls with arrays of the cpu device.

    For functions that move, compare or count elements, so that there is but one right result, for
    products, which NumPy computes there anyway, and not for what reads memory several times that
    another thread may write meanwhile. With `sequences` the arrays may be items of arguments, with
    `strings` these may be str. Functions that compare are not for `bools`, of which NumPy compares
    bytes, though any but 0 are true, nor then for float16, which NumPy 2.4 sorts wrongly by
    AVX-512. What NumPy refuses goes to the decorated function, which tells
    the caller why.
    """
    call_numpy = _core._call_numpy

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        code = function.__code__  # signature() would take its time at every import
        names = code.co_varnames[: code.co_argcount]
        # NumPy would write to a positional `out` at once.
        most = names.index("out") if "out" in names else code.co_argcount

        @functools.wraps(function)
        def served(*args: Any, **kwargs: Any) -> R:
            if len(args) > most:
                return function(*args, **kwargs)
            result = call_numpy(numpys, args, kwargs, sequences, strings, bools)
            return function(*args, **kwargs) if result is NotImplemented else result

        return served

    return decorate
