# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that reorder, repeat or shift elements, as views or copies of slices."""

import math
import operator
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    as_extents,
    normalize_axes,
    normalize_axis,
    require_array,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._runtime.streams import takes_stream

__all__ = ["flip", "fliplr", "flipud", "repeat", "resize", "roll", "rot90", "tile"]

_BACKWARDS = slice(None, None, -1)
# The most pieces of an axis, and their most elements, that _core._read_pieces() takes.
_MOST_PIECES, _MOST_ELEMENTS = 3, 1 << 60


@takes_lists
def flip(m: GPUArray, axis: int | tuple[int, ...] | None = None) -> GPUArray:
    """Return a view with the elements in reverse order along an axis, several or all."""
    require_array("flip", m)
    reversed_axes = normalize_axes("flip", axis, m.ndim)
    return m[tuple(_BACKWARDS if i in reversed_axes else slice(None) for i in range(m.ndim))]


@takes_lists
def fliplr(m: GPUArray) -> GPUArray:
    """Return a view with axis 1 reversed. ValueError for fewer than two dimensions."""
    if require_array("fliplr", m).ndim < 2:
        raise ValueError(f"fliplr: expected at least two dimensions, got shape {m.shape}")
    return m[:, _BACKWARDS]


@takes_lists
def flipud(m: GPUArray) -> GPUArray:
    """Return a view with axis 0 reversed. ValueError for an array of no dimensions."""
    if require_array("flipud", m).ndim < 1:
        raise ValueError("flipud: expected at least one dimension, got an array of none")
    return m[_BACKWARDS]


@takes_lists
def rot90(m: GPUArray, k: int = 1, axes: Any = (0, 1)) -> GPUArray:
    """Return a view rotated `k` times by 90 degrees, from the first of two axes to the second."""
    require_array("rot90", m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError(f"rot90: expected two axes, got {axes}")
    first, second = (normalize_axis(axis, m.ndim) for axis in axes)
    if first == second:
        raise ValueError(f"rot90: axes must be different, got {axes}")
    turns = k % 4
    if turns == 0:
        return m[...]
    if turns == 2:
        return flip(m, (first, second))
    return flip(m, second).swapaxes(first, second) if turns == 1 else _turned_back(m, first, second)


def _turned_back(m: GPUArray, first: int, second: int) -> GPUArray:
    return flip(m.swapaxes(first, second), second)


@takes_stream
def roll(a: GPUArray, shift: Any, axis: Any = None) -> GPUArray:
    """Return a copy shifted along the axes, in which what leaves at the end enters at the start.

    `shift` and `axis` are ints or sequences that broadcast; without an axis the flattened elements
    are shifted. Queued on the current stream.
    """
    require_array("roll", a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    shifts = [0] * a.ndim
    if type(shift) is int and type(axis) is int:
        shifts[normalize_axis(axis, a.ndim)] = shift
    else:
        axes = [normalize_axis(one, a.ndim) for one in (axis if np.iterable(axis) else (axis,))]
        pairs = np.broadcast(shift, axes)
        if pairs.ndim > 1:
            raise ValueError("roll: shift and axis should be scalars or 1D sequences")
        for by, one in pairs:
            shifts[one] += int(by)  # NumPy accepts floats, too.
    # Python's numbers have no bound.
    return _core._roll(a, [by % n if n else 0 for by, n in zip(shifts, a.shape, strict=True)])


@takes_stream
def tile(A: GPUArray, reps: Any) -> GPUArray:  # noqa: N803
    """Return the array repeated `reps` times along each axis, with as many axes as either has."""
    require_array("tile", A)
    if type(reps) is not int:
        counts = [operator.index(n) for n in (reps if np.iterable(reps) else (reps,))]
    else:
        counts = [reps]
    extents = A.shape
    ndim = len(extents)
    if len(counts) < ndim:
        counts = [1] * (ndim - len(counts)) + counts
    elif len(counts) > ndim:
        extents = (1,) * (len(counts) - ndim) + extents
    if min(counts, default=0) < 0:
        raise ValueError(f"tile: negative dimensions are not allowed, got repetitions {reps}")
    axes = []
    for count, extent in zip(counts, extents, strict=True):
        if count > (_MOST_ELEMENTS if extent == 1 else _MOST_PIECES):
            return _tile_often(A, counts)
        axes.append([(count, 0, 0)] if extent == 1 else [(extent, 0, 1)] * count)
    return _core._read_pieces("tile", A if len(extents) == ndim else A.reshape(extents), axes)


@numpys_on_cpu(np.tile)
def _tile_often(a: GPUArray, counts: list[int]) -> GPUArray:
    """Return tile() by a number for each axis, of which the array may have fewer."""
    extents = (1,) * (len(counts) - a.ndim) + a.shape
    made = _core.empty(
        tuple(n * m for n, m in zip(counts, extents, strict=True)), a._dtype_name, device=a.device
    )
    # A repeated axis becomes two, of which the source has the inner one. Axes of extent 1 are left
    # out, so that the number of dimensions stays within the limit.
    target: list[int] = []
    source: list[int] = []
    for count, extent in zip(counts, extents, strict=True):
        target += [n for n in (count, extent) if n != 1]
        source += [one for one, n in ((1, count), (extent, extent)) if n != 1]
    if made.size:
        made.reshape(target)[...] = a.reshape(source)
    return made


@takes_stream
def repeat(a: GPUArray, repeats: Any, axis: int | None = None) -> GPUArray:
    """Return a copy in which each element along the axis is repeated, of all without an axis.

    `repeats` is an int, or a number for each element in an array or sequence: from a GPUArray these
    are waited for, since the shape depends on them. ValueError for negative numbers and where
    there are neither one nor as many as elements. Queued on the current stream.
    """
    # NumPy takes an array of no dimensions for a row of one element.
    if require_array("repeat", a).ndim == 0:
        a = a.reshape(1)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalize_axis(axis, a.ndim)
    extent = a.shape[axis]
    if not isinstance(repeats, GPUArray | np.ndarray):
        repeats = np.asarray(repeats)
        if repeats.size == 0 or repeats.dtype.kind == "u":
            repeats = repeats.astype("int64")
    if repeats.dtype.kind not in "biu":
        raise TypeError(f"repeat: expected integers as repeats, got dtype {repeats.dtype}")
    if repeats.dtype == "uint64":
        raise TypeError("repeat: cannot cast repeats from uint64 to int64 with casting 'safe'")
    if repeats.ndim > 1:
        raise ValueError(f"repeat: repeats has shape {repeats.shape}, expected one dimension")
    if repeats.size == 1:
        count = int(repeats.reshape(()).item())
        if extent > _MOST_PIECES or not 0 <= count <= _MOST_ELEMENTS:
            return _repeat_all(a, count, axis)
        axes = [[(n, 0, 1)] for n in a.shape]
        axes[axis] = [(count, i, 0) for i in range(extent)]
        return _core._read_pieces("repeat", a, axes)
    if repeats.shape != (extent,):
        raise ValueError(f"repeat: got {repeats.size} repeats for axis {axis} of extent {extent}")
    return _repeat_each(a, repeats, axis)


@numpys_on_cpu(np.repeat)
def _repeat_all(a: GPUArray, count: int, axis: int) -> GPUArray:
    if count < 0:
        raise ValueError(f"repeat: repeats may not be negative, got {count}")
    before, extent, after = math.prod(a.shape[:axis]), a.shape[axis], math.prod(a.shape[axis + 1 :])
    shape = (*a.shape[:axis], extent * count, *a.shape[axis + 1 :])
    made = _core.empty(shape, a._dtype_name, device=a.device)
    if made.size:
        source = a.reshape(before, extent, 1, after)
        made.reshape(before, extent, count, after)[...] = source
    return made


@numpys_on_cpu(np.repeat)
def _repeat_each(a: GPUArray, repeats: Any, axis: int) -> GPUArray:
    if isinstance(repeats, GPUArray):
        ends = _core.cumsum(repeats, dtype="int64")
        if repeats.size and bool(_core.min(repeats) < 0):
            raise ValueError("repeat: repeats may not be negative")
        total = int(ends[-1]) if repeats.size else 0
        places = _core._arange(total, 0, 1, "int64", a.device)
        index = ends.searchsorted(places, "right")
    else:
        if repeats.size and repeats.min() < 0:
            raise ValueError(f"repeat: repeats may not be negative, got {repeats.min()}")
        index = asarray(np.repeat(np.arange(repeats.size), repeats), device=a.device)
    return a.take(index, axis)


@takes_stream
def resize(a: GPUArray, new_shape: Any) -> GPUArray:
    """Return a new array of this shape with the flattened elements, over and over; 0 if none."""
    require_array("resize", a)
    shape = as_extents(new_shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"resize: all elements of new_shape must be non-negative, got {shape}")
    if a.size == 0:
        return _core.zeros(shape, a._dtype_name, device=a.device)
    made = _core.empty(shape, a._dtype_name, device=a.device)
    flat, source = made.reshape(-1), a.ravel()
    whole, rest = divmod(flat.size, a.size)
    if whole:
        flat[: whole * a.size].reshape(whole, a.size)[...] = source
    if rest:
        flat[whole * a.size :] = source[:rest]
    return made
