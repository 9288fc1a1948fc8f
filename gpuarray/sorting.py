# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sorting: on CUDA devices by radix sort, on the cpu device by NumPy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._arguments import normalize_axis, require_array
from gpuarray._core import GPUArray
from gpuarray._host import from_host, host_view
from gpuarray.streams import takes_stream

__all__ = [
    "argsort",
    "sort",
]

_KINDS = "quicksort", "heapsort", "mergesort", "stable"


def _check_arguments(what: str, kind: str | None, order: Any, stable: bool | None) -> None:
    if order is not None:
        raise ValueError(f"{what}: order names fields, of which no dtype here has any")
    if kind is not None and stable is not None:
        raise ValueError(f"{what}: `kind` and `stable` cannot be given both")
    if kind is not None and str(kind).lower() not in _KINDS:
        raise ValueError(f"{what}: kind must be one of {', '.join(_KINDS)}, got {kind!r}")


def _rows(what: str, a: Any, axis: int | None) -> tuple[GPUArray, int]:
    """Return the array and its axis; without one all elements in a row."""
    a = require_array(what, a)
    if axis is None:
        return a.reshape(-1), 0
    return a, normalize_axis(axis, a.ndim)


def _host_order(x: np.ndarray[Any, Any], axis: int, descending: bool) -> np.ndarray[Any, Any]:
    if not descending:
        return np.argsort(x, axis=axis, stable=True)
    # Backwards twice, so that equal elements keep their order.
    order = np.argsort(np.flip(x, axis), axis=axis, stable=True)
    return np.flip(x.shape[axis] - 1 - order, axis)


@takes_stream
def sort(
    a: GPUArray,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> GPUArray:
    """Return a copy sorted along the axis, the last by default; all elements in a row for None.

    NaN comes last, or first if `descending`, and complex numbers are ordered by real, then by
    imaginary part. Zeros of either sign are equal, and may change places; other equal elements
    cannot be told apart. `kind` and `stable` are taken as NumPy has them and change nothing.
    Queued on the current stream.
    """
    _check_arguments("sort", kind, order, stable)
    a, along = _rows("sort", a, axis)
    if a.device.kind != "cpu":
        return _core.sort_rows_(a, along, descending)
    made = np.sort(host_view(a), axis=along, stable=True)
    return from_host(np.flip(made, along) if descending else made)


@takes_stream
def argsort(
    a: GPUArray,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> GPUArray:
    """Return the int64 positions that sort `a` along the axis; arguments as those of `sort`.

    Equal elements keep their order, ascending and `descending`. Queued on the current stream.
    """
    _check_arguments("argsort", kind, order, stable)
    a, along = _rows("argsort", a, axis)
    if a.device.kind != "cpu":
        return _core.argsort_rows_(a, along, descending)
    return from_host(_host_order(host_view(a), along, descending))
