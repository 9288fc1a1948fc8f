# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The CUDA driver's level: handles as ints, and host arrays as arguments of kernels.

Handles go both ways: cuda-python and other libraries take them, and `Kernel.from_handle`, `stream=`
and kernels take theirs, or anything that `int()` converts.
"""

import typing as _typing
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gpuarray import _core
from gpuarray._common.attributes import unknown_attribute as _unknown_attribute
from gpuarray._core import Device, GPUArray, Kernel, Stream

__all__ = [
    "In",
    "InOut",
    "Kernel",
    "Out",
    "Parameter",
    "context",
    "device_attribute",
    "device_handle",
    "profile",
]

_HostArray: TypeAlias = np.ndarray[Any, Any]


class Parameter(NamedTuple):
    """A parameter of a kernel: where it lies, in bytes, and its declaration as far as known."""

    offset: int
    nbytes: int
    declaration: str


def context(device: Device | str | None = None) -> int:
    """The CUcontext of a CUDA device, by default the default one: the primary context.

    Every library of the process that uses the CUDA runtime shares it. DeviceError for the cpu.
    """
    return _core._context(device)


def device_handle(device: Device | str | None = None) -> int:
    """The CUdevice of a CUDA device, by default the default one. DeviceError for the cpu."""
    return _core._device_handle(device)


def device_attribute(number: int, device: Device | str | None = None) -> int:
    """An attribute of a CUDA device, by default the default one; `number` is a CUdevice_attribute.

    DeviceError for the cpu, CudaError for a number that the driver does not know.
    """
    return _core._device_attribute(device, number)


def profile(records: bool) -> None:
    """Let a profiler of NVIDIA's record from here on, or stop it.

    DeviceError if the default device is the cpu.
    """
    _core._profile(records)


class HostArgument:
    """A NumPy array that a kernel is called with; `In`, `Out` and `InOut` say how it is copied."""

    _reads = False
    _writes = False

    def __init__(self, array: _HostArray) -> None:
        if not isinstance(array, np.ndarray):
            name = type(self).__name__
            raise TypeError(f"{name}: expected a NumPy array, got {type(array).__name__}")
        if self._writes and not array.flags.writeable:
            raise ValueError(f"{type(self).__name__}: the array is read-only")
        self.array = array

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r})"

    def _copy_in(self, device: Device, stream: Stream) -> GPUArray:
        """Return a C-contiguous array for the launch, with the host's elements if they are read."""
        if self._reads:
            values = np.ascontiguousarray(self.array).reshape(self.array.shape)
            return _core.to_device(values, device=device, stream=stream)
        return _core.empty(self.array.shape, self.array.dtype, device=device, stream=stream)

    def _copy_out(self, copy: GPUArray, stream: Stream) -> None:
        """Copy what the kernel wrote to the host's array, after waiting for the launch."""
        if self._writes:
            np.copyto(self.array, copy.get(stream=stream))


class In(HostArgument):
    """A NumPy array that the kernel reads: copied to the device before the launch."""

    _reads = True


class Out(HostArgument):
    """A NumPy array that the kernel fills: copied back after the launch, which is waited for.

    What the kernel does not write is undefined afterwards.
    """

    _writes = True


class InOut(HostArgument):
    """A NumPy array that the kernel changes: copied in before the launch, and back after it."""

    _reads = True
    _writes = True


if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
