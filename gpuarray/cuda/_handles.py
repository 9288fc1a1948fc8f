# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Memory, streams and events by their numbers, as the CUDA runtime has them."""

import contextlib
import ctypes
import itertools
from typing import Any

import numpy as np

import gpuarray
from gpuarray.cuda._blocks import bytes_at, size_of
from gpuarray.cuda.device import known_devices
from gpuarray.cuda.stream import Stream

__all__ = [
    "eventCreate",
    "eventCreateWithFlags",
    "eventDestroy",
    "eventElapsedTime",
    "eventQuery",
    "eventRecord",
    "eventSynchronize",
    "free",
    "freeAsync",
    "freeHost",
    "hostAlloc",
    "malloc",
    "mallocAsync",
    "mallocManaged",
    "memcpy",
    "memcpyAsync",
    "memset",
    "memsetAsync",
    "streamCreate",
    "streamCreateWithFlags",
    "streamDestroy",
    "streamQuery",
    "streamSynchronize",
    "streamWaitEvent",
]

_HOST_TO_HOST, _DEFAULT = 0, 4
# Whether the target and the source of a copy of each other kind are on a device.
_ON_DEVICE = {1: (True, False), 2: (False, True), 3: (True, True)}
_STATUS_NOT_READY = 600

_memory: dict[int, gpuarray.GPUArray] = {}
_streams: dict[int, gpuarray.Stream] = {}
_events: dict[int, gpuarray.Event] = {}
# Events of the cpu device have no handle.
_cpu_events = itertools.count(1)


def _keep(array: gpuarray.GPUArray) -> int:
    _memory[array.ptr] = array
    return array.ptr


def malloc(size: int) -> int:
    """Return the address of new memory of the current device, to be given to free; 0 for 0 bytes.

    OutOfMemoryError.
    """
    return _keep(gpuarray.empty(size_of("malloc", size), np.uint8))


def mallocAsync(size: int, stream: int) -> int:
    """Return the address of new memory for work on a stream, to be given to freeAsync or free.

    0 for 0 bytes. OutOfMemoryError.
    """
    nbytes = size_of("mallocAsync", size)
    with _stream(stream):
        return _keep(gpuarray.empty(nbytes, np.uint8))


def mallocManaged(size: int, flags: int = 1) -> int:
    """Return the address of new managed memory, to be given to free. OutOfMemoryError."""
    return _keep(gpuarray.empty_managed(size_of("mallocManaged", size), np.uint8))


def hostAlloc(size: int, flags: int = 0) -> int:
    """Return the address of new page-locked memory, to be given to freeHost. OutOfMemoryError."""
    return _keep(gpuarray.empty_pinned(size_of("hostAlloc", size), np.uint8))


def _kept(what: str, ptr: int) -> gpuarray.GPUArray:
    if ptr not in _memory:
        raise ValueError(f"{what}: {ptr:#x} is no address that malloc returned")
    return _memory[ptr]


def free(ptr: int) -> None:
    """Give memory of malloc back, after all work of its device. ValueError for another address."""
    if ptr == 0:
        return
    gpuarray.synchronize(_kept("free", ptr).device)
    del _memory[ptr]


def freeAsync(ptr: int, stream: int) -> None:
    """Give memory of mallocAsync or malloc back after the work queued on a stream, without a wait.

    ValueError for another address.
    """
    if ptr == 0:
        return
    with gpuarray.access(writes=[_kept("freeAsync", ptr)], stream=_stream(stream)):
        del _memory[ptr]


freeHost = free


def _stream(handle: int) -> gpuarray.Stream:
    """Return a stream by its handle; 0 is the one that is current where none was chosen."""
    if handle == 0:
        return Stream.null.stream
    return _streams.get(handle) or gpuarray.ExternalStream(handle)


def streamCreate() -> int:
    """Return the CUstream of a new stream of the current device; 0 on the cpu device."""
    return streamCreateWithFlags(0)


def streamCreateWithFlags(flags: int) -> int:
    """Return the CUstream of a new stream; 1 is one that is not ordered with the default stream."""
    made = gpuarray.Stream(non_blocking=bool(flags & 1))
    if made.ptr:
        _streams[made.ptr] = made
    return made.ptr


def streamDestroy(stream: int) -> None:
    """Destroy a stream of streamCreate once its work is done. ValueError for another one."""
    if stream != 0 and _streams.pop(stream, None) is None:
        raise ValueError(f"streamDestroy: {stream:#x} is no stream that streamCreate returned")


def streamSynchronize(stream: int) -> None:
    """Wait until all work of a stream is done."""
    _stream(stream).synchronize()


def streamQuery(stream: int) -> None:
    """Return if all work of a stream is done. CudaError, of status 600, if not."""
    _require_done("streamQuery", _stream(stream).done)


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Let later work of a stream run after what an event was recorded after."""
    _stream(stream).wait_event(_event(event))


def _require_done(what: str, done: bool) -> None:
    if not done:
        name = "CUDA_ERROR_NOT_READY"
        raise gpuarray.CudaError(f"{what}: {name}", _STATUS_NOT_READY, name)


def _event(handle: int) -> gpuarray.Event:
    if handle not in _events:
        raise ValueError(f"{handle:#x} is no event that eventCreate returned")
    return _events[handle]


def eventCreate() -> int:
    """Return the CUevent of a new event of the current device; on cpu a number of its own."""
    return eventCreateWithFlags(0)


def eventCreateWithFlags(flags: int) -> int:
    """Return the CUevent of a new event: eventBlockingSync, eventDisableTiming or both."""
    made = gpuarray.Event(
        blocking=bool(flags & 1), timing=not flags & 2, interprocess=bool(flags & 4)
    )
    handle = made.ptr or next(_cpu_events)
    _events[handle] = made
    return handle


def eventDestroy(event: int) -> None:
    """Destroy an event of eventCreate. ValueError for another one."""
    _event(event)
    del _events[event]


def eventRecord(event: int, stream: int) -> None:
    """Record an event after the work queued on a stream now."""
    _event(event).record(_stream(stream))


def eventSynchronize(event: int) -> None:
    """Wait until the work before an event is done."""
    _event(event).synchronize()


def eventQuery(event: int) -> None:
    """Return if the work before an event is done. CudaError, of status 600, if not."""
    _require_done("eventQuery", _event(event).done)


def eventElapsedTime(start: int, end: int) -> float:
    """Return the milliseconds between two events that are done."""
    return _event(start).elapsed_time(_event(end))


def _at(address: int, size: int, on_device: bool) -> Any:
    """Return memory at an address: a GPUArray of bytes on the device, else an ndarray."""
    if on_device:
        return _on_device(address, size)
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def _on_device(address: int, size: int) -> gpuarray.GPUArray:
    """Return memory of the current or another device. DeviceError where no device has it."""
    current = gpuarray.default_device()
    for device in sorted(known_devices(), key=lambda device: device != current):
        with contextlib.suppress(gpuarray.DeviceError):
            return bytes_at(address, size, None, device)
    return bytes_at(address, size, None, current)


def _is_on_device(address: int) -> bool:
    try:
        return _on_device(address, 1).memory_kind != "pinned"
    except ValueError:
        return False


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Copy bytes between addresses on a stream; copies to and from the host wait for it.

    `kind` is one of the constants memcpy...; memcpyDefault asks the driver where memory is.
    """
    if not 0 <= kind <= _DEFAULT:
        raise ValueError(f"memcpy: kind: expected a constant memcpy..., got {kind}")
    if size_of("memcpy", size) == 0:
        return
    queue = _stream(stream)
    if kind == _HOST_TO_HOST or queue.device.kind == "cpu":
        queue.synchronize()
        ctypes.memmove(dst, src, size)
        return
    to_device, from_device = _ON_DEVICE.get(kind) or (_is_on_device(dst), _is_on_device(src))
    target, source = _at(dst, size, to_device), _at(src, size, from_device)
    with queue:
        if to_device and from_device:
            target[...] = source
        elif to_device:
            target.set(source)
        elif from_device:
            source.get(out=target)
        else:
            queue.synchronize()
            ctypes.memmove(dst, src, size)


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy bytes between addresses after all work of the current device, and wait for the copy."""
    gpuarray.synchronize()
    memcpyAsync(dst, src, size, kind, 0)
    gpuarray.synchronize()


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """Set bytes of the device at an address to a value from 0 to 255, on a stream."""
    queue = _stream(stream)
    if size_of("memset", size):
        with queue:
            bytes_at(ptr, size, None, queue.device).fill(np.uint8(value))


def memset(ptr: int, value: int, size: int) -> None:
    """Set bytes of the device at an address after all work of the current device, and wait."""
    gpuarray.synchronize()
    memsetAsync(ptr, value, size, 0)
    gpuarray.synchronize()
