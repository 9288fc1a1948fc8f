# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's functions called with GPUArrays go to the functions of the same name here."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}

# NumPy's functions that are no ufuncs and have a counterpart of the same signature.
_FUNCTIONS = [
    "all",
    "any",
    "amax",
    "amin",
    "angle",
    "argmax",
    "argmin",
    "array_repr",
    "array_str",
    "clip",
    "concatenate",
    "copy",
    "dot",
    "empty_like",
    "expand_dims",
    "full_like",
    "imag",
    "max",
    "mean",
    "min",
    "moveaxis",
    "ones_like",
    "prod",
    "ravel",
    "real",
    "reshape",
    "squeeze",
    "stack",
    "sum",
    "swapaxes",
    "transpose",
    "where",
    "zeros_like",
]


def __array_ufunc__(
    self: GPUArray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
) -> Any:
    if any(isinstance(value, np.ndarray) for value in (*inputs, *kwargs.get("out", ()))):
        raise TypeError(
            f"{ufunc.__name__}: got numpy.ndarray and GPUArray; convert with gpuarray.to_device(x)"
        )
    function = _ufunc_counterpart(ufunc, method)
    if function is None:
        return NotImplemented
    if "out" in kwargs:
        out = kwargs["out"]
        kwargs["out"] = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if method == "reduce":
        kwargs.setdefault("axis", 0)
    return function(*inputs, **kwargs)


def _ufunc_counterpart(ufunc: np.ufunc, method: str) -> Callable[..., Any] | None:
    import gpuarray

    if getattr(np, ufunc.__name__, None) is not ufunc:
        return None
    if method == "__call__":
        return getattr(gpuarray, ufunc.__name__, None)
    if method == "reduce" and ufunc.__name__ in _REDUCTIONS:
        return getattr(_core, _REDUCTIONS[ufunc.__name__])  # type: ignore[no-any-return]
    return None


def __array_function__(
    self: GPUArray, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    import gpuarray

    name = func.__name__
    if name not in _FUNCTIONS or getattr(np, name, None) is not func:
        return NotImplemented
    if not all(issubclass(kind, GPUArray) for kind in types):
        raise TypeError(
            f"{name}: got numpy.ndarray and GPUArray; convert with gpuarray.to_device(x)"
        )
    if name in ("array_repr", "array_str"):
        return repr(args[0]) if name == "array_repr" else str(args[0])
    return getattr(gpuarray, name)(*args, **kwargs)
