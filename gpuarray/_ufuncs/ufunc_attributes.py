# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The attributes that functions of elements have of NumPy's ufuncs, as gpuarray.add.reduce."""

import inspect
from functools import lru_cache, wraps
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.operands import lists_as_arrays

__all__ = ["attribute"]

_OPTIONS = {"where": True, "casting": "same_kind", "order": "K", "subok": True, "signature": None}
_METHODS = ("accumulate", "at", "outer", "reduce", "reduceat")
# The dtypes of NumPy that no device has, as codes of `types`.
_ABSENT = frozenset("gGOMm")


@lru_cache(256)
def attribute(function: str, name: str) -> Any:
    """Return the attribute of gpuarray's `function` that NumPy's ufunc of its name has."""
    ufunc = getattr(np, function)
    if name == "__signature__":
        return _signature(function)
    if name in _METHODS:
        return _method(ufunc, name)
    if name in ("types", "ntypes"):
        types = [types for types in ufunc.types if _ABSENT.isdisjoint(types)]
        return types if name == "types" else len(types)
    return getattr(ufunc, name)


def _signature(function: str) -> inspect.Signature:
    """Return the signature of _core's function with the options of call_with_options()."""
    own = inspect.signature(getattr(_core, function).__wrapped__)
    *others, stream = own.parameters.values()
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in _OPTIONS.items()
        if name not in own.parameters and (name, function) != ("where", "matmul")
    ]
    return own.replace(parameters=[*others, *options, stream])


def _method(ufunc: np.ufunc, name: str) -> Any:
    method = getattr(ufunc, name)
    operands = {"at": 0, "outer": ufunc.nin}.get(name, 1)

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        what = f"{ufunc.__name__}.{name}"
        args = (*lists_as_arrays(what, args[:operands], *args[operands:]), *args[operands:])
        # NumPy finds what overrides it among the arguments, and computes on the host without that.
        given = (*args, *kwargs.values())
        if not any(_overrides(x) for x in given):
            got = ", ".join(type(x).__name__ for x in given)
            raise TypeError(f"{what}: expected a GPUArray, got ({got})")
        return method(*args, **kwargs)

    return call


def _overrides(x: Any) -> bool:
    return hasattr(type(x), "__array_ufunc__") and not isinstance(x, (np.ndarray, np.generic))
