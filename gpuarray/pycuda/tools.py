# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's memory pools and other tools."""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import gpuarray
from gpuarray.pycuda._allocations import DeviceAllocation
from gpuarray.pycuda._devices import Context, Device
from gpuarray.pycuda._host_memory import pagelocked_empty
from gpuarray.pycuda._parameters import ScalarArg as ScalarArg
from gpuarray.pycuda._parameters import VectorArg as VectorArg
from gpuarray.pycuda._parameters import dtype_to_ctype as dtype_to_ctype

__all__ = [
    "DeviceMemoryPool",
    "PageLockedMemoryPool",
    "ScalarArg",
    "VectorArg",
    "clear_context_caches",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "make_default_context",
]

R = TypeVar("R")


def make_default_context() -> Context:
    """Return the context of the default device.

    The number in the environment variable CUDA_DEVICE, if any, becomes the default device first.
    """
    number = os.environ.get("CUDA_DEVICE")
    if number is not None:
        gpuarray.set_default_device(Device(int(number)).device)
    return Context.get_current()


_caches: list[dict[Any, Any]] = []


def context_dependent_memoize(function: Callable[..., R]) -> Callable[..., R]:
    """Return a function that computes each result once for a device and positional arguments."""
    results: dict[Any, R] = {}
    _caches.append(results)

    @functools.wraps(function)
    def memoized(*args: Any) -> R:
        key = (gpuarray.default_device(), args)
        if key not in results:
            results[key] = function(*args)
        return results[key]

    return memoized


def clear_context_caches() -> None:
    """Forget the results of all functions of context_dependent_memoize."""
    for results in _caches:
        results.clear()


class DeviceMemoryPool:
    """Memory of the current device that is kept for reuse when it is freed."""

    def __init__(self) -> None:
        # The driver's own pool, which all of the process shares, is not counted.
        self._held = gpuarray.memory.StatisticsResource(gpuarray.memory.DriverResource())
        self.resource = gpuarray.memory.PoolResource(self._held)

    def allocate(self, size: int) -> DeviceAllocation:
        """Return an allocation; as the `allocator` of arrays it gives them memory of the pool."""
        if size <= 0:
            raise ValueError(f"allocate: expected bytes, at least 1, got {size}")
        with gpuarray.memory.using_allocator(self.resource):
            return DeviceAllocation(gpuarray.empty(size, np.uint8, device=self.resource.device))

    def free_held(self) -> None:
        """Give memory that is kept for reuse back to the driver."""
        self.resource.release_cached()

    @property
    def held_blocks(self) -> int:
        """How many blocks are kept for reuse."""
        return self.resource.usage().free_blocks

    @property
    def active_bytes(self) -> int:
        """The bytes of blocks in use."""
        return self.resource.usage().used

    @property
    def managed_bytes(self) -> int:
        """The bytes of blocks in use and of those kept for reuse."""
        return self._held.statistics()["bytes_in_use"]


class PageLockedMemoryPool:
    """The page-locked memory of the process, of which what is freed is kept for reuse."""

    def allocate(self, shape: Any, dtype: Any, order: str = "C") -> np.ndarray[Any, Any]:
        """Return a NumPy array in page-locked memory; its elements are not set."""
        return pagelocked_empty(shape, dtype, order)

    def free_held(self) -> None:
        """Give memory that is kept for reuse back to the system."""
        gpuarray.release_pinned_memory()

    @property
    def active_blocks(self) -> int:
        """How many blocks are in use."""
        return gpuarray.pinned_memory_stats()["allocations"]

    @property
    def active_bytes(self) -> int:
        """The bytes of blocks in use."""
        return gpuarray.pinned_memory_stats()["bytes_in_use"]

    @property
    def managed_bytes(self) -> int:
        """The bytes of blocks in use and of those kept for reuse."""
        stats = gpuarray.pinned_memory_stats()
        return stats["bytes_in_use"] + stats["cached_bytes"]
