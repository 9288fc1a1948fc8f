# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's Device and Context; contexts are gpuarray's, the primary one of each device."""

import threading
from enum import IntEnum
from typing import Any

import gpuarray

__all__ = ["Context", "Device", "device_attribute", "init", "mem_get_info"]


class device_attribute(IntEnum):  # noqa: N801
    """What Device.get_attribute tells; the numbers are the driver's."""

    MAX_THREADS_PER_BLOCK = 1
    MAX_BLOCK_DIM_X = 2
    MAX_BLOCK_DIM_Y = 3
    MAX_BLOCK_DIM_Z = 4
    MAX_GRID_DIM_X = 5
    MAX_GRID_DIM_Y = 6
    MAX_GRID_DIM_Z = 7
    MAX_SHARED_MEMORY_PER_BLOCK = 8
    TOTAL_CONSTANT_MEMORY = 9
    WARP_SIZE = 10
    MAX_REGISTERS_PER_BLOCK = 12
    MULTIPROCESSOR_COUNT = 16
    COMPUTE_CAPABILITY_MAJOR = 75
    COMPUTE_CAPABILITY_MINOR = 76


def init(flags: int = 0) -> None:
    """Do nothing, as devices are initialized when they are first used; `flags` must be 0."""
    if flags:
        raise ValueError(f"init: flags must be 0, got {flags}")


def mem_get_info() -> tuple[int, int]:
    """Return the free and the total memory of the current device in bytes."""
    return gpuarray.default_device().memory_info()


def _known_devices() -> list[gpuarray.Device]:
    """Return the CUDA devices, or the cpu device where there is none."""
    found = list(gpuarray.devices())
    return [device for device in found if device.kind == "cuda"] or found


class Device:
    """A CUDA device by its number; without any, number 0 is the cpu device.

    `device` is the gpuarray.Device. ValueError for a number that no device has.
    """

    def __init__(self, number: int = 0) -> None:
        known = _known_devices()
        if not 0 <= number < len(known):
            raise ValueError(f"Device: expected a number below {len(known)}, got {number}")
        self.device = known[number]

    @classmethod
    def _of(cls, device: gpuarray.Device) -> "Device":
        made = cls.__new__(cls)
        made.device = device
        return made

    @staticmethod
    def count() -> int:
        """Return how many CUDA devices there are; 1 without any, for the cpu device."""
        return len(_known_devices())

    def name(self) -> str:
        """Return the name of the hardware."""
        return self.device.name

    def compute_capability(self) -> tuple[int, int]:
        """Return the compute capability, as (9, 0). DeviceError for the cpu device."""
        capability = self.device.compute_capability
        if capability is None:
            raise gpuarray.DeviceError("compute_capability: the cpu device has none")
        return capability

    def total_memory(self) -> int:
        """Return the memory of the device in bytes."""
        return self.device.total_memory

    def get_attribute(self, attribute: int) -> int:
        """Return an attribute. DeviceError for the cpu device, ValueError for what is not known."""
        return gpuarray.driver.device_attribute(device_attribute(attribute), self.device)

    def get_attributes(self) -> dict[device_attribute, int]:
        """Return all attributes that are known; none for the cpu device."""
        if self.device.kind == "cpu":
            return {}
        return {attribute: self.get_attribute(attribute) for attribute in device_attribute}

    def make_context(self, flags: int = 0) -> "Context":
        """Make this the current device of the thread; `pop` of the result ends that."""
        context = Context(self.device)
        context.push()
        return context

    def retain_primary_context(self) -> "Context":
        """Return the context of the device, without making it current."""
        return Context(self.device)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.device == other.device

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"<gpuarray.pycuda.driver.Device {self.device}>"


class _Pushed(threading.local):
    """The contexts that a thread has pushed, the current one last."""

    def __init__(self) -> None:
        self.contexts: list[Context] = []


_pushed = _Pushed()


class Context:
    """The primary context of a device; that of the current device is always there.

    Pushing makes the device the current one of the thread, as `with gpuarray.device(...)` does, and
    `pop` brings the one before back. Nothing is destroyed: memory, streams and modules live as long
    as their objects.
    """

    def __init__(self, device: gpuarray.Device) -> None:
        self._device = device

    def push(self) -> None:
        """Make the device the current one of this thread."""
        self._device.__enter__()
        _pushed.contexts.append(self)

    @staticmethod
    def pop() -> None:
        """Bring back the device before the last `push` of this thread; without one, do nothing."""
        if _pushed.contexts:
            _pushed.contexts.pop()._device.__exit__(None, None, None)

    def detach(self) -> None:
        """Pop the context if it is the one that this thread pushed last."""
        if _pushed.contexts and _pushed.contexts[-1] is self:
            self.pop()

    @staticmethod
    def synchronize() -> None:
        """Wait for all work of the current device."""
        gpuarray.synchronize()

    @staticmethod
    def get_device() -> Device:
        """Return the current device."""
        return Device._of(gpuarray.default_device())

    @staticmethod
    def get_current() -> "Context":
        """Return the context of the current device."""
        return Context(gpuarray.default_device())

    @property
    def handle(self) -> int:
        """The CUcontext as an int. DeviceError for the cpu device."""
        return gpuarray.driver.context(self._device)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Context) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)
