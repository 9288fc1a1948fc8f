# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that make arrays, composed from the creation functions of _core."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import as_integer, normalize_order, require_array
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "fromiter",
    "full_like",
    "ones_like",
    "require",
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
    if type(obj) is GPUArray and dtype is order is device is None and not copy:
        return obj
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
    """Return `obj` as a GPUArray, and whether it was copied."""
    shared = _core._share_foreign(obj, copy is False)
    if shared is not None:
        return shared, False
    if copy is False:
        raise ValueError("asarray: host data has to be copied to a device; got copy=False")
    return _core.to_device(obj, dtype=dtype, device=device), True


def _has_order(a: GPUArray, order: str | None) -> bool:
    if order is None:
        return True
    layout = normalize_order("asarray", order)
    return a.flags.c_contiguous if layout == "C" else layout != "F" or a.flags.f_contiguous


@takes_stream
def array(
    obj: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    device: Any = None,
) -> GPUArray:
    """Return a new GPUArray with the elements of `obj`, of `ndmin` dimensions at least.

    `subok` is NumPy's and changes nothing.
    """
    made = asarray(obj, dtype, order, device=device, copy=copy)
    ndmin = as_integer(ndmin)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if made.ndim < ndmin else made


@takes_stream
def ascontiguousarray(obj: Any, dtype: Any = None, *, device: Any = None) -> GPUArray:
    """Return `obj` as a C-contiguous GPUArray of at least one dimension."""
    made = asarray(obj, dtype, "C", device=device)
    return made.reshape(1) if made.ndim == 0 else made


@takes_stream
def asfortranarray(obj: Any, dtype: Any = None, *, device: Any = None) -> GPUArray:
    """Return `obj` as a GPUArray of at least one dimension, contiguous in Fortran's order."""
    made = asarray(obj, dtype, "F", device=device)
    return made.reshape(1) if made.ndim == 0 else made


@takes_stream
def fromiter(iter: Any, dtype: Any, count: int = -1, *, device: Any = None) -> GPUArray:
    """Return the numbers that an iterable gives, all or the first `count`, in one dimension.

    They are gathered on the host, as numpy.fromiter does, and copied to the device.
    """
    if not np.iterable(iter):
        raise TypeError(f"fromiter: expected an iterable, got {type(iter).__name__}")
    name = dtype_name(dtype)
    if name == "bfloat16":
        return _core.to_device(np.fromiter(iter, "float32", count), dtype=name, device=device)
    return _core.to_device(np.fromiter(iter, name, count), device=device)


# A GPUArray has no subclasses, so both functions do the same.
asanyarray = asarray


@takes_stream
def full_like(
    a: GPUArray,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    managed: bool = False,
) -> GPUArray:
    """Return a new array with the shape, dtype, layout and device of `a`, filled with a value.

    `fill_value`, a scalar, a GPUArray or a list, broadcasts and is cast as in an assignment.
    `managed`: whether it is in managed memory; `subok` is NumPy's and changes nothing.
    """
    made = _core.empty_like(a, dtype, order, subok, shape, device=device, managed=managed)
    made[...] = fill_value
    return made


@takes_stream
def zeros_like(
    a: GPUArray,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    managed: bool = False,
) -> GPUArray:
    """Return zeros with the shape, dtype, layout and device of `a`, as full_like."""
    require_array("zeros_like", a)
    return full_like(a, 0, dtype, order, subok, shape, device=device, managed=managed)


@takes_stream
def ones_like(
    a: GPUArray,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    managed: bool = False,
) -> GPUArray:
    """Return ones with the shape, dtype, layout and device of `a`, as full_like."""
    require_array("ones_like", a)
    return full_like(a, 1, dtype, order, subok, shape, device=device, managed=managed)


@takes_stream
def astype(x: GPUArray, dtype: Any, /, *, copy: bool = True, device: Any = None) -> GPUArray:
    """Return the array as another dtype, on `device` if one is given.

    `x` itself where `copy` is False and nothing is to be done. Queued on the current stream.
    """
    made: GPUArray = require_array("astype", x).astype(dtype, copy=copy)
    return made if device is None else asarray(made, device=device)


@takes_stream
def asarray_chkfinite(
    a: Any, dtype: Any = None, order: str | None = None, *, device: Any = None
) -> GPUArray:
    """Return `a` as a GPUArray; ValueError if it holds NaN or infinities, which are waited for."""
    made = asarray(a, dtype, order, device=device)
    if not _core.isfinite(made).all().item():
        raise ValueError("asarray_chkfinite: the array holds NaN or infinities")
    return made


# What require() asks for: the flag, or what every GPUArray is.
_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("W", "WRITEABLE"), "writeable"),
    **dict.fromkeys(("O", "OWNDATA"), "owndata"),
    **dict.fromkeys(("A", "ALIGNED", "E", "ENSUREARRAY"), ""),
}


@takes_stream
def require(a: Any, dtype: Any = None, requirements: Any = None, *, device: Any = None) -> GPUArray:
    """Return `a` as a GPUArray that is as required, a copy where it is not.

    `requirements` are one or several of "C" and "F", contiguous in this order, "W", writeable, "O",
    with memory of its own, and "A" and "E", which all arrays are; the names of flags do too.
    ValueError for others, and for both orders.
    """
    names = [requirements] if isinstance(requirements, str) else list(requirements or ())
    unknown = [name for name in names if str(name).upper() not in _REQUIREMENTS]
    if unknown:
        raise ValueError(f"require: requirements are C, F, A, W, O and E, got {unknown[0]!r}")
    asked = {_REQUIREMENTS[str(name).upper()] for name in names}
    if {"C", "F"} <= asked:
        raise ValueError("require: an array cannot be required in both orders, C and F")
    order = "C" if "C" in asked else "F" if "F" in asked else "K"
    made = asarray(a, dtype, order, device=device)
    is_fit = all(getattr(made.flags, flag) for flag in asked & {"writeable", "owndata"})
    return made if is_fit else made.copy(order)
