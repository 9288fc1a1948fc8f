# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy at work on arrays of the cpu device, without copies."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray

__all__ = ["from_host", "host_keys", "host_view", "on_host"]


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


def host_keys(a: GPUArray) -> np.ndarray[Any, Any]:
    """Return what NumPy orders: `host_view`, but float32 for bfloat16 and bools of 0 and 1."""
    if a._dtype_name == "bfloat16":
        return host_view(a).astype(np.float32)
    return host_view(a).view(np.uint8) != 0 if a._dtype_name == "bool" else host_view(a)


def on_host(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's function makes of arrays of the cpu device, as arrays there."""
    args = tuple(map(_to_host, args))
    made = function(*args, **{name: _to_host(value) for name, value in kwargs.items()})
    return _made(made)


def _to_host(value: Any) -> Any:
    if isinstance(value, GPUArray):
        return host_keys(value)
    return type(value)(map(_to_host, value)) if type(value) in (list, tuple) else value


def _made(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_made, value))
    return from_host(value)
