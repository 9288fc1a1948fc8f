# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Checks of arguments that functions put together in Python share."""

import operator
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = [
    "assigned",
    "is_complex",
    "is_inexact",
    "normalize_axis",
    "number",
    "or_default",
    "require_array",
    "require_castable",
    "require_out",
]


def is_complex(a: GPUArray) -> bool:
    """Return whether the elements are complex numbers."""
    return "complex" in a._dtype_name


def is_inexact(a: GPUArray) -> bool:
    """Return whether the elements are floating-point numbers, real or complex."""
    return "float" in a._dtype_name or is_complex(a)


def number(value: Any) -> Any:
    """Return a parameter as a scalar of NumPy's if it is an array of no dimensions.

    Waits for the device of a GPUArray.
    """
    if not isinstance(value, GPUArray | np.ndarray) or value.ndim:
        return value
    return (value.get() if isinstance(value, GPUArray) else value)[()]


def or_default(value: Any, default: Any = None) -> Any:
    """Return `value`, or the default for NumPy's mark of an argument that is not given."""
    return default if value is np._NoValue else value


def require_array(what: str, a: Any) -> GPUArray:
    """Return `a` if it is a GPUArray; TypeError naming what was got for anything else."""
    if not isinstance(a, GPUArray):
        kind = type(a)
        module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
        raise TypeError(
            f"{what}: expected a GPUArray, got {module}{kind.__name__}; "
            "convert with gpuarray.to_device(x)"
        )
    return a


def require_castable(what: str, source: Any, target: Any) -> None:
    """Raise TypeError unless the one dtype casts to the other with casting 'same_kind'."""
    if not _core._can_cast(source, target):
        raise TypeError(
            f"{what}: cannot write a result of dtype {source} into an array of dtype {target} "
            "with casting 'same_kind'"
        )


def require_out(what: str, out: Any, shape: tuple[int, ...], dtype: str) -> GPUArray:
    """Return `out` if it is a writable GPUArray that a result of this shape and dtype fits."""
    require_array(f"{what}: out", out)
    if out.shape != shape:
        raise ValueError(f"{what}: out has shape {out.shape}, expected {shape}")
    if not out.flags.writeable:
        raise ValueError(f"{what}: the array is read-only")
    require_castable(what, dtype, out._dtype_name)
    return out  # type: ignore[no-any-return]


def assigned(what: str, out: GPUArray | None, value: GPUArray) -> GPUArray:
    """Return `value`, or `out` with its elements."""
    if out is None:
        return value
    require_out(what, out, value.shape, value._dtype_name)[...] = value
    return out


def normalize_axis(axis: Any, ndim: int) -> int:
    """Return the axis in [0, ndim); AxisError when there is no such axis."""
    index: int = operator.index(axis)
    if not -ndim <= index < ndim:
        raise np.exceptions.AxisError(index, ndim)
    return index % ndim
