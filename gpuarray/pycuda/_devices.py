# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's Device and Context; contexts are gpuarray's, the primary one of each device."""

import contextlib
import threading
from typing import Any

import gpuarray
from gpuarray.pycuda._attributes import device_attribute

__all__ = [
    "Context",
    "Device",
    "device_attribute",
    "get_driver_version",
    "get_version",
    "init",
    "mem_get_info",
]


def init(flags: int = 0) -> None:
    """Do nothing, as devices are initialized when they are first used; `flags` must be 0."""
    if flags:
        raise ValueError(f"init: flags must be 0, got {flags}")


def get_driver_version() -> int:
    """Return the CUDA version of the driver: 13000 is 13.0. DeviceError without a driver."""
    return gpuarray.cuda.runtime.driverGetVersion()


def get_version() -> tuple[int, int, int]:
    """Return the CUDA version of the compiler in use, NVRTC, or of the build, as (13, 0, 0).

    Zeros without either.
    """
    version = gpuarray.cuda.runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10, 0


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
        """Return all attributes that the driver knows; none for the cpu device."""
        found: dict[device_attribute, int] = {}
        if self.device.kind == "cpu":
            return found
        for attribute in device_attribute:
            with contextlib.suppress(gpuarray.CudaError):
                found[attribute] = self.get_attribute(attribute)
        return found

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
