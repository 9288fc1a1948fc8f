# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Adapters that let `gpuarray.memory.ExternalResource` take memory from other libraries' pools."""

from collections.abc import Callable
from typing import Any

from gpuarray._core import Stream

__all__ = ["CupyAllocator", "RmmAllocator", "TorchAllocator"]


class _StreamKeeper:
    """Remembers the stream of each block, since the other libraries' pools reuse it on that stream.

    Memory that was last used on another stream is freed after that stream is synchronized.
    """

    def __init__(self) -> None:
        self._streams: dict[int, int] = {}

    def _keep(self, ptr: int, stream: Stream) -> None:
        self._streams[ptr] = stream.ptr

    def _wait(self, ptr: int, stream: Stream) -> None:
        if self._streams.pop(ptr) != stream.ptr:
            stream.synchronize()


def _cupy_stream(cupy: Any, stream: Stream) -> Any:
    """Return CuPy's stream object for our stream; CuPy's current device must be the stream's."""
    if hasattr(cupy.cuda.Stream, "from_external"):  # This method exists since CuPy 14.
        return cupy.cuda.Stream.from_external(stream)
    return cupy.cuda.ExternalStream(stream.ptr, stream.device.index)


class CupyAllocator(_StreamKeeper):
    """Takes memory from CuPy: `malloc(nbytes)` returns a cupy.cuda.MemoryPointer."""

    def __init__(self, malloc: Callable[[int], Any]) -> None:
        super().__init__()
        self._malloc = malloc

    def allocate(self, nbytes: int, stream: Stream) -> Any:
        if stream.device.kind == "cpu":
            return self._malloc(nbytes)
        import cupy

        with cupy.cuda.Device(stream.device.index), _cupy_stream(cupy, stream):
            memory = self._malloc(nbytes)
        self._keep(memory.ptr, stream)
        return memory

    def deallocate(self, ptr: int, nbytes: int, stream: Stream) -> None:
        if stream.device.kind == "cuda":
            self._wait(ptr, stream)


class TorchAllocator(_StreamKeeper):
    """Takes memory from the caching allocator of PyTorch."""

    def allocate(self, nbytes: int, stream: Stream) -> int:
        import torch

        ptr: int = torch.cuda.caching_allocator_alloc(nbytes, stream.device.index, stream.ptr)
        self._keep(ptr, stream)
        return ptr

    def deallocate(self, ptr: int, nbytes: int, stream: Stream) -> None:
        import torch

        self._wait(ptr, stream)
        torch.cuda.caching_allocator_delete(ptr)


class RmmAllocator:
    """Takes memory from an RMM DeviceMemoryResource, which frees in stream order itself."""

    def __init__(self, resource: Any) -> None:
        from rmm.pylibrmm.stream import Stream as RmmStream

        self._resource = resource
        self._stream = RmmStream

    def allocate(self, nbytes: int, stream: Stream) -> int:
        return int(self._resource.allocate(nbytes, self._stream(stream)))

    def deallocate(self, ptr: int, nbytes: int, stream: Stream) -> None:
        self._resource.deallocate(ptr, nbytes, self._stream(stream))
