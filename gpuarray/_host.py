# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy at work on arrays of the cpu device, without copies."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray.creation import asarray

__all__ = ["from_host", "host_view"]


def host_view(a: GPUArray) -> np.ndarray[Any, Any]:
    """Return the memory of an array of the cpu device as an ndarray, once pending work is done."""
    return np.asarray(a)


def from_host(a: Any) -> GPUArray:
    """Return a NumPy result as an array of the cpu device, which shares its memory if it can.

    Scalars, read-only arrays and bfloat16, which DLPack's producer refuses, are copied.
    """
    a = np.asarray(a)
    if a.flags.writeable and a.dtype.kind != "V":
        return _core.from_dlpack(a)
    return asarray(a, device="cpu")
