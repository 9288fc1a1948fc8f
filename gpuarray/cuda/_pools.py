# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's memory pools and allocators over the resources of gpuarray.memory."""

import abc
import contextlib
from collections.abc import Callable, Iterator
from contextvars import Context
from typing import Any

import gpuarray
from gpuarray.cuda._blocks import ManagedMemory, Memory, MemoryPointer, size_of
from gpuarray.cuda.device import device_of, known_devices

__all__ = [
    "MemoryAsyncPool",
    "MemoryPool",
    "alloc",
    "default_pool",
    "get_allocator",
    "malloc",
    "malloc_async",
    "malloc_managed",
    "set_allocator",
    "using_allocator",
]

Allocator = Callable[[int], Any]


def alloc(size: int) -> MemoryPointer:
    """Return new memory of the current device, from where arrays get theirs. OutOfMemoryError."""
    return MemoryPointer(Memory(size), 0)


def malloc(size: int) -> MemoryPointer:
    """Return new memory of the current device, from its driver, without a pool. OutOfMemoryError.

    The driver's own pool of stream-ordered memory is behind it.
    """
    return _alloc_from(gpuarray.memory.DriverResource(), size)


def _alloc_from(resource: gpuarray.memory.MemoryResource, size: int) -> MemoryPointer:
    with gpuarray.using_allocator(resource):
        return alloc(size)


malloc_async = malloc


def malloc_managed(size: int) -> MemoryPointer:
    """Return new managed memory, which the driver moves to who uses it. OutOfMemoryError."""
    return MemoryPointer(ManagedMemory(size), 0)


class _Upstream:
    """Gives memory of a function of CuPy's kind, as gpuarray.memory.ExternalResource asks.

    Memory of `malloc` is the driver's, in stream order. `pool` may set a limit of what is held.
    """

    def __init__(
        self, allocator: Allocator, device: gpuarray.Device, pool: "MemoryPool | None" = None
    ) -> None:
        self._allocator = allocator
        self._device = device
        self._pool = pool
        self._driver = gpuarray.memory.DriverResource(device) if allocator is malloc else None
        self._streams: dict[int, gpuarray.Stream] = {}
        self._held = 0

    def allocate(self, nbytes: int, stream: gpuarray.Stream) -> Any:
        limit = 0 if self._pool is None else self._pool.limits.get(self._device, 0)
        if limit and self._held + nbytes > limit:
            raise gpuarray.OutOfMemoryError(
                f"MemoryPool: {nbytes} bytes beside {self._held} are above the limit of {limit}",
                asked=nbytes,
                limit=limit,
            )
        if self._driver is not None:
            memory: Any = self._driver.allocate(nbytes, stream)
        else:
            # What the function itself allocates comes from the device's own resource.
            own = gpuarray.using_allocator(default_pool.resource(self._device))
            with self._device, stream, own:
                memory = self._allocator(nbytes)
            self._streams[int(memory.ptr)] = stream
        self._held += nbytes
        return memory

    def deallocate(self, ptr: int, nbytes: int, stream: gpuarray.Stream) -> None:
        if self._driver is not None:
            self._driver.deallocate(ptr, nbytes, stream)
        elif self._streams.pop(ptr) != stream:
            # The function's memory is reused on the stream that it was allocated on.
            stream.synchronize()
        self._held -= nbytes


class _Pool(abc.ABC):
    """What all pools have in common; they are asked about the current device."""

    @abc.abstractmethod
    def resource(self, device: Any = None) -> gpuarray.memory.MemoryResource:
        """Return the resource of a device, by default the current one."""

    @abc.abstractmethod
    def free_all_blocks(self, stream: Any = None) -> None:
        """Give what is kept for reuse back, after its work; of all streams."""

    def free_all_free(self) -> None:
        """Give what is kept for reuse back."""
        self.free_all_blocks()

    def malloc(self, size: int) -> MemoryPointer:
        """Return memory of the current device. OutOfMemoryError."""
        return _alloc_from(self.resource(), size)

    def used_bytes(self) -> int:
        """Return the bytes that arrays and MemoryPointers hold."""
        return self._usage().used

    def free_bytes(self) -> int:
        """Return the bytes that are kept for reuse."""
        return self._usage().cached

    def total_bytes(self) -> int:
        """Return the bytes in use and kept for reuse."""
        usage = self._usage()
        return usage.used + usage.cached

    def n_free_blocks(self) -> int:
        """Return how many blocks are kept for reuse."""
        return self._usage().free_blocks

    def _usage(self) -> gpuarray.memory.MemoryUsage:
        return self.resource().usage()


def _limit_bytes(size: int | None, fraction: float | None) -> int:
    """Return the bytes of a limit; 0 is none. ValueError for both and for what is out of range."""
    if size is not None and fraction is not None:
        raise ValueError("set_limit: expected one of size and fraction, got both")
    if fraction is not None:
        if not 0 <= fraction <= 1:
            raise ValueError(f"set_limit: fraction: expected 0 to 1, got {fraction}")
        return int(fraction * gpuarray.default_device().total_memory)
    return 0 if size is None else size_of("set_limit", size)


class _DefaultPool(_Pool):
    """The pool that arrays get their memory from where no other was chosen."""

    def __init__(self) -> None:
        self._resources: dict[gpuarray.Device, gpuarray.memory.MemoryResource] = {}

    def resource(self, device: Any = None) -> gpuarray.memory.MemoryResource:
        """Return the resource of a device that arrays used before set_allocator chose another."""
        device = device_of(device)
        if device not in self._resources:
            # Outside of blocks of using_allocator().
            self._resources[device] = Context().run(gpuarray.memory.get_allocator, device)
        return self._resources[device]

    def free_all_blocks(self, stream: Any = None) -> None:
        """Give what is kept for reuse back to the device, after its work; of all streams."""
        gpuarray.memory.release_cached()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what is taken from the current device, in bytes or as a part; 0 is no limit."""
        gpuarray.set_memory_limit(_limit_bytes(size, fraction) or None)

    def get_limit(self) -> int:
        """Return the limit of the current device in bytes; 0 is none."""
        return gpuarray.memory.memory_limit() or 0


default_pool = _DefaultPool()


class MemoryPool(_Pool):
    """A pool of its own, for each device, over `allocator`, which is malloc for None.

    `set_allocator(pool.malloc)` makes new arrays come from it. `allocator(size)` returns a
    MemoryPointer, or anything that has `ptr` and holds the memory.
    """

    def __init__(self, allocator: Allocator | None = None) -> None:
        self._allocator = malloc if allocator is None else allocator
        if not callable(self._allocator):
            raise TypeError(f"MemoryPool: expected a function, got {type(allocator).__name__}")
        self._resources: dict[gpuarray.Device, gpuarray.memory.MemoryResource] = {}
        self.limits: dict[gpuarray.Device, int] = {}

    def resource(self, device: Any = None) -> gpuarray.memory.MemoryResource:
        """Return the gpuarray.memory.MemoryResource of a device, by default the current one."""
        device = device_of(device)
        if device not in self._resources:
            upstream = _Upstream(self._allocator, device, self)
            made = gpuarray.memory.ExternalResource(upstream, device)
            self._resources[device] = gpuarray.memory.PoolResource(made)
        return self._resources[device]

    def free_all_blocks(self, stream: Any = None) -> None:
        """Give what is kept for reuse back, after its work; of all streams."""
        self.resource().release_cached()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what the pool holds on the current device, in bytes or as a part; 0 is none."""
        self.limits[gpuarray.default_device()] = _limit_bytes(size, fraction)

    def get_limit(self) -> int:
        """Return the limit on the current device in bytes; 0 is none."""
        return self.limits.get(gpuarray.default_device(), 0)


class MemoryAsyncPool(MemoryPool):
    """A MemoryPool over the driver's stream-ordered memory; `pool_handles` must be 'current'."""

    def __init__(self, pool_handles: str = "current") -> None:
        if pool_handles != "current":
            raise ValueError(f"MemoryAsyncPool: expected 'current', got {pool_handles!r}")
        super().__init__()


_chosen: Allocator = default_pool.malloc


def _resource_of(allocator: Allocator, device: gpuarray.Device) -> Any:
    """Return the MemoryResource of `device` that an allocator stands for."""
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool | _DefaultPool):
        return pool.resource(device)
    if allocator is malloc:
        return gpuarray.memory.DriverResource(device)
    return gpuarray.memory.ExternalResource(_Upstream(allocator, device), device)


def _require_allocator(what: str, allocator: Any) -> Allocator:
    if allocator is None:
        return malloc
    if not callable(allocator):
        raise TypeError(f"{what}: expected a function or None, got {type(allocator).__name__}")
    return allocator  # type: ignore[no-any-return]


def set_allocator(allocator: Allocator | None = None) -> None:
    """Make new arrays of all threads and devices come from a function of the size.

    `pool.malloc` is such a function, of the default pool too; None is `malloc`, without a pool.
    `gpuarray.memory.set_allocator` takes a MemoryResource.
    """
    global _chosen
    _chosen = _require_allocator("set_allocator", allocator)
    for device in known_devices():
        default_pool.resource(device)
        is_default = _chosen == default_pool.malloc
        resource = None if is_default else _resource_of(_chosen, device)
        gpuarray.memory.set_allocator(resource, device)


def get_allocator() -> Allocator:
    """Return the function that set_allocator chose; at first that of the default pool."""
    return _chosen


@contextlib.contextmanager
def using_allocator(allocator: Allocator | None = None) -> Iterator[None]:
    """Make new arrays of this thread come from a function of the size in a with block.

    It is as in set_allocator.
    """
    allocator = _require_allocator("using_allocator", allocator)
    with contextlib.ExitStack() as stack:
        for device in known_devices():
            default_pool.resource(device)
            stack.enter_context(gpuarray.using_allocator(_resource_of(allocator, device)))
        yield
