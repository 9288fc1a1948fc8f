# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of the CUDA runtime under CuPy's names, over gpuarray.

Memory, streams and events are numbers here, as in CUDA. Copies and fills by an address are ordered
with work on the array or block that gave the address. Nothing orders kernels that are launched on
an address: synchronize in between. On the cpu device all memory is the host's.
"""

import gpuarray
from gpuarray.cuda._attributes import PROPERTIES
from gpuarray.cuda._handles import *
from gpuarray.cuda.device import Device, device_of, known_devices
from gpuarray.driver import device_attribute, profile

CUDARuntimeError = gpuarray.CudaError
is_hip = False

memcpyHostToHost = 0
memcpyHostToDevice = 1
memcpyDeviceToHost = 2
memcpyDeviceToDevice = 3
memcpyDefault = 4
streamDefault = 0
streamNonBlocking = 1
streamLegacy = 1
streamPerThread = 2
eventDefault = 0
eventBlockingSync = 1
eventDisableTiming = 2
eventInterprocess = 4
memAttachGlobal = 1
memAttachHost = 2
memAttachSingle = 4
hostAllocDefault = 0
hostAllocPortable = 1
hostAllocMapped = 2
hostAllocWriteCombined = 4
streamCaptureModeGlobal = 0
streamCaptureModeThreadLocal = 1
streamCaptureModeRelaxed = 2
cudaDevAttrMaxThreadsPerBlock = 1
cudaDevAttrMaxSharedMemoryPerBlock = 8
cudaDevAttrWarpSize = 10
cudaDevAttrMultiProcessorCount = 16
cudaDevAttrComputeCapabilityMajor = 75
cudaDevAttrComputeCapabilityMinor = 76
cudaDevAttrConcurrentManagedAccess = 89
cudaDevAttrMaxSharedMemoryPerBlockOptin = 97


def getDeviceCount() -> int:
    """Return how many devices there are for Device: CUDA devices, or 1 for the cpu device."""
    return len(known_devices())


def getDevice() -> int:
    """Return the number of the current device."""
    return gpuarray.default_device().id


def setDevice(device: int) -> None:
    """Make a device the current one of this thread. DeviceError where there is none."""
    Device(device).use()


def deviceSynchronize() -> None:
    """Wait until all work of the current device is done."""
    gpuarray.synchronize()


def memGetInfo() -> tuple[int, int]:
    """Return the free and the total memory of the current device in bytes."""
    return gpuarray.default_device().memory_info()


def deviceGetAttribute(attrib: int, device: int) -> int:
    """Return an attribute by CUDA's number for it. DeviceError for the cpu device, CudaError."""
    return device_attribute(attrib, device_of(device))


def deviceGetPCIBusId(device: int) -> str:
    """Return the place on the PCI bus, as "0000:1b:00.0". DeviceError for the cpu device."""
    return Device(device).pci_bus_id


def deviceGetByPCIBusId(pciBusId: str) -> int:
    """Return the number of the device at a place on the PCI bus. DeviceError for no device."""
    return Device.from_pci_bus_id(pciBusId).id


def deviceCanAccessPeer(device: int, peerDevice: int) -> int:
    """Return 1 if the one device can use the other's memory, else 0."""
    return int(gpuarray.can_access_peer(device_of(device), device_of(peerDevice)))


def getDeviceProperties(device: int) -> dict[str, object]:
    """Return what is known of a device by the names of cudaDeviceProp; `name` is bytes.

    Of the cpu device that is name, totalGlobalMem and multiProcessorCount, its cores.
    """
    of = device_of(device)
    found: dict[str, object] = {"name": of.name.encode(), "totalGlobalMem": of.total_memory}
    if of.kind == "cpu":
        return {**found, "multiProcessorCount": of.multiprocessors}
    for name, number in PROPERTIES.items():
        try:
            found[name] = device_attribute(number, of)
        except gpuarray.CudaError:  # A driver does not know the attributes of newer ones.
            continue
    found["maxThreadsDim"] = tuple(device_attribute(number, of) for number in (2, 3, 4))
    found["maxGridSize"] = tuple(device_attribute(number, of) for number in (5, 6, 7))
    return found


def driverGetVersion() -> int:
    """Return the CUDA version of the driver: 13000 is 13.0. DeviceError without a driver."""
    config = gpuarray.show_config(mode="dicts") or {}
    if not config["driver"]:
        raise gpuarray.DeviceError(f"there is no CUDA driver: {config['cuda_absent_reason']}")
    return _version_number(config["driver"])


def _version_number(text: str) -> int:
    major, minor = text.split(".")[:2]
    return 1000 * int(major) + 10 * int(minor)


def runtimeGetVersion() -> int:
    """Return the CUDA version of the compiler in use, NVRTC, or of the build; 13000 is 13.0.

    gpuarray uses no CUDA runtime, so that this is what kernels are compiled by. 0 without either.
    """
    config = gpuarray.show_config(mode="dicts") or {}
    text = config["libraries"].get("NVRTC", {}).get("version") or config["build"].get("nvcc") or ""
    return _version_number(text) if text else 0


def profilerStart() -> None:
    """Let a profiler of NVIDIA's begin to record. DeviceError for the cpu device."""
    profile(True)


def profilerStop() -> None:
    """Let a profiler of NVIDIA's stop recording. DeviceError for the cpu device."""
    profile(False)
