# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Serializers of arrays for distributed, for its families "cuda" and "dask".

This module is imported, and so registers them, when both gpuarray and distributed.protocol are.
"""

from typing import Any

from dask.sizeof import sizeof
from distributed.protocol import (
    cuda_deserialize,
    cuda_serialize,
    dask_deserialize,
    dask_serialize,
)

from gpuarray._core import GPUArray
from gpuarray._creation import creation
from gpuarray._pickling import describe, flat_bytes, host_bytes, restore

Frames = list[Any]


def size_of(a: GPUArray) -> int:
    """Return the bytes of the elements, by which workers spill and schedule."""
    return a.nbytes


def serialize(a: GPUArray) -> tuple[dict[str, Any], Frames]:
    """Return a header and the elements in the host's memory, a copy if it is a device's."""
    data = memoryview(host_bytes(a, "distributed"))
    return {"array": list(describe(a))}, [data]


def deserialize(header: dict[str, Any], frames: Frames) -> GPUArray:
    """Return the array, on its device or, with a RuntimeWarning, on the default one."""
    return restore(frames[0] if frames else b"", *header["array"])


def serialize_on_device(a: GPUArray) -> tuple[dict[str, Any], Frames]:
    """Return a header and the elements in the device's memory, when work on them is done.

    Raises NotImplementedError for host memory, whereupon distributed takes another family.
    """
    if a.memory_kind != "device":
        raise NotImplementedError("the array is not in the memory of a CUDA device")
    return {"array": list(describe(a))}, [flat_bytes(a).synchronize()]


def deserialize_on_device(header: dict[str, Any], frames: Frames) -> GPUArray:
    """Return an array in the memory of the frame, on the device that received it."""
    dtype, shape, order, _, _, writeable = header["array"]
    made = creation.asarray(frames[0]).view(dtype).reshape(tuple(shape), order=order)
    if not writeable:
        made.flags.writeable = False
    return made


for family, function in (
    (sizeof, size_of),
    (dask_serialize, serialize),
    (dask_deserialize, deserialize),
    (cuda_serialize, serialize_on_device),
    (cuda_deserialize, deserialize_on_device),
):
    family.register(GPUArray)(function)
