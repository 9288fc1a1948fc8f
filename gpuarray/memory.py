# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Memory resources that arrays get memory from, limits of memory, and statistics of its use."""

import contextlib
import typing as _typing
from collections.abc import Iterator
from typing import Any, NamedTuple

from gpuarray import _core
from gpuarray._common.allocators import CupyAllocator, RmmAllocator, TorchAllocator
from gpuarray._common.attributes import unknown_attribute as _unknown_attribute
from gpuarray._core import Device, MemoryResource

__all__ = [
    "DebugResource",
    "DriverResource",
    "ExternalResource",
    "GuardedBlock",
    "HostResource",
    "LimitResource",
    "MemoryInfo",
    "MemoryResource",
    "MemoryUsage",
    "PoolResource",
    "StatisticsResource",
    "cupy_allocator",
    "get_allocator",
    "memory_info",
    "memory_limit",
    "release_cached",
    "rmm_allocator",
    "set_allocator",
    "set_memory_limit",
    "torch_allocator",
    "using_allocator",
]


class MemoryInfo(NamedTuple):
    """Memory of a device, in bytes; ``limit`` is None for none.

    ``free`` is what arrays can have, what is ``cached`` for reuse included; ``used`` is what arrays
    hold.
    """

    free: int
    total: int
    used: int
    cached: int
    limit: int | None
    largest_free_block: int


class MemoryUsage(NamedTuple):
    """What a resource and its upstream hold, in bytes: ``used`` in blocks handed out, ``cached``
    in ``free_blocks`` blocks kept for reuse; ``limit`` is None for none."""

    used: int
    cached: int
    free_blocks: int
    largest_free_block: int
    limit: int | None


class GuardedBlock(NamedTuple):
    """A block in use of a DebugResource: ``site`` is the line that allocated it, "file.py:12", or
    None; ``stream`` the CUstream it was allocated on."""

    ptr: int
    nbytes: int
    stream: int
    site: str | None


def DriverResource(device: Device | str | None = None) -> MemoryResource:  # noqa: N802
    """Return a resource of the device's driver: its stream-ordered memory pool.

    On cpu it is the host's memory.
    """
    return _core._driver_resource(device)


def HostResource() -> MemoryResource:  # noqa: N802
    """Return a resource of the host's memory, for the cpu device.

    Blocks below 64 KiB are of the heap, larger ones pages of their own, huge from 4 MiB on.
    """
    return _core._driver_resource("cpu")


def PoolResource(upstream: MemoryResource) -> MemoryResource:  # noqa: N802
    """Return a resource that keeps what is freed for reuse.

    Blocks of up to 1 MiB are kept by stream and size class, those of up to 10 MiB are parts of
    segments that are split and merged, larger ones are kept for others of about their size.
    """
    return _core._pool_resource(upstream)


def LimitResource(  # noqa: N802
    upstream: MemoryResource, limit: int | float | str
) -> MemoryResource:
    """Return a resource that takes at most `limit` from its upstream.

    `limit` is as in `set_memory_limit`. Above a pool it counts what arrays hold, below a pool what
    the pool holds.
    """
    return _core._limit_resource(upstream, _to_bytes(limit, upstream.device, "LimitResource"))


def StatisticsResource(upstream: MemoryResource) -> MemoryResource:  # noqa: N802
    """Return a resource that counts what its upstream gives: see its ``statistics()``."""
    return _core._statistics_resource(upstream)


def DebugResource(upstream: MemoryResource) -> MemoryResource:  # noqa: N802
    """Return a resource that looks for misuse of memory, as ``GPUARRAY_MEMORY_DEBUG=1`` does.

    Bytes before and after each block are checked when it is freed, freed memory is overwritten, and
    what is freed twice or was not allocated here is refused. The last 16 MiB freed are not used
    again at once, so that writes to them are found later. Each finding is a ``RuntimeWarning``.
    ``live_blocks()`` says which line allocated each block in use. Every free waits for its stream.
    """
    return _core._debug_resource(upstream)


def ExternalResource(  # noqa: N802
    allocator: Any, device: Device | str | None = None
) -> MemoryResource:
    """Return a resource that takes memory of `device` from a Python object.

    `allocator` has ``allocate(nbytes, stream)``, which returns an address or an object with
    ``ptr`` that is kept until the free, and ``deallocate(ptr, nbytes, stream)``. `stream` is a
    `Stream`: memory must be usable by work queued there from then on, and may be reused after the
    work queued there before the free. A pool of CuPy (``malloc(nbytes)``) is taken as
    `cupy_allocator` takes it. Exceptions of ``allocate`` reach the caller, a
    MemoryError after pools above have made room; those of ``deallocate`` go to
    ``sys.unraisablehook``.
    """
    if not hasattr(allocator, "allocate") and hasattr(allocator, "malloc"):
        allocator = CupyAllocator(allocator.malloc)
    return _core._external_resource(allocator, device)


def cupy_allocator(pool: Any = None, device: Device | str | None = "cuda") -> MemoryResource:
    """Return a resource over a memory pool of CuPy, its default one for None."""
    if pool is None:
        import cupy

        pool = cupy.get_default_memory_pool()
    return _core._external_resource(CupyAllocator(pool.malloc), device)


def torch_allocator(device: Device | str | None = "cuda") -> MemoryResource:
    """Return a resource over PyTorch's caching allocator, so that both share one pool."""
    import torch

    torch.cuda.init()
    return _core._external_resource(TorchAllocator(), device)


def rmm_allocator(resource: Any = None, device: Device | str | None = "cuda") -> MemoryResource:
    """Return a resource over a DeviceMemoryResource of RMM, the device's current one for None."""
    if resource is None:
        import rmm

        resource = rmm.mr.get_current_device_resource()
    return _core._external_resource(RmmAllocator(resource), device)


def _to_resource(allocator: Any) -> MemoryResource:
    return allocator if isinstance(allocator, MemoryResource) else ExternalResource(allocator)


def set_allocator(allocator: Any, device: Device | str | None = None) -> None:
    """Make new arrays of all threads come from `allocator`; None is the device's own resource.

    A MemoryResource is used for its device, and `device` is for None; other objects are wrapped by
    `ExternalResource`, for the default device. Arrays give their memory back where it came from.
    """
    if allocator is None:
        _core._choose_resource(None, device, False)
        return
    resource = _to_resource(allocator)
    _core._choose_resource(resource, resource.device, False)


@contextlib.contextmanager
def using_allocator(allocator: Any) -> Iterator[MemoryResource]:
    """Make new arrays of this thread come from `allocator` in a ``with`` block.

    `allocator` is as in `set_allocator`; the resource is what the block gets. Only arrays of the
    resource's device are concerned.
    """
    resource = _to_resource(allocator)
    before = _core._choose_resource(resource, resource.device, True)
    try:
        yield resource
    finally:
        _core._choose_resource(before, resource.device, True)


def get_allocator(device: Device | str | None = None) -> MemoryResource:
    """Return the resource that new arrays of this thread on the device come from."""
    return _core._current_resource(device)


def _to_bytes(limit: int | float | str, device: Device, name: str) -> int:
    if isinstance(limit, str):
        return _core._parse_bytes(limit, device.total_memory, name)
    if isinstance(limit, float):
        if not 0 < limit <= 1:
            raise ValueError(f"{name}: expected a fraction above 0 and at most 1, got {limit}")
        return int(limit * device.total_memory)
    if limit < 0:
        raise ValueError(f"{name}: expected bytes, at least 0, got {limit}")
    return limit


def set_memory_limit(limit: int | float | str | None, device: Device | str | None = None) -> None:
    """Limit what the device's own resource takes from it, what it keeps for reuse included.

    `limit` is an int of bytes, a float as a fraction of the device's memory, a str such as "4GiB"
    or "80%", or None for no limit. What is beyond raises OutOfMemoryError; arrays that exist stay.
    At first it is what ``GPUARRAY_MEMORY_LIMIT`` says, which is read when the device is first used.
    """
    if limit is not None:
        limit = _to_bytes(limit, Device(device), "set_memory_limit")
    _core._set_memory_limit(limit, device)


def memory_limit(device: Device | str | None = None) -> int | None:
    """Return the limit of the device's own resource in bytes, None for none."""
    return _core._memory_limit(device)


def memory_info(device: Device | str | None = None) -> MemoryInfo:
    """Return what memory the device has and how it is used, now."""
    return MemoryInfo(*_core._memory_info(device))


def release_cached(device: Device | str | None = None) -> None:
    """Give memory that is kept for reuse back to the device, for other programs.

    Runs the pending operations of all threads, and waits for all work on the device. Arrays are not
    concerned.
    """
    _core._release_cached(device)


if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
