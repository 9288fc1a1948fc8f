# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Distinct values of an array, with their first places, counts and inverse indices."""

from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import is_complex, normalize_axis, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange
from gpuarray._indexing.indexing import flatnonzero
from gpuarray._manipulation.manipulation import moveaxis
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.sorting import lexsort

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
@numpys_on_cpu(np.unique, bools=False)
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
    by_value = axis is None or ar.ndim == 1
    along = 0 if axis is None else normalize_axis(axis, ar.ndim)
    rows = ar.reshape(-1) if by_value else _rows_along(ar, along)
    if by_value and not (return_index or return_inverse or return_counts):
        values: GPUArray | None = _core._distinct_values(rows, equal_nan)
        if values is not None:
            return values
    wants_order = return_index or return_inverse or not by_value
    ordered, order = _in_order(rows, wants_order, return_index)
    distinct = partial(_core._distinct, equal_nan=equal_nan) if by_value else _distinct_rows
    values, firsts, indices, starts = distinct(
        ordered, order=order if return_index else None, starts=return_counts
    )
    is_plain = not (return_index or return_inverse or return_counts)
    if is_plain and by_value and equal_nan and is_complex(ar):
        _take_first_nan(values, rows)
    found = [values if by_value else _subarrays(values, ar.shape, along)]
    if indices is not None:
        found.append(indices)
    if return_inverse and order is not None:
        inverse = _core.empty(len(rows), "int64", device=ar.device)
        firsts[:1] = False  # so that ranks count from 0
        ranks = _core.cumsum(firsts)
        _core._put_along("unique", inverse, order, ranks, 0, "raise", True)
        found.append(inverse.reshape(ar.shape) if axis is None else inverse)
    if starts is not None:
        found.append(_lengths(starts, len(rows)))
    return found[0] if len(found) == 1 else tuple(found)


def _in_order(rows: GPUArray, wants_order: bool, stable: bool) -> tuple[GPUArray, GPUArray | None]:
    """Return sorted elements, or rows sorted by their columns in order, and the indices of both.

    The indices are always those of rows, and those of elements if `wants_order`.
    """
    if rows.ndim == 1:
        if wants_order:
            return _core._sort_with_order(rows, stable)
        return _core._sort_rows(rows, 0, False), None
    columns = _sort_keys(rows).T[::-1]
    order = lexsort(columns) if len(columns) else arange(len(rows), device=rows.device)
    return rows[order], order


def _sort_keys(rows: GPUArray) -> GPUArray:
    """Return what sorts rows in NumPy's order, in which NaN of float16, and no other, comes first.

    No number of float16 is beyond 65504.
    """
    if rows._dtype_name != "float16":
        return rows
    wide = rows.astype("float32")
    return _core.where(_core.isnan(wide), -1e6, _core.maximum(wide, -1e5))


def _take_first_nan(values: GPUArray, elements: GPUArray) -> None:
    """Replace the NaN at the end of distinct complex values, if there is one, by the first NaN.

    NaNs differ in their other parts. NumPy takes the first one unless it counts or gives indices.
    """
    if values.size == 0:
        return
    first = elements[_core.argmax(_core.isnan(elements)).reshape(1)]
    values[-1:] = _core.where(_core.isnan(values[-1:]), first, values[-1:])


def _rows_along(a: GPUArray, axis: int) -> GPUArray:
    moved: GPUArray = moveaxis(a, axis, 0)
    return moved.reshape(len(moved), prod(moved.shape[1:]))


def _subarrays(rows: GPUArray, shape: tuple[int, ...], axis: int) -> GPUArray:
    made: GPUArray = moveaxis(rows.reshape(len(rows), *shape[:axis], *shape[axis + 1 :]), 0, axis)
    return made


def _distinct_rows(
    ordered: GPUArray, order: GPUArray | None, starts: bool
) -> tuple[GPUArray, GPUArray, GPUArray | None, GPUArray | None]:
    """Return for sorted rows what `_core._distinct` returns for elements; each NaN is distinct."""
    firsts = _core.empty(len(ordered), "bool", device=ordered.device)
    firsts[:1] = True
    firsts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return (
        ordered[firsts],
        firsts,
        None if order is None else order[firsts],
        flatnonzero(firsts) if starts else None,
    )


def _lengths(starts: GPUArray, end: int) -> GPUArray:
    """Return the distance from each start to the next one, and from the last start to `end`."""
    lengths = _core.empty(len(starts), "int64", device=starts.device)
    lengths[:-1] = starts[1:] - starts[:-1]
    lengths[-1:] = end - starts[-1:]
    return lengths


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
