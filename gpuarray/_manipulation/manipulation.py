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
    require_writable,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
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
@numpys_on_cpu(np.concatenate, sequences=True)
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
    require_casting("concatenate", casting)
    parts = [require_array("concatenate", a) for a in require_iterable("concatenate", arrays)]
    if not parts:
        raise ValueError("concatenate: need at least one array")
    if axis is None:
        parts, axis = [a.ravel() for a in parts], 0
    if parts[0].ndim == 0:
        raise ValueError("concatenate: zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis(axis, parts[0].ndim)
    shape = _joined_shape(parts, axis)
    if out is not None and dtype is not None:
        raise TypeError("concatenate: takes out or dtype, got both")
    if out is not None:
        require_writable("concatenate", out, shape)
    else:
        made = promoted(*(a._dtype_name for a in parts)) if dtype is None else dtype
        out = _core.empty(shape, made, _joint_order(parts), device=parts[0].device)
    for name in {a._dtype_name for a in parts} - {out._dtype_name}:
        cast_value("concatenate", _core.empty(0, name, device="cpu"), out._dtype_name, casting)
    return _core._join(out, parts, axis)


def _joined_shape(parts: list[GPUArray], axis: int) -> tuple[int, ...]:
    first = parts[0].shape
    for a in parts:
        if a.ndim != len(first):
            raise ValueError(
                f"concatenate: all the input arrays must have same number of dimensions, "
                f"got shapes {first} and {a.shape}"
            )
        if a.shape[:axis] + a.shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ValueError(
                f"concatenate: all axes but axis {axis} must match, "
                f"got shapes {first} and {a.shape}"
            )
    return (*first[:axis], sum(a.shape[axis] for a in parts), *first[axis + 1 :])


def _joint_order(parts: list[GPUArray]) -> str:
    fortran = all(a.flags.f_contiguous and not a.flags.c_contiguous for a in parts)
    return "F" if fortran else "C"


@takes_stream
@numpys_on_cpu(np.stack, sequences=True)
def stack(
    arrays: Sequence[GPUArray],
    axis: int = 0,
    out: GPUArray | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> GPUArray:
    """Join arrays of one shape along a new axis, as `concatenate`: a new array, or `out`."""
    parts = [require_array("stack", a) for a in require_iterable("stack", arrays)]
    if not parts:
        raise ValueError("stack: need at least one array to stack")
    if any(a.shape != parts[0].shape for a in parts):
        shapes = ", ".join(str(a.shape) for a in parts)
        raise ValueError(f"stack: all input arrays must have the same shape, got {shapes}")
    axis = normalize_axis(axis, parts[0].ndim + 1)
    parts = [expand_dims(a, axis) for a in parts]
    return concatenate(parts, axis, out, dtype=dtype, casting=casting)


def expand_dims(a: GPUArray, axis: int | tuple[int, ...]) -> GPUArray:
    """Return a view with new axes of extent 1 at these positions of the result."""
    require_array("expand_dims", a)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    ndim = a.ndim + len(axes)
    if ndim > 64:
        raise ValueError(f"expand_dims: an array has at most 64 dimensions, got {ndim}")
    positions = normalize_axes("expand_dims", axes, ndim)
    return a[tuple(None if position in positions else slice(None) for position in range(ndim))]


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


def ravel(a: GPUArray, order: str = "C", *, stream: Any = None) -> GPUArray:
    """Return a.ravel(order): one-dimensional, a view where that is possible, else a copy."""
    return require_array("ravel", a).ravel(order, stream=stream)


def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """Return a view with the axes in this order, reversed by default."""
    return require_array("transpose", a).transpose(axes)


def swapaxes(a: GPUArray, axis1: int, axis2: int) -> GPUArray:
    """Return a view with two axes exchanged."""
    return require_array("swapaxes", a).swapaxes(axis1, axis2)


def squeeze(a: GPUArray, axis: int | tuple[int, ...] | None = None) -> GPUArray:
    """Return a view without axes of extent 1: all of them, or these."""
    return require_array("squeeze", a).squeeze(axis)
