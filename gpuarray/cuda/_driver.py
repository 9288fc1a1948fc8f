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


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver. CudaError for any status but success, DeviceError without."""
    status = getattr(_library(), name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        _library().cuGetErrorName(status, ctypes.byref(text))
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
