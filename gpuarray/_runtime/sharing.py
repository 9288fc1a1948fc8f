# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays and events that several processes of one machine share."""

import functools
import os
from typing import Any, NamedTuple

from gpuarray import _core
from gpuarray._core import Device, Event, GPUArray, MemoryResource
from gpuarray.errors import DeviceError
from gpuarray.memory import using_allocator

__all__ = ["IpcResource", "SharedHandle", "empty_shared", "open_shared"]


class SharedHandle(NamedTuple):
    """What `GPUArray.share` gives and `open_shared` takes: small, to be pickled and sent.

    ``strides`` and ``offset`` are in bytes, the offset that of the first element in a block of
    ``nbytes`` bytes. ``device`` is the device's UUID, ``process`` a number of the process.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    offset: int
    nbytes: int
    writable: bool
    device: bytes
    memory: bytes
    event: bytes
    process: bytes


def IpcResource(device: Device | str | None = None) -> MemoryResource:  # noqa: N802
    """Return a resource whose arrays can be shared with other processes, in blocks of 2 MiB.

    Made with it, as in ``with using_allocator(IpcResource()): c = a + b``, arrays need no copy
    to be shared. Allocating and freeing wait for the device. DeviceError for cpu.
    """
    return _core._ipc_resource(device)


def empty_shared(
    shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None, stream: Any = None
) -> GPUArray:
    """Return a new array that can be shared with other processes: see `GPUArray.share`.

    Arguments as for `empty`. Its memory comes from `IpcResource`. DeviceError for cpu.
    """
    with using_allocator(IpcResource(device)) as resource:
        return _core.empty(shape, dtype, order, device=resource.device, stream=stream)


def open_shared(handle: SharedHandle, *, stream: Any = None) -> GPUArray:
    """Return the array of another process that `handle` came from (`GPUArray.share`), not a copy.

    What one process writes, the others see; work queued here from now on runs, on any stream, after
    what was pending there when it was shared. Later work is ordered by events that are made with
    ``interprocess=True`` and sent along, or by waiting for the device. The process that shares must
    keep its array until the last view here is gone; then, or when this process ends, it is closed.
    In the process that shared it this is another view of the same memory.

    `stream` is one of the array's device, by default the current one, and waits. TypeError unless
    `handle` is a SharedHandle, ValueError for one that is damaged or whose memory was freed here,
    DeviceError where this process has not that device, CudaError where the other process is gone.
    """
    if not isinstance(handle, SharedHandle):
        raise TypeError(f"open_shared: expected a SharedHandle, got {type(handle).__name__}")
    return _core._open_shared(
        _device_of(handle.device),
        handle.memory,
        handle.event,
        handle.nbytes,
        handle.process == _process(),
        handle.dtype,
        handle.shape,
        handle.strides,
        handle.offset,
        handle.writable,
        stream,
        handle,
    )


def share(array: GPUArray, *, stream: Any = None) -> SharedHandle:
    """Implement GPUArray.share."""
    memory, event, nbytes, offset = _core._share(array, stream)
    return SharedHandle(
        shape=array.shape,
        strides=array.strides,
        dtype=array._dtype_name,
        offset=offset,
        nbytes=nbytes,
        writable=array.flags.writeable,
        device=_core._device_uuid(array.device),
        memory=memory,
        event=event,
        process=_process(),
    )


def reduce_event(event: Event) -> tuple[Any, ...]:
    """Implement Event.__reduce__."""
    return open_event, (event.ipc_handle(), _core._device_uuid(event.device))


def open_event(handle: bytes, device: bytes) -> Event:
    """Return the event of another process, on the device of this UUID."""
    return Event.from_ipc_handle(handle, _device_of(device))


@functools.cache
def _process() -> bytes:
    # Process numbers would not do: they repeat between containers, and after a process has ended.
    return os.urandom(16)


def _device_of(uuid: bytes) -> Device:
    for device in _core.devices():
        if device.kind == "cuda" and _core._device_uuid(device) == uuid:
            return device
    raise DeviceError(f"this process has no device with the UUID {uuid!r}")
