# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Conversion of arrays to a description and bytes and back, for pickle, copy and distributed."""

import contextlib
import pickle
import warnings
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = [
    "deepcopy",
    "describe",
    "distinct",
    "flat_bytes",
    "host_bytes",
    "reduce_ex",
    "restore",
    "restore_class",
    "token",
]


def describe(a: GPUArray) -> tuple[str, tuple[int, ...], str, str, str, bool]:
    """Return dtype, shape, order of the bytes, device, memory kind, and whether it is writable."""
    order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return a._dtype_name, a.shape, order, str(a.device), a.memory_kind, a.flags.writeable


def distinct(a: Any) -> Any:
    """Return a view of the elements that are not repeated: axes of stride 0 have one index."""
    return a[tuple(slice(None) if step else slice(1) for step in a.strides)]


def flat_bytes(a: GPUArray) -> GPUArray:
    """Return the elements as bytes of one dimension, in describe's order: a view where possible."""
    packed = a if a.flags.c_contiguous or a.flags.f_contiguous else a.copy()
    in_order = packed.T if describe(a)[2] == "F" else packed
    return in_order.reshape(-1).view("uint8")


def host_bytes(a: GPUArray, what: str) -> Any:
    """Return an object with a buffer of the bytes: the memory itself where the host sees it.

    Waits for pending work on it. BufferError where transfer_guard disallows the copy.
    """
    if a.memory_kind == "device":
        _core._guard_transfer(a, what)
        return flat_bytes(a).get()
    return flat_bytes(a)


def restore_class(kind: type[GPUArray], *description: Any) -> GPUArray:
    """Return the array that restore() makes of these, as one of a class derived from GPUArray."""
    return _core._as_class(restore(*description), kind)


def restore(
    data: Any,
    dtype: str,
    shape: tuple[int, ...],
    order: str,
    device: str,
    kind: Any,
    writeable: bool,
) -> GPUArray:
    """Return the array whose description and bytes, in C order or `order`, these are."""
    host = np.frombuffer(data, np.uint8)
    flat = _make_flat(host, device, kind, writeable, np.dtype(np.longdouble).itemsize)
    made = flat.view(dtype).reshape(tuple(shape), order=order)
    if not writeable:
        made.flags.writeable = False
    return made


def _make_flat(
    host: np.ndarray[Any, Any], device: str, kind: Any, writeable: bool, alignment: int
) -> GPUArray:
    target = _device_or_default(device)
    if target.kind == "cpu":
        aligned = host.ctypes.data % alignment == 0
        if host.size and aligned and host.flags.writeable == writeable:
            # The array shares this memory, unless it is read-only and NumPy is older than 2.1.
            with contextlib.suppress(BufferError):
                return _core.from_dlpack(host)
        return _core.to_device(host, device=target)
    if kind not in ("pinned", "managed"):
        return _core.to_device(host, device=target)
    made = _core._empty_kind(kind, host.size, "uint8", "C", target, False, None)
    made.set(host)
    return made


def _device_or_default(device: str) -> Any:
    if device == "cpu" or any(str(there) == device for there in _core.devices()):
        return _core.Device(device)
    default = _core.default_device()
    warnings.warn(
        f"gpuarray: an array of {device}, which this process has not, is made on {default}",
        RuntimeWarning,
        stacklevel=2,
    )
    return default


def reduce_ex(a: GPUArray, protocol: Any) -> tuple[Any, ...]:
    """Implement GPUArray.__reduce_ex__."""
    data = host_bytes(a, "pickle")
    content = pickle.PickleBuffer(data) if protocol >= 5 else bytes(data)
    if type(a) is not GPUArray:
        return restore_class, (type(a), content, *describe(a))
    return restore, (content, *describe(a))


def token(a: GPUArray) -> tuple[Any, ...]:
    """Implement GPUArray.__dask_tokenize__, for which the elements are copied to the host."""
    from dask.hashing import hash_buffer_hex  # fast where xxhash or another is installed

    once = distinct(a)
    dtype, shape, order, device, _, _ = describe(once)
    content = hash_buffer_hex(flat_bytes(once).get())
    return "gpuarray.GPUArray", dtype, a.shape, shape, order, device, content


def deepcopy(a: GPUArray, memo: dict[int, Any]) -> GPUArray:
    """Implement GPUArray.__deepcopy__."""
    if a.memory_kind in ("pinned", "managed"):
        from gpuarray._runtime import memory_kinds

        like = getattr(memory_kinds, f"empty_like_{a.memory_kind}")
        made: GPUArray = like(a)
        made[...] = a
    else:
        made = a.copy(order="K")
    memo[id(a)] = made
    return made
