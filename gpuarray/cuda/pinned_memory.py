# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's page-locked memory over that of gpuarray."""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import gpuarray
from gpuarray.cuda._blocks import size_of

__all__ = [
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "alloc_pinned_memory",
    "default_pool",
    "set_pinned_memory_allocator",
]


class PinnedMemoryPointer:
    """New page-locked memory; an object with a buffer, as numpy.frombuffer takes it.

    On the cpu device it is ordinary memory. It is kept as long as the object or an array over it.
    OutOfMemoryError where the system locks no more memory.
    """

    _array: gpuarray.GPUArray

    def __new__(cls, size: int) -> Any:
        array = gpuarray.empty_pinned(size_of("alloc_pinned_memory", size), np.uint8)
        made: Any = _buffer_type(array.nbytes)
        made = made.from_buffer(memoryview(array) if array.nbytes else bytearray())
        made._array = array
        return made

    def __init__(self, size: int) -> None:
        """Keep the memory as it is; the base class would write its arguments there."""

    @property
    def ptr(self) -> int:
        """The address."""
        return self._array.ptr

    @property
    def mem(self) -> gpuarray.GPUArray:
        """The memory as a GPUArray of uint8."""
        return self._array

    def size(self) -> int:
        """Return the bytes of the memory."""
        return self._array.nbytes


@lru_cache(64)
def _buffer_type(nbytes: int) -> type[Any]:
    """Return the class of pointers to so many bytes: only types of ctypes offer a buffer."""
    made: Any = type(ctypes.c_ubyte * nbytes)
    names = {"_type_": ctypes.c_ubyte, "_length_": nbytes}
    typed: type[Any] = made("PinnedMemoryPointer", (PinnedMemoryPointer, ctypes.Array), names)
    return typed


class PinnedMemoryPool:
    """The pool of page-locked memory, which is one for the process: all objects are the same pool.

    `malloc(size)` gives a PinnedMemoryPointer.
    """

    def malloc(self, size: int) -> Any:
        """Return a PinnedMemoryPointer. OutOfMemoryError."""
        return PinnedMemoryPointer(size)

    def used_bytes(self) -> int:
        """Return the bytes in use."""
        return gpuarray.pinned_memory_stats()["bytes_in_use"]

    def free_bytes(self) -> int:
        """Return the bytes that are kept for reuse."""
        return gpuarray.pinned_memory_stats()["cached_bytes"]

    def total_bytes(self) -> int:
        """Return the bytes in use and kept for reuse."""
        return self.used_bytes() + self.free_bytes()

    def free_all_blocks(self) -> None:
        """Give what is kept for reuse back to the system, after the work on it."""
        gpuarray.release_pinned_memory()


default_pool = PinnedMemoryPool()
_allocate: Callable[[int], Any] = PinnedMemoryPointer


def set_pinned_memory_allocator(allocator: Callable[[int], Any] | None = None) -> None:
    """Make alloc_pinned_memory call a function of the size; None is the pool."""
    global _allocate
    if allocator is not None and not callable(allocator):
        raise TypeError(
            "set_pinned_memory_allocator: expected a function or None, "
            f"got {type(allocator).__name__}"
        )
    _allocate = PinnedMemoryPointer if allocator is None else allocator


def alloc_pinned_memory(size: int) -> Any:
    """Return page-locked memory: a PinnedMemoryPointer, unless another allocator was set.

    `numpy.frombuffer(memory, dtype, count)` is an array over it. OutOfMemoryError.
    """
    return _allocate(size)
