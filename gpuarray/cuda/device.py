# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's Device over that of gpuarray."""

import operator
import threading
from functools import cached_property, total_ordering
from typing import Any

import gpuarray
from gpuarray.cuda._attributes import ATTRIBUTES
from gpuarray.driver import device_attribute

__all__ = ["Device", "device_of", "get_compute_capability", "get_device_id", "known_devices"]


class _Entered(threading.local):
    """The devices that this thread has made current: (device, whether by a with block)."""

    def __init__(self) -> None:
        self.frames: list[tuple[gpuarray.Device, bool]] = []

    def push(self, device: gpuarray.Device, by_block: bool) -> None:
        device.__enter__()
        self.frames.append((device, by_block))

    def pop(self) -> bool:
        """Bring back the device before the last one; return whether that was of a with block."""
        device, by_block = self.frames.pop()
        device.__exit__(None, None, None)
        return by_block


_entered = _Entered()


def known_devices() -> list[gpuarray.Device]:
    """Return the devices that numbers stand for: the CUDA devices, or the cpu device.

    It is the cpu device alone where that is the default one, as on a machine without a GPU.
    """
    default = gpuarray.default_device()
    if default.kind == "cpu":
        return [default]
    return [device for device in gpuarray.devices() if device.kind == "cuda"]


def device_of(device: Any) -> gpuarray.Device:
    """Return the gpuarray.Device for a number, a Device of either kind, or None, the current one.

    DeviceError for a number that no device has, TypeError for anything else.
    """
    if device is None:
        return gpuarray.default_device()
    if isinstance(device, Device):
        return device.device
    if isinstance(device, gpuarray.Device):
        return device
    if not hasattr(device, "__index__"):
        raise TypeError(f"Device: expected an int or None, got {type(device).__name__}")
    known = known_devices()
    number = operator.index(device)
    if not 0 <= number < len(known):
        raise gpuarray.DeviceError(
            f"Device: expected a number from 0 to {len(known) - 1}, got {number}"
        )
    return known[number]


@total_ordering
class Device:
    """A CUDA device by its number; None is the current one. `device` is the gpuarray.Device.

    Where the default device is the cpu device, number 0 is that one. ``with Device(1):`` makes it
    the current device of this thread. It equals another Device and the gpuarray.Device of an array,
    but no number. DeviceError for a number that no device has.
    """

    def __init__(self, device: Any = None) -> None:
        self.device = device_of(device)

    @property
    def id(self) -> int:
        """The number of the device."""
        return self.device.id

    def __int__(self) -> int:
        return self.device.id

    def __enter__(self) -> "Device":
        _entered.push(self.device, True)
        return self

    def __exit__(self, *error: object) -> None:
        while _entered.frames and not _entered.pop():
            pass

    def use(self) -> "Device":
        """Make it the current device of this thread, to the end of the ``with Device`` around."""
        if _entered.frames and not _entered.frames[-1][1]:
            _entered.pop()
        _entered.push(self.device, False)
        return self

    def synchronize(self) -> None:
        """Wait until all work of the device is done."""
        self.device.synchronize()

    @property
    def compute_capability(self) -> str:
        """The compute capability as "90". DeviceError for the cpu device."""
        found = self.device.compute_capability
        if found is None:
            raise gpuarray.DeviceError("compute_capability: the cpu device has none")
        return f"{found[0]}{found[1]}"

    @property
    def mem_info(self) -> tuple[int, int]:
        """The free and the total memory in bytes, now."""
        return self.device.memory_info()

    @cached_property
    def attributes(self) -> dict[str, int]:
        """The attributes that the driver knows, by CUDA's names of them; none for cpu."""
        found: dict[str, int] = {}
        if self.device.kind == "cpu":
            return found
        for name, number in ATTRIBUTES.items():
            try:
                found[name] = device_attribute(number, self.device)
            except gpuarray.CudaError:  # A driver does not know the attributes of newer ones.
                continue
        return found

    @property
    def pci_bus_id(self) -> str:
        """The place on the PCI bus, as "0000:1b:00.0". DeviceError for the cpu device."""
        domain, bus, place = (device_attribute(number, self.device) for number in (50, 33, 34))
        return f"{domain:04x}:{bus:02x}:{place:02x}.0"

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id: str) -> "Device":
        """Return the device at a place on the PCI bus. DeviceError where there is none."""
        for number, device in enumerate(known_devices()):
            if device.kind == "cuda" and cls(number).pci_bus_id == pci_bus_id.lower():
                return cls(number)
        raise gpuarray.DeviceError(f"from_pci_bus_id: no device at {pci_bus_id!r}")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return self.device == other.device
        return isinstance(other, gpuarray.Device) and self.device == other

    def __lt__(self, other: Any) -> bool:
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"<gpuarray.cuda.Device {self.id}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Device, (self.device,)


def get_device_id() -> int:
    """Return the number of the current device."""
    return gpuarray.default_device().id


def get_compute_capability() -> str:
    """Return the compute capability of the current device as "90". DeviceError for cpu."""
    return Device().compute_capability
