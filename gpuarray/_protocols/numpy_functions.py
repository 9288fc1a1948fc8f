# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What answers to NumPy's functions that are no ufuncs."""

from collections.abc import Callable
from typing import Any

from gpuarray._common import package

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

_PRINTING: dict[str, Callable[..., Any]] = {"array_repr": repr, "array_str": str}


def counterpart(name: str) -> Callable[..., Any] | None:
    """Return what answers to NumPy's function of this name: the public one of the same name."""
    public = name in package.module.__all__ and callable(getattr(package.module, name))
    return getattr(package.module, name) if public else _PRINTING.get(name)
