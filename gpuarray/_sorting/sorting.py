# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sorting and partitioning, by radix on CUDA devices and by NumPy on the cpu device."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import normalize_axis, or_default, require_array, require_iterable
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "argpartition",
    "argsort",
    "lexsort",
    "partition",
    "sort",
    "sort_complex",
]

_KINDS = "quicksort", "heapsort", "mergesort", "stable"


def _check_arguments(what: str, kind: str | None, order: Any, stable: bool | None = None) -> None:
    if order is not None:
        raise ValueError(f"{what}: order names fields, of which no dtype here has any")
    if kind is not None and stable is not None:
        raise ValueError(f"{what}: `kind` and `stable` cannot be given both")
    if kind is not None and str(kind).lower() not in _KINDS:
        raise ValueError(f"{what}: kind must be one of {', '.join(_KINDS)}, got {kind!r}")


def _rows(what: str, a: Any, axis: int | None) -> tuple[GPUArray, int]:
    """Return the array and its axis; for None the flattened array and axis 0."""
    a = require_array(what, a)
    if axis is None:
        return a.reshape(-1), 0
    return a, normalize_axis(axis, a.ndim)


def _indexed_rows(what: str, a: Any, axis: int | None) -> tuple[GPUArray, int]:
    """Return _rows(), with an array of no dimensions as a row of one element, as NumPy has it."""
    return _rows(what, a.reshape(1) if require_array(what, a).ndim == 0 else a, axis)


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
    descending = or_default(descending, False)
    a, along = _rows("sort", a, axis)
    return _core._sort_rows(a, along, descending)


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
    descending = or_default(descending, False)
    a, along = _indexed_rows("argsort", a, axis)
    return _core._argsort_rows(a, along, descending)


def _positions(what: str, kth: Any, a: GPUArray, axis: int) -> list[int] | None:
    """Return `kth` counted from the front, None for an empty array, which accepts every `kth`.

    Raises NumPy's error for one out of bounds.
    """
    length = a.shape[axis]
    if type(kth) is int and a.size and -length <= kth < length:
        return [kth % length]
    positions = np.asarray(kth)
    if positions.dtype.kind not in "iu":
        raise TypeError(f"{what}: kth must be integers, got {kth!r}")
    if a.size and ((positions < -length) | (positions >= length)).any():
        raise ValueError(f"{what}: kth={kth} is out of bounds for {length} elements")
    return (positions.reshape(-1) % length).tolist() if a.size else None


@takes_stream
def partition(
    a: GPUArray,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
    *,
    descending: bool | None = None,
) -> GPUArray:
    """Return a copy in which smaller elements than the `kth` come before it, others after it.

    If `descending`, those before it are larger, and NaN comes first.

    On a CUDA device those before and after keep their order if the row is long and `kth` is one
    position: then the element is selected by its digits. Other rows are sorted, which no rule for a
    partition forbids. Queued on the current stream.
    """
    _check_partition("partition", kind, order)
    a, along = _rows("partition", a, axis)
    positions = _positions("partition", kth, a, along)
    if not or_default(descending):
        return _core._sort_rows(a, along, False, positions)
    return _reversed(_core._sort_rows(a, along, False, _from_end(positions, a, along)), along)


@takes_stream
def argpartition(
    a: GPUArray,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
    *,
    descending: bool | None = None,
) -> GPUArray:
    """Return the int64 positions that partition `a`, as `partition`."""
    _check_partition("argpartition", kind, order)
    a, along = _indexed_rows("argpartition", a, axis)
    positions = _positions("argpartition", kth, a, along)
    if not or_default(descending):
        return _core._argsort_rows(a, along, False, True, positions)
    positions = _from_end(positions, a, along)
    return _reversed(_core._argsort_rows(a, along, False, True, positions), along)


def _from_end(positions: list[int] | None, a: GPUArray, axis: int) -> list[int] | None:
    return positions and [a.shape[axis] - 1 - position for position in positions]


def _reversed(a: GPUArray, axis: int) -> GPUArray:
    return a[(slice(None),) * axis + (slice(None, None, -1),)].copy()


def _check_partition(what: str, kind: str, order: Any) -> None:
    if kind != "introselect":
        raise ValueError(f"{what}: kind must be 'introselect', got {kind!r}")
    _check_arguments(what, None, order)


@takes_stream
def sort_complex(a: GPUArray) -> GPUArray:
    """Return a copy sorted along the last axis, complex: of complex64 for 8 and 16-bit integers."""
    made = sort(require_array("sort_complex", a))
    kind = made._dtype_name
    if dtype_kind(kind) == "c":
        return made
    small = kind in ("int8", "uint8", "int16", "uint16")
    return made.astype("complex64" if small else "complex128")


@takes_stream
@numpys_on_cpu(np.lexsort, sequences=True, bools=False)
def lexsort(keys: GPUArray | Sequence[GPUArray], axis: int = -1) -> GPUArray:
    """Return the int64 positions that sort by the last of the keys, then by those before it.

    `keys` are arrays of one shape, or one array whose first axis counts them. Equal elements keep
    their order. Queued on the current stream.
    """
    given = list(require_iterable("lexsort", keys))
    if not given:
        raise TypeError("lexsort: expected at least one key, got none")
    arrays = [require_array("lexsort", key) for key in given]
    shapes = {key.shape for key in arrays}
    if len(shapes) > 1:
        raise ValueError(f"lexsort: the keys must be of one shape, got {sorted(shapes)}")
    if arrays[0].ndim == 0:
        return _core.zeros((), "int64", device=arrays[0].device)
    along = normalize_axis(axis, arrays[0].ndim)
    return _core._lexsort(arrays, along)
