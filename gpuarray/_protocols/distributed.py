# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Serializers of arrays for distributed, for its families "cuda" and "dask".

This module is imported, and so registers them, when both gpuarray and distributed.protocol are.
"""

import sys
from typing import Any

from dask.sizeof import sizeof
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._creation import creation
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._pickling import describe, distinct, flat_bytes, host_bytes, restore

Frames = list[Any]


def size_of(a: GPUArray) -> int:
    """Return the bytes of the distinct elements, by which workers spill and schedule."""
    return int(distinct(a).nbytes)


def serialize(a: GPUArray) -> tuple[dict[str, Any], Frames]:
    """Return a header and the elements in the host's memory, a copy if it is a device's."""
    once = _sent(a)
    data = memoryview(host_bytes(once, "distributed"))
    return {"array": list(describe(once)), "shape": list(a.shape)}, [data]


def deserialize(header: dict[str, Any], frames: Frames) -> GPUArray:
    """Return the array, on its device or, with a RuntimeWarning, on the default one."""
    return _received(restore(frames[0] if frames else b"", *header["array"]), header)


def serialize_on_device(a: GPUArray) -> tuple[dict[str, Any], Frames]:
    """Return a header and the elements in the device's memory, when work on them is done.

    Raises NotImplementedError for host memory, whereupon distributed takes another family.
    """
    if a.memory_kind != "device":
        raise NotImplementedError("the array is not in the memory of a CUDA device")
    once = _sent(a)
    frame = _openable(flat_bytes(once).synchronize())
    return {"array": list(describe(once)), "shape": list(a.shape)}, [frame]


def deserialize_on_device(header: dict[str, Any], frames: Frames) -> GPUArray:
    """Return an array in the memory of the frame, on the device that received it."""
    dtype, shape, order, _, _, writeable = header["array"]
    made = creation.asarray(frames[0]).view(dtype).reshape(tuple(shape), order=order)
    if not writeable:
        made.flags.writeable = False
    return _received(made, header)


def _sent(a: GPUArray) -> GPUArray:
    # What others may write through is sent as it is.
    return a if a.flags.writeable else distinct(a)


def _received(made: GPUArray, header: dict[str, Any]) -> GPUArray:
    shape = tuple(header["shape"])
    return made if made.shape == shape else broadcast_to(made, shape)


def _openable(flat: GPUArray) -> Any:
    """Return memory that UCX can open in another process; RMM's, if the array's own is not so."""
    rmm = sys.modules.get("rmm")
    if rmm is None or flat.size == 0 or _core._can_share(flat):
        return flat
    return rmm.DeviceBuffer(ptr=flat.ptr, size=flat.nbytes)  # waits for its copy


for family, function in (
    (sizeof, size_of),
    (dask_serialize, serialize),
    (dask_deserialize, deserialize),
    (cuda_serialize, serialize_on_device),
    (cuda_deserialize, deserialize_on_device),
):
    family.register(GPUArray)(function)
