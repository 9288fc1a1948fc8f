# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that join arrays, and functions for the array methods that change shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    cast_value,
    normalize_axes,
    normalize_axis,
    require_array,
    require_casting,
    require_iterable,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import promoted
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "concatenate",
    "expand_dims",
    "moveaxis",
    "ravel",
    "reshape",
    "rollaxis",
    "squeeze",
    "stack",
    "swapaxes",
    "transpose",
]


@takes_stream
def concatenate(
    arrays: Sequence[GPUArray],
    axis: int | None = 0,
    out: GPUArray | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> GPUArray:
    """Join arrays along an existing axis; None flattens them first.

    The arrays have one device and, but for that axis, one shape; their dtypes are promoted, or
    `dtype` is taken: TypeError unless all cast to it by NumPy's rule `casting`. Returns a new
    array, or `out`. Queued on the current stream.
    """
    if out is not None or dtype is not None or casting != "same_kind":
        return _concatenate(arrays, axis, out=out, dtype=dtype, casting=casting)
    joined = joined_later(arrays, axis)
    return _concatenate(arrays, axis) if joined is None else joined


def joined_later(arrays: Any, axis: int | None, *, is_new: bool = False) -> GPUArray | None:
    """Return what concatenate(), or stack() if the axis `is_new`, gives where it may wait."""
    if type(arrays) is list or type(arrays) is tuple:
        return _core._rejoin(arrays, axis, is_new)
    return None


@numpys_on_cpu(np.concatenate, sequences=True)
def _concatenate(
    arrays: Sequence[GPUArray],
    axis: int | None,
    out: GPUArray | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> GPUArray:
    if type(arrays) is not list and type(arrays) is not tuple:
        _require_one_sequence("concatenate", arrays, axis)
        arrays = [*arrays]
    if out is not None or dtype is not None or casting != "same_kind":
        arrays = [require_array("concatenate", a) for a in arrays]
        _require_casts(arrays, out, dtype, casting)
    return _core._concatenate(arrays, axis, out, dtype)


def _require_one_sequence(what: str, arrays: Any, axis: Any) -> None:
    require_iterable(what, arrays)
    if isinstance(axis, GPUArray) and axis.ndim:
        raise TypeError(f"{what}: axis: expected an int, got an array; give the arrays as [a, b]")


def _require_casts(arrays: list[GPUArray], out: Any, dtype: Any, casting: str) -> None:
    require_casting("concatenate", casting)
    if out is not None and dtype is not None:
        raise TypeError("concatenate: takes out or dtype, got both")
    names = {a._dtype_name for a in arrays}
    if not names:  # an error that follows
        return
    if out is not None:
        dtype = require_array("concatenate: out", out)._dtype_name
    elif dtype is None:
        dtype = promoted(*names)
    for name in names:
        cast_value("concatenate", _core.empty(0, name, device="cpu"), dtype, casting)


@takes_stream
def stack(
    arrays: Sequence[GPUArray],
    axis: int = 0,
    out: GPUArray | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> GPUArray:
    """Join arrays of one shape along a new axis, as `concatenate`: a new array, or `out`."""
    if out is not None or dtype is not None or casting != "same_kind":
        return _stack(arrays, axis, out=out, dtype=dtype, casting=casting)
    joined = joined_later(arrays, axis, is_new=True)
    return _stack(arrays, axis) if joined is None else joined


@numpys_on_cpu(np.stack, sequences=True)
def _stack(
    arrays: Sequence[GPUArray],
    axis: int = 0,
    out: GPUArray | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> GPUArray:
    _require_one_sequence("stack", arrays, axis)
    parts = [require_array("stack", a) for a in arrays]
    if not parts:
        raise ValueError("stack: need at least one array to stack")
    if any(a.shape != parts[0].shape for a in parts):
        shapes = ", ".join(str(a.shape) for a in parts)
        raise ValueError(f"stack: all input arrays must have the same shape, got {shapes}")
    axis = normalize_axis(axis, parts[0].ndim + 1)
    parts = [expand_dims(a, axis) for a in parts]
    return concatenate(parts, axis, out, dtype=dtype, casting=casting)


@takes_lists
def expand_dims(a: GPUArray, axis: int | tuple[int, ...]) -> GPUArray:
    """Return a view with new axes of extent 1 at these positions of the result."""
    require_array("expand_dims", a)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    ndim = a.ndim + len(axes)
    if ndim > 64:
        raise ValueError(f"expand_dims: an array has at most 64 dimensions, got {ndim}")
    positions = normalize_axes("expand_dims", axes, ndim)
    return a[tuple(None if position in positions else slice(None) for position in range(ndim))]


@takes_lists
def moveaxis(
    a: GPUArray, source: int | Sequence[int], destination: int | Sequence[int]
) -> GPUArray:
    """Return a view with axes at `source` moved to `destination`; the others keep their order."""
    require_array("moveaxis", a)
    sources = [normalize_axis(axis, a.ndim) for axis in np.atleast_1d(source).tolist()]
    targets = [normalize_axis(axis, a.ndim) for axis in np.atleast_1d(destination).tolist()]
    if len(set(sources)) != len(targets) or len(set(targets)) != len(sources):
        raise ValueError(
            f"moveaxis: expected as many different axes, got {source} and {destination}"
        )
    order = [axis for axis in range(a.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return a.transpose(order)


@takes_lists
def rollaxis(a: GPUArray, axis: int, start: int = 0) -> GPUArray:
    """Return a view with an axis moved to before the position `start`; moveaxis() reads better."""
    axis = normalize_axis(axis, require_array("rollaxis", a).ndim)
    start = normalize_axis(start, a.ndim + 1) if start >= 0 else normalize_axis(start, a.ndim)
    return moveaxis(a, axis, start - 1 if axis < start else start)


@takes_stream
def reshape(
    a: GPUArray, /, shape: Any, order: str | None = "C", *, copy: bool | None = None
) -> GPUArray:
    """Return the elements in another shape: a view where that is possible, else a copy.

    `copy` True always copies, False raises ValueError where a copy is needed.
    """
    return require_array("reshape", a).reshape(shape, order=order, copy=copy)


@takes_lists
def ravel(a: GPUArray, order: str = "C", *, stream: Any = None) -> GPUArray:
    """Return a.ravel(order): one-dimensional, a view where that is possible, else a copy."""
    return require_array("ravel", a).ravel(order, stream=stream)


@takes_lists
def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """Return a view with the axes in this order, reversed by default."""
    return require_array("transpose", a).transpose(axes)


@takes_lists
def swapaxes(a: GPUArray, axis1: int, axis2: int) -> GPUArray:
    """Return a view with two axes exchanged."""
    return require_array("swapaxes", a).swapaxes(axis1, axis2)


@takes_lists
def squeeze(a: GPUArray, axis: int | tuple[int, ...] | None = None) -> GPUArray:
    """Return a view without axes of extent 1: all of them, or these."""
    return require_array("squeeze", a).squeeze(axis)
