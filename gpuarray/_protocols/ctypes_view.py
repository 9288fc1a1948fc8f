# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The object `a.ctypes`, which has the attributes of numpy.ndarray.ctypes."""

import ctypes
from typing import Any

from gpuarray._core import GPUArray

__all__ = ["CTypes", "DevicePointer"]


class DevicePointer(int):
    """The address of an array, as PyCUDA's users have it: `a.gpudata`."""

    def free(self) -> None:
        """Do nothing: memory is freed with the last array that lies in it."""


class CTypes:
    """Address, shape and strides of a GPUArray as ctypes' types: `a.ctypes`.

    The address is one of the array's device. Nothing is waited for: open the array with
    gpuarray.access() for work that others queue on it.
    """

    def __init__(self, array: GPUArray) -> None:
        self._array = array

    @property
    def data(self) -> int:
        """Address of the first element, an int."""
        return self._array.ptr

    @property
    def shape(self) -> Any:
        """Elements along each axis, a C array of ssize_t."""
        return self.shape_as(ctypes.c_ssize_t)

    @property
    def strides(self) -> Any:
        """Bytes between neighbours along each axis, a C array of ssize_t."""
        return self.strides_as(ctypes.c_ssize_t)

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        pointer: ctypes.c_void_p = self.data_as(ctypes.c_void_p)
        return pointer

    def data_as(self, pointer_type: type[Any]) -> Any:
        """Return the address as this pointer type; the pointer keeps the array's memory."""
        pointer = ctypes.cast(self._array.ptr, pointer_type)
        pointer._array = self._array
        return pointer

    def shape_as(self, integer_type: Any) -> Any:
        """Return the shape as a C array of this integer type."""
        return (integer_type * self._array.ndim)(*self._array.shape)

    def strides_as(self, integer_type: Any) -> Any:
        """Return the strides, in bytes, as a C array of this integer type."""
        return (integer_type * self._array.ndim)(*self._array.strides)
