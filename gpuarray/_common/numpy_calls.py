# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's functions called on the memory of arrays of the cpu device."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = ["by_numpy", "serves"]


def serves(a: GPUArray) -> bool:
    """Return whether NumPy can read the array's memory and knows its dtype."""
    return a.device.kind == "cpu" and a._dtype_name != "bfloat16"


def by_numpy(function: Callable[..., Any], a: GPUArray, *args: Any, **options: Any) -> GPUArray:
    """Return a new array of what function(a, ...) gives for an array that serves()."""
    return _core.to_device(function(np.asarray(a), *args, **options), device=a.device)
