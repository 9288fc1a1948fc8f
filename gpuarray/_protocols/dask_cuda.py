# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tells dask-cuda's workers which arrays count towards their device_memory_limit.

This module is imported, and so registers, when both gpuarray and dask_cuda.is_device_object are.
"""

from dask_cuda.is_device_object import is_device_object

from gpuarray._core import GPUArray


def is_on_device(a: GPUArray) -> bool:
    """Return whether the array is a CUDA device's, without telling its address.

    dask-cuda's own rule asks for __cuda_array_interface__, after which no operation on it waits.
    """
    return a.device.kind == "cuda"


is_device_object.register(GPUArray)(is_on_device)
