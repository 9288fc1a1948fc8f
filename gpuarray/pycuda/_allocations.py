# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's memory without a type: allocations, copies and fills by address."""

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

import gpuarray
from gpuarray.pycuda._streams import stream_of

__all__ = [
    "DeviceAllocation",
    "from_device",
    "from_device_like",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htod",
    "memcpy_htod_async",
    "memset_d8",
    "memset_d8_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "to_device",
]

_PITCH = 512


class DeviceAllocation:
    """Memory of a device, given back when `free` is called or nothing refers to it any more.

    ``int()`` of it is its address. Kernels and copies take it and are ordered with earlier work on
    it, on any stream. `array` is the memory as a GPUArray of bytes.
    """

    def __init__(self, array: gpuarray.GPUArray) -> None:
        self._array: gpuarray.GPUArray | None = array

    @property
    def array(self) -> gpuarray.GPUArray:
        """The memory as a GPUArray of uint8; ValueError after `free`."""
        if self._array is None:
            raise ValueError("the allocation is freed")
        return self._array

    @property
    def ptr(self) -> int:
        """The address."""
        return self.array.ptr

    @property
    def nbytes(self) -> int:
        """How many bytes there are."""
        return self.array.nbytes

    def __int__(self) -> int:
        return self.ptr

    def __index__(self) -> int:
        return self.ptr

    def free(self) -> None:
        """Give the memory back once the work on it is done; ValueError if that was done before."""
        if self._array is None:
            raise ValueError("the allocation is freed already")
        self._array = None


class _Address:
    """Memory of a CUDA device at an address that another object owns."""

    def __init__(self, address: int, nbytes: int, owner: Any) -> None:
        self.owner = owner
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, False),
            "strides": None,
            "stream": None,
        }


def mem_alloc(nbytes: int) -> DeviceAllocation:
    """Return an allocation of the current device. OutOfMemoryError, ValueError unless above 0."""
    if nbytes <= 0:
        raise ValueError(f"mem_alloc: expected bytes, at least 1, got {nbytes}")
    return DeviceAllocation(gpuarray.empty(nbytes, np.uint8))


def mem_alloc_like(array: np.ndarray[Any, Any]) -> DeviceAllocation:
    """Return an allocation of the bytes of an array; raises as mem_alloc."""
    return mem_alloc(array.nbytes)


def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Return an allocation of `height` rows of `width` bytes, and the bytes from row to row."""
    pitch = -(-width // _PITCH) * _PITCH
    return mem_alloc(pitch * height), pitch


def _memory(place: Any, nbytes: int) -> gpuarray.GPUArray:
    """Return the first bytes of an allocation, an array or an address as a GPUArray of uint8."""
    if isinstance(place, DeviceAllocation):
        memory = place.array
    elif isinstance(place, gpuarray.GPUArray):
        if not place.flags.forc:
            raise ValueError("expected a contiguous array")
        memory = place.ravel("K").view(np.uint8)
    else:
        return _at_address(place, nbytes)
    if nbytes > memory.nbytes:
        raise ValueError(f"expected at most the {memory.nbytes} bytes of the memory, got {nbytes}")
    return memory[:nbytes]


def _at_address(place: Any, nbytes: int) -> gpuarray.GPUArray:
    if gpuarray.default_device().kind == "cuda":
        return gpuarray.from_cuda_array_interface(_Address(int(place), nbytes, place))
    content = (ctypes.c_uint8 * nbytes).from_address(int(place))
    content.owner = place  # type: ignore[attr-defined]
    return gpuarray.from_dlpack(np.ctypeslib.as_array(content))


def _is_tracked(place: Any) -> bool:
    """Return whether work on the memory is known, so that other work is ordered with it."""
    return isinstance(place, DeviceAllocation | gpuarray.GPUArray)


def _wait_for(*places: Any) -> None:
    """Wait for all work of the device if one of the places is an address, as PyCUDA does."""
    if not all(map(_is_tracked, places)):
        gpuarray.synchronize()


@contextlib.contextmanager
def queued(tracked: bool, stream: Any) -> Iterator[None]:
    """Order work on a stream with that of the current stream, unless arrays order it.

    CUDA's default stream, on which PyCUDA works, does so with all other streams.
    """
    current = gpuarray.current_stream()
    if tracked or stream is None or stream == current:
        yield
        return
    stream.wait(current)
    yield
    current.wait(stream)


def host_bytes(host: Any) -> np.ndarray[Any, Any]:
    """Return the memory of a contiguous array, or of a buffer, as an array of uint8."""
    array = host if isinstance(host, np.ndarray | np.generic) else np.frombuffer(host, np.uint8)
    array = np.asarray(array)
    if not array.flags.forc:
        raise ValueError("expected a contiguous array of the host")
    flat = array if array.flags.c_contiguous else array.T
    return flat.reshape(-1).view(np.uint8)


def _write(dest: Any, src: Any, stream: Any, blocking: bool) -> None:
    source = host_bytes(src)
    with queued(_is_tracked(dest), stream):
        _memory(dest, source.nbytes).set(source, stream=stream, blocking=blocking)


def _read(dest: Any, src: Any, stream: Any, blocking: bool) -> None:
    target = host_bytes(dest)
    with queued(_is_tracked(src), stream):
        _memory(src, target.nbytes).get(out=target, stream=stream, blocking=blocking)


def _copy(dest: Any, src: Any, size: int, stream: Any) -> None:
    with queued(_is_tracked(dest) and _is_tracked(src), stream):
        gpuarray.copyto(_memory(dest, size), _memory(src, size), stream=stream)


def _fill(dest: Any, data: int, count: int, dtype: Any, stream: Any) -> None:
    value = np.array([data]).astype(dtype)[0]
    with queued(_is_tracked(dest), stream):
        memory = _memory(dest, count * value.itemsize).view(value.dtype)
        memory.fill(value, stream=stream)


def memcpy_htod(dest: Any, src: Any) -> None:
    """Copy a contiguous host array to device memory; it may be changed on return.

    `dest` is a DeviceAllocation, a contiguous GPUArray or an address. ValueError if the memory of
    the first two is too small.
    """
    _wait_for(dest)
    _write(dest, src, None, True)
    _wait_for(dest)


def memcpy_htod_async(dest: Any, src: Any, stream: Any = None) -> None:
    """Copy as memcpy_htod, on a stream; a page-locked `src` must not change before it is done."""
    _write(dest, src, stream_of(stream), False)


def memcpy_dtoh(dest: Any, src: Any) -> None:
    """Copy device memory into a contiguous host array, and wait for it.

    `src` is as `dest` of memcpy_htod. ValueError if `dest` is read-only.
    """
    _wait_for(src)
    _read(dest, src, None, True)


def memcpy_dtoh_async(dest: Any, src: Any, stream: Any = None) -> None:
    """Copy as memcpy_dtoh, on a stream; into page-locked memory without waiting."""
    _read(dest, src, stream_of(stream), False)


def memcpy_dtod(dest: Any, src: Any, size: int) -> None:
    """Copy bytes from device memory to other device memory, each as `dest` of memcpy_htod."""
    _wait_for(dest, src)
    _copy(dest, src, size, None)


def memcpy_dtod_async(dest: Any, src: Any, size: int, stream: Any = None) -> None:
    """Copy as memcpy_dtod, on a stream."""
    _copy(dest, src, size, stream_of(stream))


def memset_d8(dest: Any, data: int, count: int) -> None:
    """Set `count` bytes of device memory, which is as `dest` of memcpy_htod."""
    _wait_for(dest)
    _fill(dest, data, count, np.uint8, None)


def memset_d16(dest: Any, data: int, count: int) -> None:
    """Set `count` numbers of 16 bits."""
    _wait_for(dest)
    _fill(dest, data, count, np.uint16, None)


def memset_d32(dest: Any, data: int, count: int) -> None:
    """Set `count` numbers of 32 bits."""
    _wait_for(dest)
    _fill(dest, data, count, np.uint32, None)


def memset_d8_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    """Set `count` bytes, on a stream."""
    _fill(dest, data, count, np.uint8, stream_of(stream))


def memset_d16_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    """Set `count` numbers of 16 bits, on a stream."""
    _fill(dest, data, count, np.uint16, stream_of(stream))


def memset_d32_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    """Set `count` numbers of 32 bits, on a stream."""
    _fill(dest, data, count, np.uint32, stream_of(stream))


def to_device(bf_obj: Any) -> DeviceAllocation:
    """Return an allocation with the bytes of a contiguous host array."""
    source = host_bytes(bf_obj)
    made = mem_alloc(source.nbytes)
    memcpy_htod(made, source)
    return made


def from_device(devptr: Any, shape: Any, dtype: Any, order: Any = "C") -> np.ndarray[Any, Any]:
    """Return a new host array with the elements of device memory."""
    made = np.empty(shape, dtype, order)
    memcpy_dtoh(made, devptr)
    return made


def from_device_like(devptr: Any, other_ary: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a new host array, as `other_ary` is, with the elements of device memory."""
    made = np.empty_like(other_ary)
    memcpy_dtoh(made, devptr)
    return made
