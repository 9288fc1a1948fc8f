# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The largest or smallest elements of rows, by selection from long rows and sorts of short ones."""

from typing import Any, NamedTuple

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import normalize_axis, require_array, require_integers
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._runtime.streams import takes_stream

__all__ = ["top_k"]

# Rows of the cpu device are selected from one by one, which pays where a row is this much longer
# than what is kept of it, and this long: measured against a sort of all rows at once.
_MIN_LENGTH = 4096
_MIN_RATIO = 8


class TopKResult(NamedTuple):
    """The chosen elements, best first, and their int64 positions along the axis."""

    values: GPUArray
    indices: GPUArray


@takes_stream
def top_k(
    x: GPUArray,
    k: int,
    axis: int | None = -1,
    *,
    largest: bool | None = None,
    mode: str = "largest",
    sorted: bool = True,
) -> TopKResult:
    """Return the k largest or smallest elements along the axis, best first, and their positions.

    Both have the shape of `x` with k in place of the extent; `axis` None takes `x` as flattened.
    `indices` are int64. Of equal elements the first come first. NaN counts as larger than all
    numbers, as in a sort, and complex numbers are ordered by real, then by imaginary part.
    `mode` is "largest" or "smallest"; `largest=False` is the latter. The elements are in order
    whether they need be `sorted` or not. ValueError for another mode, and for a k that is negative
    or exceeds the extent. Queued on the current stream.
    """
    a = require_array("top_k", x)
    if mode not in ("largest", "smallest"):
        raise ValueError(f"top_k: mode must be 'largest' or 'smallest', got {mode!r}")
    if largest and mode == "smallest":
        raise ValueError("top_k: mode='smallest' contradicts largest=True; leave one out")
    is_largest = mode == "largest" if largest is None else bool(largest)
    (count,) = require_integers("top_k", k=k)
    a = a.reshape(-1) if axis is None or a.ndim == 0 else a
    along = 0 if axis is None else normalize_axis(axis, a.ndim)
    length = a.shape[along]
    if not 0 <= count <= length:
        raise ValueError(
            f"top_k: k must be from 0 to {length}, the extent of axis {along}, got {count}"
        )
    if _is_selected(a, count, length):
        return _selected(a, count, along, is_largest)
    if (best := _core._select_rows(a, along, count, is_largest)) is not None:
        return TopKResult(*best)
    first = (slice(None),) * along + (slice(count),)
    # A copy, so that the positions that are not chosen are freed.
    indices = _core._argsort_rows(a, along, is_largest)[first].copy()
    return TopKResult(take_along_axis(a, indices, along), indices)


def _is_selected(a: GPUArray, count: int, length: int) -> bool:
    if a.device.kind != "cpu" or count == 0 or a.size == 0:
        return False
    is_ordered = dtype_kind(a._dtype_name) in "iuf" and a._dtype_name != "bfloat16"
    return is_ordered and length >= max(_MIN_LENGTH, _MIN_RATIO * count)


def _selected(a: GPUArray, count: int, along: int, largest: bool) -> TopKResult:
    # The copy cannot change between the passes over it.
    host = np.moveaxis(a.get(), along, -1)
    rows = host.reshape(-1, host.shape[-1])
    shape = (*host.shape[:-1], count)
    indices = np.stack([_best(row, count, largest) for row in rows]).reshape(shape)
    values = np.take_along_axis(host, indices, -1)
    made = (np.ascontiguousarray(np.moveaxis(part, -1, along)) for part in (values, indices))
    return TopKResult(*(_core.to_device(part, device=a.device) for part in made))


def _best(row: np.ndarray[Any, Any], count: int, largest: bool) -> np.ndarray[Any, Any]:
    """Return the positions of the best elements of a row, best first and equal ones in order."""
    place = len(row) - count if largest else count - 1
    bound = np.partition(row, place)[place]
    # A bound of NaN excludes nothing; and NaN, which no bound excludes, is sorted where it belongs.
    places = np.flatnonzero(~(row < bound) if largest else ~(row > bound))
    elements = _core.to_device(row[places], device="cpu")
    order = _core._argsort_rows(elements, 0, largest).get()
    chosen: np.ndarray[Any, Any] = places[order[:count]]
    return chosen
