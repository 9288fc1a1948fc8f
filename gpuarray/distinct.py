# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Distinct values of an array, and where and how often they are."""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _core
from gpuarray._arguments import normalize_axis, require_array
from gpuarray._core import GPUArray
from gpuarray._host import on_host
from gpuarray.sorting import argsort, lexsort, sort
from gpuarray.streams import takes_stream

__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAllResult(NamedTuple):
    """Distinct values, where each is first, which of them each element is, and their counts."""

    values: GPUArray
    indices: GPUArray
    inverse_indices: GPUArray
    counts: GPUArray


class UniqueCountsResult(NamedTuple):
    """Distinct values and how often each occurs."""

    values: GPUArray
    counts: GPUArray


class UniqueInverseResult(NamedTuple):
    """Distinct values and which of them each element is."""

    values: GPUArray
    inverse_indices: GPUArray


@takes_stream
def unique(
    ar: GPUArray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the distinct elements in order, or the distinct subarrays along the axis.

    Beside them, in a tuple and all int64: with `return_index` where each is first, with
    `return_inverse` which of them each element is, in the array's shape or along the axis, with
    `return_counts` how often each occurs. NaNs are one value, unless `equal_nan` is False or
    subarrays are compared. The result is sorted whatever `sorted` says. Waits for the number of
    values. Queued on the current stream.
    """
    require_array("unique", ar)
    if ar.device.kind == "cpu":
        return _of_host(ar, return_index, return_inverse, return_counts, axis, equal_nan)
    by_value = axis is None or ar.ndim == 1
    along = 0 if axis is None else normalize_axis(axis, ar.ndim)
    rows = ar.reshape(-1) if by_value else _rows_along(ar, along)
    order = _order(rows) if return_index or return_inverse or not by_value else None
    ordered = sort(rows) if order is None else rows[order]
    begins = _beginnings(ordered, equal_nan and by_value)
    values = ordered[begins]
    found = [values if by_value else _subarrays(values, ar.shape, along)]
    if return_index and order is not None:
        found.append(order[begins])
    if return_inverse:
        inverse = _core.empty(len(rows), "int64", device=ar.device)
        ranks = _core.cumsum(begins) - 1
        _core.put_along_("unique", inverse, order, ranks, 0, "raise", True)
        found.append(inverse.reshape(ar.shape) if axis is None else inverse)
    if return_counts:
        found.append(_lengths(begins))
    return found[0] if len(found) == 1 else tuple(found)


def _order(rows: GPUArray) -> GPUArray:
    """Return what sorts the elements, or the rows by their columns, the first one first."""
    if rows.ndim == 1:
        return argsort(rows)
    if rows.shape[1] == 0:
        from gpuarray import arange

        return arange(len(rows), device=rows.device)
    return lexsort(rows.T[::-1])


def _rows_along(a: GPUArray, axis: int) -> GPUArray:
    from gpuarray import moveaxis

    moved: GPUArray = moveaxis(a, axis, 0)
    return moved.reshape(len(moved), prod(moved.shape[1:]))


def _subarrays(rows: GPUArray, shape: tuple[int, ...], axis: int) -> GPUArray:
    from gpuarray import moveaxis

    made: GPUArray = moveaxis(rows.reshape(len(rows), *shape[:axis], *shape[axis + 1 :]), 0, axis)
    return made


def _beginnings(ordered: GPUArray, equal_nan: bool) -> GPUArray:
    """Return which elements or rows are the first of their value; NaNs are one if `equal_nan`."""
    begins = _core.empty(len(ordered), "bool", device=ordered.device)
    begins[:1] = True
    changes = ordered[1:] != ordered[:-1]
    if equal_nan and np.dtype(ordered.dtype).kind not in "biu":
        nans = _core.isnan(ordered)
        changes &= ~(nans[1:] & nans[:-1])
    begins[1:] = changes.any(axis=1) if ordered.ndim > 1 else changes
    return begins


def _lengths(begins: GPUArray) -> GPUArray:
    """Return how far it is from each beginning to the next one, or to the end."""
    from gpuarray import flatnonzero

    starts = flatnonzero(begins)
    lengths = _core.empty(len(starts), "int64", device=begins.device)
    lengths[:-1] = starts[1:] - starts[:-1]
    lengths[-1:] = len(begins) - starts[-1:]
    return lengths


def _of_host(
    a: GPUArray, index: bool, inverse: bool, counts: bool, axis: int | None, equal_nan: bool
) -> Any:
    made = on_host(np.unique, a, index, inverse, counts, axis, equal_nan=equal_nan)
    if a._dtype_name != "bfloat16":
        return made
    values, *rest = made if isinstance(made, tuple) else (made,)
    values = values.astype("bfloat16")
    return (values, *rest) if rest else values


@takes_stream
def unique_all(x: GPUArray, /) -> UniqueAllResult:
    """Return the distinct elements, where each is first, which each element is, and the counts.

    As `unique` for the array API: each NaN is a value of its own.
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@takes_stream
def unique_counts(x: GPUArray, /) -> UniqueCountsResult:
    """Return the distinct elements and how often each occurs, as `unique_all`."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@takes_stream
def unique_inverse(x: GPUArray, /) -> UniqueInverseResult:
    """Return the distinct elements and which of them each element is, as `unique_all`."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@takes_stream
def unique_values(x: GPUArray, /) -> GPUArray:
    """Return the distinct elements, as `unique_all`."""
    made: GPUArray = unique(x, equal_nan=False)
    return made
