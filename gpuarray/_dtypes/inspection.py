# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that describe arrays without reading their elements."""

from typing import Any

import numpy as np

from gpuarray._common.arguments import is_complex, require_array
from gpuarray._core import GPUArray

__all__ = [
    "iscomplexobj",
    "isfortran",
    "isrealobj",
    "isscalar",
    "iterable",
    "may_share_memory",
    "ndim",
    "shape",
    "shares_memory",
    "size",
]


def shape(a: Any) -> tuple[int, ...]:
    """Return the lengths of the axes; () of a scalar."""
    return a.shape if isinstance(a, GPUArray) else np.shape(a)


def ndim(a: Any) -> int:
    """Return the number of axes; 0 of a scalar."""
    return len(shape(a))


def size(a: Any, axis: int | tuple[int, ...] | None = None) -> int:
    """Return the number of elements, or the length of an axis or the product of several."""
    if axis is None and isinstance(a, GPUArray):
        return a.size
    return np.size(np.broadcast_to(False, shape(a)), axis)


def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype is complex, whatever the elements are."""
    return is_complex(x) if isinstance(x, GPUArray) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Return whether the dtype is not complex."""
    return not iscomplexobj(x)


def isscalar(element: Any) -> bool:
    """Return whether this is a scalar of Python or NumPy; arrays of no dimensions are none."""
    return bool(np.isscalar(element))


def iterable(y: Any) -> bool:
    """Return whether iter() takes it."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


def isfortran(a: GPUArray) -> bool:
    """Return whether the array is contiguous in Fortran's order and not in C's."""
    flags = require_array("isfortran", a).flags
    return flags.f_contiguous and not flags.c_contiguous


def shares_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Return whether two arrays have a byte in common, exactly unless `max_work` is 0.

    Either may be a NumPy array.
    """
    return _same_place(a, b) and bool(np.shares_memory(_bytes(a), _bytes(b), max_work))


def may_share_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Return whether the address ranges of two arrays overlap; the arrays themselves need not."""
    return _same_place(a, b) and bool(np.may_share_memory(_bytes(a), _bytes(b), max_work))


def _same_place(a: Any, b: Any) -> bool:
    # Managed and page-locked memory has one address for all devices, unlike device memory.
    places = set()
    for array in (a, b):
        if isinstance(array, np.ndarray):
            places.add("cpu")
        elif require_array("shares_memory", array).memory_kind == "device":
            places.add(str(array.device))
    return len(places) < 2


def _bytes(a: Any) -> Any:
    return a if isinstance(a, np.ndarray) else _Bytes(a)


class _Bytes:
    """Tells NumPy where the elements lie; NumPy compares the addresses and reads no element."""

    def __init__(self, a: GPUArray) -> None:
        self.__array_interface__ = {
            "version": 3,
            "shape": a.shape,
            "typestr": f"|V{a.itemsize}",
            "data": (a.ptr, True),
            "strides": a.strides,
        }
