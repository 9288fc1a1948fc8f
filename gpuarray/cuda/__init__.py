# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's cupy.cuda over gpuarray: a program with ``import gpuarray as cp`` uses it as it is.

docs/from-cupy.md says what differs.
"""

import contextlib
from collections.abc import Iterator

import gpuarray
from gpuarray.cuda import device as device
from gpuarray.cuda import memory as memory
from gpuarray.cuda import nvtx as nvtx
from gpuarray.cuda import pinned_memory as pinned_memory
from gpuarray.cuda import profiler as profiler
from gpuarray.cuda import runtime as runtime
from gpuarray.cuda import stream as stream
from gpuarray.cuda._blocks import BaseMemory, ManagedMemory, Memory, MemoryPointer, UnownedMemory
from gpuarray.cuda._pools import (
    MemoryAsyncPool,
    MemoryPool,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from gpuarray.cuda.device import Device, get_device_id
from gpuarray.cuda.pinned_memory import (
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from gpuarray.cuda.stream import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)

__all__ = [
    "BaseMemory",
    "Device",
    "Event",
    "ExternalStream",
    "Graph",
    "ManagedMemory",
    "Memory",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "device",
    "get_allocator",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "is_available",
    "malloc_async",
    "malloc_managed",
    "memory",
    "nvtx",
    "pinned_memory",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
    "using_allocator",
]

Graph = gpuarray.Graph


def is_available() -> bool:
    """Return whether there is a CUDA device."""
    return any(found.kind == "cuda" for found in gpuarray.devices())


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Let a profiler record a with block: profiler.start() before it, profiler.stop() after it."""
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
