# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's memory without a type: blocks, and pointers into them."""

import contextlib
import ctypes
from typing import Any

import numpy as np

import gpuarray
from gpuarray.cuda.device import Device, device_of
from gpuarray.cuda.stream import BaseStream

__all__ = [
    "BaseMemory",
    "ManagedMemory",
    "Memory",
    "MemoryPointer",
    "UnownedMemory",
    "bytes_at",
    "from_pointer",
    "size_of",
    "stream_scope",
]


class _Address:
    """Memory of a CUDA device at an address, whose owner it keeps alive."""

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


def _host_memory(address: int, nbytes: int, owner: Any) -> np.ndarray[Any, Any]:
    """Return memory of the host as an array of bytes, which keeps `owner` alive."""
    content = (ctypes.c_uint8 * nbytes).from_address(address)
    content.owner = owner  # type: ignore[attr-defined]
    return np.ctypeslib.as_array(content)


def bytes_at(address: int, nbytes: int, owner: Any, device: gpuarray.Device) -> gpuarray.GPUArray:
    """Return memory that others own as a GPUArray of uint8, which keeps `owner` alive.

    Work on it is ordered with that on a GPUArray in whose memory it lies and whose address was
    asked for; nothing orders it with other libraries' work. ValueError for an address that no CUDA
    device has, DeviceError for one of another device.
    """
    if nbytes == 0:
        return gpuarray.empty(0, np.uint8, device=device)
    if address <= 0:
        raise ValueError(f"expected the address of memory, got {address}")
    if device.kind == "cpu":
        return gpuarray.from_dlpack(_host_memory(address, nbytes, owner))
    array = gpuarray.from_cuda_array_interface(_Address(address, nbytes, owner), sync=False)
    if array.device != device and array.memory_kind == "device":
        raise gpuarray.DeviceError(f"expected memory of {device}, got memory of {array.device}")
    return array


def size_of(what: str, size: Any) -> int:
    if not hasattr(size, "__index__"):
        raise TypeError(f"{what}: size: expected an int, got {type(size).__name__}")
    if size.__index__() < 0:
        raise ValueError(f"{what}: size: expected bytes, at least 0, got {size}")
    return int(size)


def stream_scope(stream: Any, device: gpuarray.Device) -> contextlib.AbstractContextManager[Any]:
    """Return what makes a stream, of any kind or None, the current one of a with block."""
    if stream is None:
        return contextlib.nullcontext()
    if isinstance(stream, BaseStream):
        return stream.stream
    if isinstance(stream, gpuarray.Stream):
        return stream
    return gpuarray.Stream.from_external(stream, device)


class BaseMemory:
    """A block of memory; `array` is the block as a GPUArray of uint8."""

    array: gpuarray.GPUArray

    @property
    def ptr(self) -> int:
        """The address of the block; 0 for an empty one."""
        return self.array.ptr

    @property
    def size(self) -> int:
        """The bytes of the block."""
        return self.array.nbytes

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return Device(self.array.device)

    @property
    def device_id(self) -> int:
        """The number of the device."""
        return self.array.device.id

    def __int__(self) -> int:
        return self.ptr

    def __repr__(self) -> str:
        return f"<gpuarray.cuda.{type(self).__name__} of {self.size} bytes at {self.ptr:#x}>"


class Memory(BaseMemory):
    """New memory of the current device, from where arrays get theirs. OutOfMemoryError."""

    def __init__(self, size: int) -> None:
        self.array = gpuarray.empty(size_of("Memory", size), np.uint8)

    @classmethod
    def _of(cls, array: gpuarray.GPUArray) -> "Memory":
        made = cls.__new__(cls)
        made.array = array
        return made


class ManagedMemory(BaseMemory):
    """New managed memory, which the driver moves to who uses it. OutOfMemoryError."""

    def __init__(self, size: int) -> None:
        self.array = gpuarray.empty_managed(size_of("ManagedMemory", size), np.uint8)

    def prefetch(self, stream: Any, *, device_id: int = -1) -> None:
        """Move it to a device, by default the current one, on the stream."""
        self.array.prefetch(device_of(None if device_id < 0 else device_id), stream)


class UnownedMemory(BaseMemory):
    """Memory at an address that another object owns; `owner` is kept alive.

    `device_id` is the number of its device, by default the current one's. Raises as bytes_at.
    """

    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        device = device_of(None if device_id < 0 else device_id)
        self.array = bytes_at(ptr, size_of("UnownedMemory", size), owner, device)


def _host_bytes(place: Any, nbytes: int) -> np.ndarray[Any, Any]:
    """Return host memory at an int, a pointer of ctypes, or an object with `ptr`, as bytes."""
    found = getattr(place, "ptr", place)
    address = found if isinstance(found, int) else ctypes.cast(found, ctypes.c_void_p).value
    if not address:
        raise ValueError(f"expected the address of memory of the host, got {found}")
    return _host_memory(address, nbytes, place)


class MemoryPointer:
    """A place in a block of memory: `offset` bytes behind the beginning of `mem`.

    It keeps the block alive. Copies and fills are queued on `stream`, by default the current one,
    and are ordered with work on arrays of the same block. Those without `_async` wait for the
    stream. ValueError for what reaches beyond the block.
    """

    def __init__(self, mem: BaseMemory, offset: int) -> None:
        if not isinstance(mem, BaseMemory):
            raise TypeError(f"MemoryPointer: expected memory, got {type(mem).__name__}")
        self.mem = mem
        self.offset = int(offset)

    @classmethod
    def of(cls, array: gpuarray.GPUArray) -> "MemoryPointer":
        """Return the place of an array's first element, in the block that its memory is of."""
        root = array
        while isinstance(root.base, gpuarray.GPUArray):
            root = root.base
        if root.size == 0:
            return cls(Memory._of(gpuarray.empty(0, np.uint8, device=array.device)), 0)
        if root.flags.forc:
            block = root.ravel("K").view(np.uint8)
        else:
            low, high = _extent(root.shape, root.strides, root.itemsize)
            block = bytes_at(root.ptr + low, high - low, root, root.device)
        return cls(Memory._of(block), array.ptr - block.ptr)

    @property
    def ptr(self) -> int:
        """The address."""
        return self.mem.ptr + self.offset

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return self.mem.device

    @property
    def device_id(self) -> int:
        """The number of the device."""
        return self.mem.device_id

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> "MemoryPointer":
        return MemoryPointer(self.mem, self.offset + offset)

    __radd__ = __add__

    def __sub__(self, offset: int) -> "MemoryPointer":
        return self + -offset

    def __repr__(self) -> str:
        return f"<gpuarray.cuda.MemoryPointer {self.ptr:#x}>"

    def bytes(self, size: int, low: int = 0) -> gpuarray.GPUArray:
        """Return `size` bytes from `low` bytes behind the place on, a view."""
        begin = self.offset + low
        if begin < 0 or begin + size_of("MemoryPointer", size) > self.mem.size:
            raise ValueError(
                f"MemoryPointer: bytes {begin} to {begin + size} are not all in a block of "
                f"{self.mem.size} bytes"
            )
        return self.mem.array[begin : begin + size]

    def copy_from_device_async(self, src: Any, size: int, stream: Any = None) -> None:
        """Copy from another MemoryPointer, of any device."""
        with stream_scope(stream, self.mem.array.device):
            target, source = self.bytes(size), src.bytes(size)
            target[...] = source.to_device(target.device)

    def copy_from_device(self, src: Any, size: int) -> None:
        """Copy from another MemoryPointer, of any device."""
        self.copy_from_device_async(src, size)

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy from the host: an address, a pointer of ctypes or page-locked memory."""
        with stream_scope(stream, self.mem.array.device):
            self.bytes(size).set(_host_bytes(mem, size))

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy from the host: an address, a pointer of ctypes or page-locked memory."""
        self.copy_from_host_async(mem, size)

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy to the host, and wait for it: there is then nothing to take care of."""
        with stream_scope(stream, self.mem.array.device):
            self.bytes(size).get(out=_host_bytes(mem, size))

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy to the host."""
        self.copy_to_host_async(mem, size)

    def copy_from_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy from a MemoryPointer, or from the host."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy from a MemoryPointer, or from the host."""
        self.copy_from_async(mem, size)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """Set bytes to a value from 0 to 255."""
        with stream_scope(stream, self.mem.array.device):
            self.bytes(size).fill(np.uint8(value))

    def memset(self, value: int, size: int) -> None:
        """Set bytes to a value from 0 to 255."""
        self.memset_async(value, size)


def _extent(shape: Any, strides: Any, itemsize: int) -> tuple[int, int]:
    """Return from where to where an array's bytes reach, beside its first element."""
    if 0 in shape:
        return 0, 0
    reaches = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    return sum(min(one, 0) for one in reaches), itemsize + sum(max(one, 0) for one in reaches)


def from_pointer(
    ptr: Any, shape: Any, dtype: Any, strides: Any = None, owner: Any = None, device: Any = None
) -> gpuarray.GPUArray:
    """Return an array over memory at an address: an int, or a MemoryPointer.

    `owner`, which the array keeps alive, is what the memory belongs to. Work on the array is
    ordered with all work on the memory of a GPUArray or MemoryPointer that gave the address;
    nothing orders it with other libraries' work. `strides` are in bytes, by default those of C
    order; `device` is a Device, its name ("cpu", "cuda:0") or its number, by default the current
    one. Nobody can check that the memory is there, except for a MemoryPointer: ValueError for what
    reaches beyond its block. Raises else as UnownedMemory, TypeError.
    """
    like = gpuarray.empty(0, dtype, device="cpu")
    extents = gpuarray.broadcast_shapes(shape)
    steps = _c_strides(extents, like.itemsize) if strides is None else tuple(strides)
    if len(steps) != len(extents):
        raise ValueError(
            f"from_pointer: expected a stride for each of {len(extents)} axes, got {len(steps)}"
        )
    if min(extents, default=0) < 0:
        raise ValueError(f"from_pointer: shape {extents} has a negative extent")
    low, high = _extent(extents, steps, like.itemsize)
    if isinstance(ptr, MemoryPointer):
        memory = ptr.bytes(high - low, low)
    elif isinstance(ptr, int):
        place = gpuarray.device(device) if isinstance(device, str) else device_of(device)
        memory = bytes_at(ptr + low, high - low, owner, place)
    else:
        raise TypeError(
            f"from_pointer: ptr: expected an int or a MemoryPointer, got {type(ptr).__name__}"
        )
    items = memory.view(dtype)[-low // like.itemsize :]
    return gpuarray.as_strided(items, extents, steps)


def _c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(itemsize)
        itemsize *= max(n, 1)
    return tuple(reversed(strides))
