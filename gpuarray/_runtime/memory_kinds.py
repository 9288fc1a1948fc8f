# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays in memory that both the host and a CUDA device access: page-locked and managed memory."""

import contextlib
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = [
    "empty_like_managed",
    "empty_like_pinned",
    "empty_managed",
    "empty_pinned",
    "managed_memory_stats",
    "pinned",
    "pinned_memory_stats",
    "release_managed_memory",
    "release_pinned_memory",
    "zeros_like_managed",
    "zeros_like_pinned",
    "zeros_managed",
    "zeros_pinned",
]


def empty_pinned(
    shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None, stream: Any = None
) -> GPUArray:
    """Return a new array in page-locked memory of the host; its elements are not set.

    A CUDA device works on it over the link, at the same address; ``np.asarray(a)`` and
    ``memoryview(a)`` share the memory, once pending work is done. Transfers between it and arrays
    of a device are direct. `device`: whose streams its work is queued on, else the default device;
    on cpu it is an ordinary array. `stream`: what the memory is ready for, else the current one.
    OutOfMemoryError where the system locks no more memory.
    """
    return _core._empty_kind("pinned", shape, dtype, order, device, False, stream)


def zeros_pinned(
    shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None, stream: Any = None
) -> GPUArray:
    """Return a new array of zeros in page-locked memory, set on return; as empty_pinned."""
    return _core._empty_kind("pinned", shape, dtype, order, device, True, stream)


def empty_managed(
    shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None, stream: Any = None
) -> GPUArray:
    """Return a new array in managed memory; its elements are not set.

    The driver moves its pages to the device, or the host, that uses them; there may be more of it
    than the device has memory. ``a.prefetch`` and ``a.advise`` say ahead who will. The host shares
    it as that of empty_pinned. On the cpu device it is an ordinary array.
    """
    return _core._empty_kind("managed", shape, dtype, order, device, False, stream)


def zeros_managed(
    shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None, stream: Any = None
) -> GPUArray:
    """Return a new array of zeros in managed memory, filled on `stream` or the current one."""
    return _core._empty_kind("managed", shape, dtype, order, device, True, stream)


def _like(
    kind: Literal["pinned", "managed"],
    a: Any,
    dtype: Any,
    order: str | None,
    shape: Any,
    device: Any,
    zeroed: bool,
    stream: Any,
) -> GPUArray:
    if not isinstance(a, GPUArray | np.ndarray):
        raise TypeError(
            f"{'zeros' if zeroed else 'empty'}_like_{kind}: expected a GPUArray or a "
            f"numpy.ndarray, got {type(a).__name__}"
        )
    order = "K" if order is None else order
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A' or 'K', got {order!r}")
    if device is None and isinstance(a, GPUArray) and a.device.kind == "cuda":
        device = a.device
    if dtype is None:
        dtype = a._dtype_name if isinstance(a, GPUArray) else a.dtype
    shape = a.shape if shape is None else shape
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    ndim = len(extents)
    if order == "K" and ndim == a.ndim and not (a.flags.c_contiguous or a.flags.f_contiguous):
        axes = sorted(range(ndim), key=lambda axis: -abs(a.strides[axis]))
        packed = tuple(extents[axis] for axis in axes)
        made = _core._empty_kind(kind, packed, dtype, "C", device, zeroed, stream)
        return made.transpose([axes.index(axis) for axis in range(ndim)])
    if order in "AK":
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return _core._empty_kind(kind, shape, dtype, order, device, zeroed, stream)


def empty_like_pinned(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    *,
    device: Any = None,
    stream: Any = None,
) -> GPUArray:
    """Return empty_pinned with the shape, dtype and layout of a GPUArray or an ndarray.

    Its work is that of `device`, else of the CUDA device of `a`, else of the default device.
    """
    return _like("pinned", a, dtype, order, shape, device, False, stream)


def zeros_like_pinned(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    *,
    device: Any = None,
    stream: Any = None,
) -> GPUArray:
    """Return zeros_pinned with the shape, dtype and layout of a GPUArray or an ndarray."""
    return _like("pinned", a, dtype, order, shape, device, True, stream)


def empty_like_managed(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    *,
    device: Any = None,
    stream: Any = None,
) -> GPUArray:
    """Return empty_managed with the shape, dtype and layout of a GPUArray or an ndarray."""
    return _like("managed", a, dtype, order, shape, device, False, stream)


def zeros_like_managed(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    *,
    device: Any = None,
    stream: Any = None,
) -> GPUArray:
    """Return zeros_managed with the shape, dtype and layout of a GPUArray or an ndarray."""
    return _like("managed", a, dtype, order, shape, device, True, stream)


@contextlib.contextmanager
def pinned(*arrays: Any, device: Any = None) -> Iterator[Any]:
    """Page-lock NumPy arrays in place for the block: transfers with them are direct.

    Gives the array, or a tuple of several. The pages are unlocked when all work of `device` (by
    default the default device) is done; memory that is page-locked already stays so. Nothing
    happens on the cpu device. Locking takes as long as several copies: for arrays used again and
    again. OutOfMemoryError where the system locks no more memory.
    """
    if not arrays:
        raise TypeError("pinned: expected at least one numpy.ndarray")
    of = _core.Device(device)
    with contextlib.ExitStack() as stack:
        for array in arrays:
            if address := _core._page_lock(array, of):
                stack.callback(_core._page_unlock, address, of)
        yield arrays[0] if len(arrays) == 1 else arrays


def pinned_memory_stats() -> dict[str, int]:
    """Return bytes_in_use, peak_bytes and allocations of pinned arrays, and cached_bytes.

    The pool is one for the process; cached are freed blocks, which are used again once the work
    that used them is done. At most 1 GiB is kept.
    """
    return _core._kind_stats("pinned", None)


def managed_memory_stats(device: Any = None) -> dict[str, int]:
    """Return bytes_in_use, peak_bytes, allocations and cached_bytes of managed arrays."""
    return _core._kind_stats("managed", device)


def release_pinned_memory() -> None:
    """Give page-locked memory that is kept for reuse back to the system, after work on it."""
    _core._release_kind("pinned", None)


def release_managed_memory(device: Any = None) -> None:
    """Give managed memory that is kept for reuse back to the driver, after work on it."""
    _core._release_kind("managed", device)
