# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's NumPy arrays in page-locked and managed memory."""

import contextlib
from enum import IntFlag
from typing import Any

import numpy as np

import gpuarray

__all__ = [
    "RegisteredHostMemory",
    "host_alloc_flags",
    "managed_empty",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "mem_attach_flags",
    "mem_host_register_flags",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "register_host_memory",
]


class host_alloc_flags(IntFlag):  # noqa: N801
    """Taken for page-locked memory, all of which is portable and mapped."""

    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_host_register_flags(IntFlag):  # noqa: N801
    """Taken for registered memory, all of which is portable and mapped."""

    PORTABLE = 1
    DEVICEMAP = 2


class mem_attach_flags(IntFlag):  # noqa: N801
    """Taken for managed memory, all of which every stream may use."""

    GLOBAL = 1
    HOST = 2
    SINGLE = 4


def _host_array(make: Any, shape: Any, dtype: Any, order: Any) -> np.ndarray[Any, Any]:
    dtype = np.dtype(dtype)
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    nbytes = int(np.prod(extents, dtype=np.int64)) * dtype.itemsize
    memory = np.asarray(make(nbytes, np.uint8))
    return np.ndarray(extents, dtype, memory, order=order)


def _order_of(array: np.ndarray[Any, Any]) -> Any:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def owner_of(array: np.ndarray[Any, Any]) -> gpuarray.GPUArray | None:
    """Return the GPUArray whose memory an array of NumPy's shares, None if it is no such memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    owner = base.obj if isinstance(base, memoryview) else None
    return owner if isinstance(owner, gpuarray.GPUArray) else None


def pagelocked_empty(
    shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0
) -> np.ndarray[Any, Any]:
    """Return a NumPy array in page-locked memory; its elements are not set."""
    return _host_array(gpuarray.empty_pinned, shape, dtype, order)


def pagelocked_zeros(
    shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0
) -> np.ndarray[Any, Any]:
    """Return a NumPy array of zeros in page-locked memory."""
    return _host_array(gpuarray.zeros_pinned, shape, dtype, order)


def pagelocked_empty_like(array: np.ndarray[Any, Any], mem_flags: int = 0) -> np.ndarray[Any, Any]:
    """Return pagelocked_empty of the shape, dtype and order of an array."""
    return pagelocked_empty(array.shape, array.dtype, _order_of(array))


def pagelocked_zeros_like(array: np.ndarray[Any, Any], mem_flags: int = 0) -> np.ndarray[Any, Any]:
    """Return pagelocked_zeros of the shape, dtype and order of an array."""
    return pagelocked_zeros(array.shape, array.dtype, _order_of(array))


def managed_empty(
    shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0
) -> np.ndarray[Any, Any]:
    """Return a NumPy array in managed memory, which kernels take; its elements are not set."""
    return _host_array(gpuarray.empty_managed, shape, dtype, order)


def managed_zeros(
    shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0
) -> np.ndarray[Any, Any]:
    """Return a NumPy array of zeros in managed memory, which kernels take."""
    return _host_array(gpuarray.zeros_managed, shape, dtype, order)


def managed_empty_like(array: np.ndarray[Any, Any], mem_flags: int = 0) -> np.ndarray[Any, Any]:
    """Return managed_empty of the shape, dtype and order of an array."""
    return managed_empty(array.shape, array.dtype, _order_of(array))


def managed_zeros_like(array: np.ndarray[Any, Any], mem_flags: int = 0) -> np.ndarray[Any, Any]:
    """Return managed_zeros of the shape, dtype and order of an array."""
    return managed_zeros(array.shape, array.dtype, _order_of(array))


class RegisteredHostMemory:
    """The base of an array that register_host_memory returns; it keeps the pages locked."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array = array
        self._locked = contextlib.ExitStack()
        self._locked.enter_context(gpuarray.pinned(array))

    def unregister(self) -> None:
        """Unlock the pages, after all work of the device; does nothing the second time."""
        self._locked.close()

    def __del__(self) -> None:
        if hasattr(self, "_locked"):
            self.unregister()


def register_host_memory(array: np.ndarray[Any, Any], flags: int = 0) -> np.ndarray[Any, Any]:
    """Page-lock the memory of a NumPy array; `base.unregister()` of the result unlocks it.

    Returns an array that shares the memory; the pages stay locked as long as it lives. Nothing is
    locked on the cpu device.
    """
    return np.asarray(RegisteredHostMemory(array))
