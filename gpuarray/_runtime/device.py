# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""device(), which names devices and chooses the default one."""

from gpuarray._core import Device, default_device, devices, memory_stats, set_default_device

__all__ = ["default_device", "device", "devices", "memory_stats", "set_default_device"]


def device(name: "Device | str | None" = None) -> Device:
    """Return the device of this name: "cpu", "cuda" or "cuda:N"; None is the default device.

    ``with gpuarray.device("cpu"):`` makes it the default of this thread. DeviceError for a name
    that is not known or a device that does not exist.
    """
    return Device(name)
