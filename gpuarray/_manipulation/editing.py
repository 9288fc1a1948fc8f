# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that copy an array with slices added or left out."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import host_values, normalize_axes, normalize_axis, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._manipulation.manipulation import concatenate
from gpuarray._runtime.streams import takes_stream

__all__ = ["append", "delete", "insert", "trim_zeros"]


@takes_stream
def append(arr: GPUArray, values: Any, axis: int | None = None) -> GPUArray:
    """Return a copy with `values`, an array, a number or a list, at the end of an axis.

    Without an axis both are flattened.
    """
    require_array("append", arr)
    values = host_values("append", values, arr)
    return concatenate([arr, values if axis is not None else values.ravel()], axis)


@takes_stream
@numpys_on_cpu(np.delete)
def delete(arr: GPUArray, obj: Any, axis: int | None = None) -> GPUArray:
    """Return a copy without the slices along an axis that `obj` selects.

    `obj` is an int, a slice, or a sequence or array of ints or a mask: a GPUArray is waited for.
    Without an axis the array is flattened. IndexError for indices out of range.
    """
    require_array("delete", arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis(axis, arr.ndim)
    extent = arr.shape[axis]
    left_out = _places("delete", arr, obj, extent)
    if isinstance(left_out, int):
        left_out = slice(left_out, left_out + 1)
    before: tuple[Any, ...] = (slice(None),) * axis
    if (runs := _runs_between(left_out, extent)) is not None:
        return concatenate([arr[(*before, run)] for run in runs], axis)
    return arr[(*before, _others(arr, left_out, extent))]


# The places between which slices are copied one by one, in the stead of indices for all others.
_MOST_PLACES = 32


def _runs_between(places: Any, extent: int) -> list[slice] | None:
    """Return the slices between places, or None if they are many or not on the host."""
    if isinstance(places, slice):
        found = range(extent)[places]
        if abs(found.step) == 1 and found:
            return [slice(0, min(found)), slice(max(found) + 1, extent)]
        if len(found) <= _MOST_PLACES:
            places = np.array(found, np.intp)
    elif isinstance(places, np.ndarray) and places.dtype == bool:
        places = np.flatnonzero(places)
    if not isinstance(places, np.ndarray) or places.size > _MOST_PLACES:
        return None
    known = sorted({place % extent for place in places.ravel().tolist()})
    return [slice(*run) for run in zip([0, *(k + 1 for k in known)], [*known, extent], strict=True)]


def _others(arr: GPUArray, places: Any, extent: int) -> GPUArray:
    """Return the other places: as indices if the host knows them, else as a mask."""
    if isinstance(places, GPUArray):
        mask = _core.ones(extent, bool, device=arr.device)
        mask[places] = False
        return mask
    kept = np.ones(extent, bool)
    kept[places] = False
    return _on(arr, np.flatnonzero(kept))


def _places(what: str, arr: GPUArray, obj: Any, extent: int) -> Any:
    """Return the places to edit as a slice, an int in [0, extent), integers or a mask.

    Those of a GPUArray are one of the device of `arr`, others are on the host.
    """
    if isinstance(obj, slice):
        return obj
    if isinstance(obj, GPUArray):
        chosen: Any = _on(arr, obj) if obj.ndim else obj.get()
    else:
        chosen = np.asarray(obj)
    if chosen.dtype == bool and what == "insert" and chosen.ndim:
        # A mask for insert() may have any length.
        (chosen,) = chosen.ravel().nonzero()
    if chosen.dtype == bool:
        if chosen.shape != (extent,):
            raise ValueError(f"{what}: expected a mask of {extent} elements, got {chosen.shape}")
        return chosen
    if chosen.size == 0 and not isinstance(obj, np.ndarray | GPUArray):
        chosen = chosen.astype(np.intp)
    if chosen.dtype.kind not in "iu":
        error = TypeError if what == "insert" else IndexError  # NumPy raises these types too.
        raise error(f"{what}: expected integers, a slice or a mask, got {chosen.dtype}")
    last = extent if what == "insert" else extent - 1
    for index in (int(chosen.min()), int(chosen.max())) if chosen.size else ():
        if not -extent <= index <= last:
            raise IndexError(f"index {index} is out of bounds for axis with size {extent}")
    return int(chosen) % max(extent, 1) if chosen.ndim == 0 and what == "delete" else chosen


@takes_stream
@numpys_on_cpu(np.insert)
def insert(arr: GPUArray, obj: Any, values: Any, axis: int | None = None) -> GPUArray:
    """Return a copy with `values` inserted along an axis before the indices that `obj` selects.

    `obj` is an int, a slice, or a sequence or array of ints or a mask: a GPUArray is waited for.
    The values, an array, a number or a list, broadcast and are cast to the array's dtype as in an
    assignment. Without an axis the array is flattened. IndexError for indices out of range.
    """
    require_array("insert", arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis(axis, arr.ndim)
    extent = arr.shape[axis]
    values = host_values("insert", values, arr, arr._dtype_name)
    values = values.astype(arr._dtype_name, copy=False)
    places = _insertions(arr, obj, extent)
    values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    before: tuple[Any, ...] = (slice(None),) * axis
    if places.size == 1:
        at = places.item() + (extent if places.item() < 0 else 0)
        # An integer drops the axis, as in a[i] = values, so the values are given the axis again.
        if places.ndim == 0:
            values = values.transpose([*range(1, axis + 1), 0, *range(axis + 1, values.ndim)])
        count = values.shape[axis]
        made = _longer(arr, axis, count)
        made[(*before, slice(at))] = arr[(*before, slice(at))]
        made[(*before, slice(at, at + count))] = values
        made[(*before, slice(at + count, None))] = arr[(*before, slice(at, None))]
        return made
    places += (places < 0) * extent
    order = places.argsort(kind="stable")
    places = places[order] + (
        _core._arange(places.size, 0, 1, "int64", arr.device)
        if isinstance(places, GPUArray)
        else np.arange(places.size)
    )
    if values.shape[axis] == places.size != 1:
        values = _core._take("insert", values, _on(arr, order), axis, "raise")
    made = _longer(arr, axis, places.size)
    runs = _runs_between(places, made.shape[axis])
    others: Any = _others(arr, places, made.shape[axis]) if runs is None else None
    # The places are in order, so a mask of them is served the values in order, too.
    inserted = ~others if isinstance(places, GPUArray) else _on(arr, places)
    made[(*before, inserted)] = values
    if runs is None:
        made[(*before, others)] = arr
        return made
    begin = 0
    for run in runs:
        end = begin + run.stop - run.start
        made[(*before, run)] = arr[(*before, slice(begin, end))]
        begin = end
    return made


def _insertions(arr: GPUArray, obj: Any, extent: int) -> Any:
    places = _places("insert", arr, obj, extent)
    if isinstance(places, slice):
        return np.arange(*places.indices(extent), dtype=np.intp)
    if places.ndim > 1:
        raise ValueError(f"insert: expected indices of one dimension, got {places.ndim}")
    return places.astype("int64")  # a copy


def _longer(arr: GPUArray, axis: int, more: int) -> GPUArray:
    shape = (*arr.shape[:axis], arr.shape[axis] + more, *arr.shape[axis + 1 :])
    return _core.empty(shape, arr._dtype_name, device=arr.device)


def _on(arr: GPUArray, index: Any) -> GPUArray:
    return asarray(index, device=arr.device)


@takes_stream
def trim_zeros(filt: GPUArray, trim: str = "fb", axis: Any = None) -> GPUArray:
    """Return a view without the zeros at the front ("f") and the back ("b") of all or some axes.

    Slices of an axis are left out if all their elements are zero. Waits for the device.
    """
    require_array("trim_zeros", filt)
    sides = trim.lower() if isinstance(trim, str) else None
    if sides is None:
        raise TypeError(f"trim_zeros: trim is made of 'f' and 'b', got {type(trim).__name__}")
    if sides not in ("f", "b", "fb", "bf"):
        raise ValueError(f"trim_zeros: trim is made of 'f' and 'b', got {trim!r}")
    axes = normalize_axes("trim_zeros", axis, filt.ndim)
    key = [slice(None)] * filt.ndim
    kept = _core.not_equal(filt, 0)
    for one in axes:
        others = tuple(other for other in range(filt.ndim) if other != one)
        places = _core._nonzero(kept.any(axis=others) if others else kept)[0]
        key[one] = slice(0, 0)
        if places.size:
            start = places[0].item() if "f" in sides else None
            key[one] = slice(start, places[-1].item() + 1 if "b" in sides else None)
    return filt[tuple(key)]
