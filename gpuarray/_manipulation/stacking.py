# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that join arrays side by side, with new dimensions where that needs them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import require_array, require_iterable
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray
from gpuarray._manipulation.manipulation import concatenate, joined_later
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "column_stack",
    "dstack",
    "hstack",
    "row_stack",
    "vstack",
]


@takes_lists
def atleast_1d(*arys: GPUArray) -> Any:
    """Return the array, or a view of one dimension; of several arrays a tuple."""
    return _each("atleast_1d", arys, _one)


@takes_lists
def atleast_2d(*arys: GPUArray) -> Any:
    """Return the array, or a view of two dimensions as one row; of several arrays a tuple."""
    return _each("atleast_2d", arys, _two)


@takes_lists
def atleast_3d(*arys: GPUArray) -> Any:
    """Return the array, or a view of three dimensions, the last of extent 1; of several a tuple."""
    return _each("atleast_3d", arys, _three)


def _each(what: str, arys: Sequence[GPUArray], change: Callable[[GPUArray], GPUArray]) -> Any:
    made = tuple(change(require_array(what, a)) for a in arys)
    return made[0] if len(made) == 1 else made


def _one(a: GPUArray) -> GPUArray:
    return a if a.ndim else a.reshape(1)


def _two(a: GPUArray) -> GPUArray:
    return a if a.ndim > 1 else _one(a)[None]


def _three(a: GPUArray) -> GPUArray:
    return a if a.ndim > 2 else a[..., None] if a.ndim == 2 else _one(a)[None, :, None]


def _parts(what: str, tup: Sequence[GPUArray], change: Callable[[GPUArray], GPUArray]) -> Any:
    require_iterable(what, tup)
    # NumPy takes an array for the sequence of its parts along the first axis.
    if isinstance(tup, GPUArray):
        tup = list(tup)
    parts = [change(require_array(what, a)) for a in tup]
    if not parts:
        raise ValueError(f"{what}: need at least one array")
    return parts


@takes_stream
def hstack(tup: Sequence[GPUArray], *, dtype: Any = None, casting: str = "same_kind") -> GPUArray:
    """Join arrays along the second axis, or the first where that is the only one."""
    if dtype is not None or casting != "same_kind":
        return _hstack(tup, dtype=dtype, casting=casting)
    joined = joined_later(tup, min(_ndim(tup) - 1, 1))
    return _hstack(tup) if joined is None else joined


def _ndim(tup: Any) -> int:
    return getattr(tup[0], "ndim", 1) or 1 if type(tup) in (list, tuple) and tup else 1


@numpys_on_cpu(np.hstack, sequences=True)
def _hstack(tup: Sequence[GPUArray], *, dtype: Any = None, casting: str = "same_kind") -> GPUArray:
    parts = _parts("hstack", tup, _one)
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@takes_stream
def vstack(tup: Sequence[GPUArray], *, dtype: Any = None, casting: str = "same_kind") -> GPUArray:
    """Join arrays along the first axis, those of one dimension as rows."""
    if dtype is not None or casting != "same_kind":
        return _vstack(tup, dtype=dtype, casting=casting)
    joined = joined_later(tup, 0, is_new=_ndim(tup) == 1)
    return _vstack(tup) if joined is None else joined


@numpys_on_cpu(np.vstack, sequences=True)
def _vstack(tup: Sequence[GPUArray], *, dtype: Any = None, casting: str = "same_kind") -> GPUArray:
    return concatenate(_parts("vstack", tup, _two), 0, dtype=dtype, casting=casting)


# NumPy's older name.
row_stack = vstack


@takes_stream
@numpys_on_cpu(np.dstack, sequences=True)
def dstack(tup: Sequence[GPUArray]) -> GPUArray:
    """Join arrays along the third axis, which those of fewer dimensions are given."""
    return concatenate(_parts("dstack", tup, _three), 2)


@takes_stream
@numpys_on_cpu(np.column_stack, sequences=True)
def column_stack(tup: Sequence[GPUArray]) -> GPUArray:
    """Join arrays along the second axis, those of one dimension as columns."""
    return concatenate(_parts("column_stack", tup, _column), 1)


def _column(a: GPUArray) -> GPUArray:
    return a if a.ndim > 1 else _one(a)[:, None]


@takes_stream
@numpys_on_cpu(np.block, sequences=True)
def block(arrays: Any) -> GPUArray:
    """Join nested lists of arrays and numbers: the innermost along the last axis, and so on.

    ValueError for lists nested to different depths and for empty ones. Queued on the current
    stream.
    """
    depth, leaves = _nesting(arrays, 0)
    like = next((leaf for leaf in leaves if isinstance(leaf, GPUArray)), None)
    if like is None:
        like = _core.full((), leaves[0])
    ndim = max(depth, *(leaf.ndim if isinstance(leaf, GPUArray) else 0 for leaf in leaves))
    made = _joined(arrays, depth, ndim, like)
    return made.copy() if depth == 0 or made is like or made.base is not None else made


def _nesting(arrays: Any, depth: int) -> tuple[int, list[Any]]:
    """Return the depth of the nested lists, and a flat list of what they hold."""
    if isinstance(arrays, tuple):
        raise TypeError("block: expected lists, got a tuple")
    if not isinstance(arrays, list):
        return depth, [arrays]
    if not arrays:
        raise ValueError("block: a list is empty")
    if depth == 64:
        raise ValueError("block: lists are nested deeper than an array has dimensions, 64")
    found = [_nesting(one, depth + 1) for one in arrays]
    depths = {one[0] for one in found}
    if len(depths) > 1:
        raise ValueError(f"block: list depths are mismatched: {sorted(depths)}")
    return depths.pop(), [leaf for one in found for leaf in one[1]]


def _joined(arrays: Any, depth: int, ndim: int, like: GPUArray) -> GPUArray:
    if isinstance(arrays, list):
        parts = [_joined(one, depth - 1, ndim, like) for one in arrays]
        return concatenate(parts, -depth) if len(parts) > 1 else parts[0]
    if isinstance(arrays, GPUArray):
        return arrays.reshape((1,) * (ndim - arrays.ndim) + arrays.shape)
    return _core.full((1,) * ndim, arrays, device=like.device)
