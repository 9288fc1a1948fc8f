# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Coordinates and indices of grids of points."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    as_extents,
    normalize_order,
    parameter_array,
    require_array,
    require_callable,
    require_iterable,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._indexing.indexing import nonzero
from gpuarray._manipulation.broadcasting import broadcast_arrays
from gpuarray._runtime.streams import takes_stream

__all__ = ["fromfunction", "indices", "ix_", "meshgrid", "ravel_multi_index", "unravel_index"]


@takes_stream
def meshgrid(
    *xi: GPUArray, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[GPUArray, ...]:
    """Return the coordinates of a grid, from vectors or scalars of them: an array for each.

    `indexing` "xy" exchanges the first two axes of the result, "ij" does not. `sparse` leaves
    extents of 1, `copy` False returns views of the vectors, read-only unless sparse.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', got {indexing!r}")
    ndim = len(xi)
    order = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        order[:2] = [1, 0]
    like = next((x for x in xi if isinstance(x, GPUArray)), None)
    parts = tuple(
        _operand("meshgrid", x, like).reshape([-1 if i == axis else 1 for i in range(ndim)])
        for x, axis in zip(xi, order, strict=True)
    )
    if not sparse:
        parts = broadcast_arrays(*parts)
    return tuple(part.copy() for part in parts) if copy else parts


def _operand(what: str, value: Any, like: GPUArray | None = None) -> GPUArray:
    """Return a GPUArray unchanged, and a scalar as an array of no dimensions."""
    if isinstance(value, (int, float, complex, np.generic)):
        return _core.full((), value, device=None if like is None else like.device)
    return require_array(what, value)


@takes_stream
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False, *, device: Any = None) -> Any:
    """Return the indices of a grid of this shape: an array of one more dimension.

    `sparse` returns a tuple with an array for each axis, which broadcast.
    """
    shape = tuple(require_iterable("indices", dimensions, "ints"))
    parts = tuple(
        _core._arange(extent, 0, 1, dtype, device).reshape(
            [extent if i == axis else 1 for i in range(len(shape))]
        )
        for axis, extent in enumerate(shape)
    )
    if sparse:
        return parts
    return filled_grid(parts) if parts else _core.empty(0, dtype, device=device)


def filled_grid(parts: Sequence[GPUArray]) -> GPUArray:
    """Return the axes of a grid, of one dtype and in order, as an array of one more dimension."""
    shape = (part.size for part in parts)
    made = _core.empty((len(parts), *shape), parts[0]._dtype_name, device=parts[0].device)
    for number, part in enumerate(parts):
        made[number] = part
    return made


@takes_stream
def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, device: Any = None, **kwargs: Any
) -> Any:
    """Return function(*indices, **kwargs), called once with the indices of a grid of this shape."""
    require_callable("fromfunction", function=function)
    return function(*indices(shape, dtype, device=device), **kwargs)


@takes_stream
def ix_(*args: Any) -> tuple[GPUArray, ...]:
    """Return the sequences as arrays that broadcast: indices of all their combinations.

    Of a mask the indices of its True elements are taken, for whose number the host waits.
    ValueError unless all have one dimension.
    """
    like = next((a for a in args if isinstance(a, GPUArray)), None)
    made = []
    for axis, sequence in enumerate(args):
        a = asarray(sequence, device=None if like is None else like.device)
        if a.ndim != 1:
            raise ValueError(f"ix_: expected one dimension, got shape {a.shape}")
        if a.size == 0 and not isinstance(sequence, GPUArray | np.ndarray):
            a = a.astype("int64")
        if a._dtype_name == "bool":
            (a,) = nonzero(a)
        made.append(a.reshape([a.size if i == axis else 1 for i in range(len(args))]))
    return tuple(made)


@takes_stream
@numpys_on_cpu(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: str | None = "C") -> tuple[GPUArray, ...]:
    """Return the indices along each axis for indices into the flattened array of this shape.

    ValueError for indices out of range, which the host waits to see.
    """
    indices = parameter_array("unravel_index", indices, None)
    _require_integers("unravel_index", indices)
    extents = _extents("unravel_index", shape)
    size = prod(extents)
    if not extents and indices.ndim:
        raise ValueError("unravel_index: multiple indices are not supported for a 0d array")
    if indices.size and bool(_core.any(_outside(indices, size))):
        raise ValueError(f"unravel_index: an index is out of bounds for array with size {size}")
    forwards = normalize_order("unravel_index", order, "CF", "C") == "C"
    rest, made = indices.astype("int64"), []
    for extent in reversed(extents) if forwards else extents:
        made.append(rest % extent)
        rest = rest // extent
    return tuple(reversed(made) if forwards else made)


@takes_stream
@numpys_on_cpu(np.ravel_multi_index, sequences=True)
def ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = "raise", order: str | None = "C"
) -> GPUArray:
    """Return the indices into the flattened array of shape `dims` for indices along each axis.

    `mode`, one or one for each axis: "raise" is a ValueError for indices out of range, which the
    host waits to see, "wrap" takes them modulo the extent, "clip" takes the nearest.
    """
    given = list(require_iterable("ravel_multi_index", multi_index))
    extents = _extents("ravel_multi_index", dims)
    modes = tuple(mode) if isinstance(mode, tuple) else (mode,) * len(extents)
    if not len(given) == len(extents) == len(modes):
        raise ValueError(
            f"ravel_multi_index: got {len(given)} indices for {len(extents)} dimensions, "
            f"and {len(modes)} modes"
        )
    like = next((part for part in given if isinstance(part, GPUArray)), None)
    arrays = [parameter_array("ravel_multi_index", part, like) for part in given]
    parts = list(map(_bounded, arrays, extents, modes))
    forwards = normalize_order("ravel_multi_index", order, "CF", "C") == "C"
    pairs = list(zip(parts, extents, strict=True))
    made = parts[0] * 0
    for part, extent in pairs if forwards else reversed(pairs):
        made = made * extent + part
    return made


def _bounded(given: GPUArray, extent: int, mode: str) -> GPUArray:
    _require_integers("ravel_multi_index", given)
    part: GPUArray = given.astype("int64", copy=False)
    if extent == 0 and part.size:
        raise ValueError("ravel_multi_index: an axis of no elements has no indices")
    if mode == "wrap":
        return part % extent
    if mode == "clip":
        return _core.clip(part, 0, extent - 1)
    if mode != "raise":
        raise ValueError(f"ravel_multi_index: mode is 'raise', 'wrap' or 'clip', got {mode!r}")
    if part.size and bool(_core.any(_outside(part, extent))):
        raise ValueError("ravel_multi_index: invalid entry in coordinates array")
    return part


def _extents(what: str, shape: Any) -> tuple[int, ...]:
    extents = as_extents(shape)
    if min(extents, default=0) < 0 or prod(extents) >= 2**63:
        raise ValueError(f"{what}: expected fewer than 2**63 elements, got shape {extents}")
    return extents


def _outside(index: GPUArray, extent: int) -> GPUArray:
    return _core.logical_or(index < 0, index >= extent)


def _require_integers(what: str, index: GPUArray) -> None:
    if "int" not in index._dtype_name:
        raise TypeError(f"{what}: expected integers, got dtype {index._dtype_name}")
