# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls of the CUDA driver that gpuarray itself has no function for."""

import ctypes
import os
from functools import cache
from typing import Any

import gpuarray

__all__ = ["call", "device_attribute"]


@cache
def _library() -> ctypes.CDLL:
    try:
        return ctypes.CDLL(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
    except OSError as error:
        raise gpuarray.DeviceError(f"there is no CUDA driver: {error}") from error


@cache
def _function(name: str) -> Any:
    """Return a function of the driver, as CUDA 12 has it."""
    address, found = ctypes.c_void_p(), ctypes.c_int()
    find = _library().cuGetProcAddress_v2
    find(name.encode(), ctypes.byref(address), 12000, ctypes.c_uint64(0), ctypes.byref(found))
    if not address.value:
        raise gpuarray.CudaError(f"{name}: the driver has no such function")
    return ctypes.CFUNCTYPE(ctypes.c_int)(address.value)


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver. CudaError for any status but success, DeviceError without."""
    status = _function(name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        _function("cuGetErrorName")(status, ctypes.byref(text))
        error = (text.value or b"an unknown error").decode()
        raise gpuarray.CudaError(f"{name}: {error}", status, error)


def device_attribute(device: gpuarray.Device, number: int) -> int:
    """Return an attribute of a CUDA device by the driver's number for it. DeviceError for cpu."""
    if device.kind == "cpu":
        raise gpuarray.DeviceError("expected a CUDA device, got the cpu device")
    value = ctypes.c_int()
    handle = gpuarray.driver.device_handle(device)
    call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), handle)
    return value.value
