# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What answers to NumPy's functions that are no ufuncs."""

from collections.abc import Callable
from typing import Any

from gpuarray._arguments import require_array
from gpuarray._core import GPUArray

__all__ = ["CREATION", "counterpart"]

# With like=a they make GPUArrays, on the device of `a`.
CREATION = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "empty",
    "eye",
    "full",
    "identity",
    "ones",
    "zeros",
]


def _reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> GPUArray:
    made: GPUArray = require_array("reshape", a).reshape(shape, order=order)
    if copy is False and made.ptr != a.ptr:
        raise ValueError("reshape: a copy is needed for this shape and order; got copy=False")
    return made.copy("K") if copy and made.ptr == a.ptr else made


_ANSWERS: dict[str, Callable[..., Any]] = {
    "array_repr": repr,
    "array_str": str,
    "reshape": _reshape,
}


def counterpart(name: str) -> Callable[..., Any] | None:
    """Return what answers to NumPy's function of this name: the one of gpuarray, but for a few."""
    import gpuarray

    public = name in gpuarray.__all__ and callable(getattr(gpuarray, name))
    return _ANSWERS.get(name) or (getattr(gpuarray, name) if public else None)
