# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The functions of the package that implement NumPy's functions for GPUArrays, ufuncs excepted."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._common import package

__all__ = ["CREATION", "counterpart", "counterpart_in_library"]

# NumPy calls these with like=a to make GPUArrays, on the device of `a`.
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


def counterpart(name: str) -> Callable[..., Any] | None:
    """Return the public function with the name of NumPy's function, or None."""
    public = name in package.module.__all__ and callable(getattr(package.module, name))
    return getattr(package.module, name) if public else None


def counterpart_in_library(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the function of gpuarray.linalg or gpuarray.fft for one of NumPy's, or None."""
    name = function.__name__
    for numpys, library in ((np.linalg, "linalg"), (np.fft, "fft")):
        if getattr(numpys, name, None) is function:
            return getattr(getattr(package.module, library, None), name, None)
    return None
