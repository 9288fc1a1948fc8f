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

_OPERANDS = (GPUArray, np.ndarray, np.generic, bool, int, float, complex)

# NumPy's functions that are no ufuncs and have a counterpart of the same signature.
_FUNCTIONS = [
    "all",
    "any",
    "amax",
    "amin",
    "angle",
    "argmax",
    "argmin",
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

# NumPy's functions that only read attributes: their own code serves any array.
_ATTRIBUTES = ["iscomplexobj", "isrealobj", "ndim", "shape", "size"]


# What NumPy answers from attributes of the array.
_ANSWERS: dict[str, Callable[..., Any]] = {
    "array_repr": repr,
    "array_str": str,
    "iscomplexobj": lambda a: "complex" in a._dtype_name,
    "ndim": lambda a: a.ndim,
    "shape": lambda a: a.shape,
    "size": lambda a, axis=None: a.size if axis is None else a.shape[axis],
}


def __array_ufunc__(
    self: GPUArray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
) -> Any:
    """Call the row of the ufunc's name; NotImplemented where there is none."""
    out = kwargs.pop("out", ())
    if any(isinstance(value, np.ndarray) and value.ndim for value in (*inputs, *out)):
        raise TypeError(
            f"{ufunc.__name__}: got numpy.ndarray and GPUArray; convert with gpuarray.to_device(x)"
        )
    function = _ufunc_counterpart(ufunc, method)
    if function is None or not all(isinstance(value, _OPERANDS) for value in inputs):
        return NotImplemented
    if out:
        kwargs["out"] = out[0] if len(out) == 1 else out
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
    if getattr(np, name, None) is not func:
        return NotImplemented
    if name in _ATTRIBUTES:
        return func._implementation(*args, **kwargs)
    if (name not in _FUNCTIONS and name not in _ANSWERS) or not all(
        issubclass(a, GPUArray | np.ndarray) for a in types
    ):
        return NotImplemented
    if any(issubclass(kind, np.ndarray) for kind in types):
        raise TypeError(
            f"{name}: got numpy.ndarray and GPUArray; convert with gpuarray.to_device(x)"
        )
    function = _ANSWERS.get(name) or getattr(gpuarray, name)
    return function(*args, **kwargs)
