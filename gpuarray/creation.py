# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Making arrays, put together from what _core makes."""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._arguments import require_array
from gpuarray._core import GPUArray
from gpuarray.streams import takes_stream

__all__ = [
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "eye",
    "full_like",
    "identity",
    "linspace",
    "ones_like",
    "zeros_like",
]


@takes_stream
def asarray(
    obj: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
) -> GPUArray:
    """Return `obj` as a GPUArray, without a copy where there need be none.

    A GPUArray is taken as it is and an array of another library on a device through DLPack or the
    CUDA array interface; anything on the host is copied to `device`, else to the default device.
    `copy` True always copies, False raises ValueError where a copy is needed, or BufferError where
    the other library or its layout needs one.
    """
    if not isinstance(obj, GPUArray):
        obj, copied = _from_other(obj, dtype, device, copy)
        copy = None if copied else copy
    wanted: GPUArray = obj
    if device is not None and obj.device != _core.Device(device):
        wanted = obj.to_device(device)
    if dtype is not None:
        wanted = wanted.astype(dtype, copy=False)
    if not _has_order(wanted, order):
        wanted = wanted.copy(order=order)
    if wanted is not obj and copy is False:
        raise ValueError(
            "asarray: a copy is needed for this dtype, device or order; got copy=False"
        )
    return wanted.copy(order="K") if copy and wanted is obj else wanted


def _from_other(obj: Any, dtype: Any, device: Any, copy: bool | None) -> tuple[GPUArray, bool]:
    """Return the array, and whether it was copied."""
    shared = _core._share_foreign(obj, copy is False)
    if shared is not None:
        return shared, False
    if copy is False:
        raise ValueError("asarray: host data has to be copied to a device; got copy=False")
    return _core.to_device(obj, dtype=dtype, device=device), True


def _has_order(a: GPUArray, order: str | None) -> bool:
    if order == "C":
        return bool(a.flags.c_contiguous)
    if order == "F":
        return bool(a.flags.f_contiguous)
    if order in (None, "A", "K"):
        return True
    raise ValueError(f"order must be one of 'C', 'F', 'A', 'K' or None, got {order!r}")


@takes_stream
def array(
    obj: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Any = None,
) -> GPUArray:
    """Return a new GPUArray with the elements of `obj`, of `ndmin` dimensions at least."""
    made = asarray(obj, dtype, order, device=device, copy=copy)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if made.ndim < ndmin else made


@takes_stream
def ascontiguousarray(obj: Any, dtype: Any = None, *, device: Any = None) -> GPUArray:
    """Return `obj` as a C-contiguous GPUArray of at least one dimension."""
    made = asarray(obj, dtype, "C", device=device)
    return made.reshape(1) if made.ndim == 0 else made


@takes_stream
def full_like(
    a: GPUArray,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    *,
    device: Any = None,
) -> GPUArray:
    """Return a new array with the shape, dtype, layout and device of `a`, filled with a scalar."""
    made = _core.empty_like(a, dtype, order, shape, device=device)
    made[...] = fill_value
    return made


@takes_stream
def zeros_like(
    a: GPUArray, dtype: Any = None, order: str = "K", shape: Any = None, *, device: Any = None
) -> GPUArray:
    """Return zeros with the shape, dtype, layout and device of `a`."""
    return full_like(require_array("zeros_like", a), 0, dtype, order, shape, device=device)


@takes_stream
def ones_like(
    a: GPUArray, dtype: Any = None, order: str = "K", shape: Any = None, *, device: Any = None
) -> GPUArray:
    """Return ones with the shape, dtype, layout and device of `a`."""
    return full_like(require_array("ones_like", a), 1, dtype, order, shape, device=device)


@takes_stream
def arange(
    start: Any = None,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Any = None,
) -> GPUArray:
    """Return start, start + step, ... up to but without `stop`, as numpy.arange does.

    With one argument it is the stop. The dtype is by default that of the arguments; the number of
    elements is ceil((stop - start) / step).
    """
    if start is None or stop is None:
        start, stop = 0, stop if start is None else start
    step = 1 if step is None else step
    for value in (start, stop, step):
        if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
            raise TypeError(f"arange: expected real numbers, got {type(value).__name__}")
    if step == 0:
        raise ZeroDivisionError("arange: step is zero")
    if dtype is None:
        dtype = np.result_type(*(np.asarray(value).dtype for value in (start, stop, step)))
    length = _count("arange", (stop - start) / step)
    if length > 2 and dtype in (bool, "bool", np.dtype(bool)):
        raise TypeError(f"arange: bool has no more than 2 elements to count, got {length}")
    return _core.arange_(length, start, _arange_step(start, step, dtype), dtype, device)


def _count(what: str, number: float) -> int:
    if not math.isfinite(number) or number >= 2**63:
        raise ValueError(f"{what}: expected fewer than 2**63 elements, got {number}")
    return max(math.ceil(number), 0)


def _arange_step(start: Any, step: Any, dtype: Any) -> Any:
    """Return the step in `dtype`: NumPy takes the second element's difference from the first."""
    if isinstance(dtype, str) and dtype == "bfloat16":
        return step
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return kind.type(start + step) - kind.type(start)
    delta = int(start + step) - int(start)
    return delta % 2 ** (8 * kind.itemsize) if kind.kind == "u" else delta


@takes_stream
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`, both scalars, like NumPy's.

    `endpoint` False leaves `stop` out; `retstep` True returns the array and the step.
    """
    if num < 0:
        raise ValueError(f"linspace: number of samples, {num}, must be non-negative")
    num = _count("linspace", num)
    intervals = num - 1 if endpoint else num
    start, stop = start * 1.0, stop * 1.0
    computed = np.result_type(np.asarray(start).dtype, np.asarray(stop).dtype)
    index = _core.arange_(num, 0, 1, computed, device)
    step = (stop - start) / intervals if intervals > 0 else math.nan
    if intervals <= 0:
        made = index * (stop - start) + start
    elif step == 0:  # the difference is too small to be divided first
        made = index / intervals * (stop - start) + start
    else:
        made = index * step + start
    if endpoint and num > 1:
        made[-1] = stop
    if dtype is not None:
        whole = np.dtype(dtype).kind in "iu" if dtype != "bfloat16" else False
        made = (_core.floor(made) if whole else made).astype(dtype, copy=False)
    return (made, step) if retstep else made


@takes_stream
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
) -> GPUArray:
    """Return N x M zeros with ones on diagonal `k`: 0 the main one, above it positive."""
    M = N if M is None else M
    if N < 0 or M < 0:
        raise ValueError(f"eye: negative dimensions are not allowed: got shape {(N, M)}")
    rows = _core.arange_(N, 0, 1, "int64", device).reshape(N, 1)
    columns = _core.arange_(M, -k, 1, "int64", device)
    made = _core.empty((N, M), dtype, order, device=device)
    made[...] = _core.equal(rows, columns)
    return made


@takes_stream
def identity(n: int, dtype: Any = float, *, device: Any = None) -> GPUArray:
    """Return the n x n identity matrix."""
    return eye(n, dtype=dtype, device=device)
