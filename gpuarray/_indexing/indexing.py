# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that choose elements by arrays of indices and by masks, as NumPy's do."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    cast_value,
    host_value,
    host_values,
    normalize_axis,
    require_array,
    require_copy_of,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import Target
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "argwhere",
    "compress",
    "count_nonzero",
    "extract",
    "flatnonzero",
    "nonzero",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "take",
    "take_along_axis",
]


@takes_stream
def take(
    a: GPUArray,
    indices: Any,
    axis: int | None = None,
    out: GPUArray | None = None,
    mode: str = "raise",
) -> GPUArray:
    """Return the elements at `indices` along an axis; of all elements in C order for None.

    `indices`: integers of any shape, which takes the axis's place; negative ones count from the
    end. `mode` "raise": IndexError for one out of bounds, at the next wait for the device;
    "wrap" and "clip" bring it within them. Returns a new array, or `out` of the result's shape.
    Queued on the current stream.
    """
    require_array("take", a)
    source = a.ravel() if axis is None or a.ndim == 0 else a
    at = 0 if axis is None else normalize_axis(axis, source.ndim)
    chosen = _indices("take", indices, source)
    if out is not None:
        shape = source.shape[:at] + chosen.shape + source.shape[at + 1 :]
        require_copy_of("take", out, shape, a._dtype_name)
        if out._dtype_name != a._dtype_name:
            out[...] = _core._take("take", source, chosen, at, mode)
            return out
    return _core._take("take", source, chosen, at, mode, out)


def _indices(what: str, indices: Any, like: GPUArray) -> Any:
    """Return indices in a form that _core takes; TypeError if they are not integers."""
    if not isinstance(indices, GPUArray):
        indices = np.asarray(indices) if np.size(indices) else np.asarray(indices, np.int64)
    kind = indices._dtype_name if isinstance(indices, GPUArray) else indices.dtype.name
    if kind == "bool":
        return indices.astype("int64")
    if "int" not in kind:
        raise TypeError(f"{what}: indices must be integers, got {kind}")
    return indices


@takes_stream
def take_along_axis(arr: GPUArray, indices: Any, axis: int | None = -1) -> GPUArray:
    """Return arr's elements at `indices` along an axis, one for each index.

    The two have as many dimensions, and broadcast but for the axis; None takes all elements of
    `arr` in C order, by indices of one dimension. An index out of bounds is an IndexError at the
    next wait for the device. Queued on the current stream.
    """
    source, at = _along("take_along_axis", arr, indices, axis)
    return _core._take_along("take_along_axis", source, indices, at)


@takes_stream
def put_along_axis(arr: Target, indices: Any, values: Any, axis: int | None) -> None:
    """Set arr's elements at `indices` along an axis, as take_along_axis reads them.

    `values` is a scalar or an array that broadcasts against the indices. Of several values for
    one element the last one stays. Queued on the current stream.
    """
    target, at = _along("put_along_axis", arr, indices, axis)
    _core._put_along("put_along_axis", target, indices, values, at, "raise")
    # The target is a flat copy if the array is not contiguous, and has to be written back.
    if target.ptr != arr.ptr:
        arr[...] = target.reshape(arr.shape)


def _along(what: str, arr: Any, indices: Any, axis: int | None) -> tuple[GPUArray, int]:
    require_array(what, arr)
    kind = indices._dtype_name if isinstance(indices, GPUArray) else np.asarray(indices).dtype.name
    if "int" not in kind:
        raise IndexError(f"{what}: `indices` must be an integer array, got {kind}")
    source = arr.ravel() if axis is None else arr
    ndim = indices.ndim if isinstance(indices, GPUArray) else np.ndim(indices)
    if ndim != source.ndim:
        dims = "one dimension" if axis is None else "the same number of dimensions"
        raise ValueError(f"{what}: `indices` and `arr` must have {dims}, got {ndim}")
    return source, 0 if axis is None else normalize_axis(axis, arr.ndim)


@takes_stream
@numpys_on_cpu(np.put)
def put(a: Target, ind: Any, v: Any, mode: str = "raise") -> None:
    """Set the elements at `ind`, counted in C order, to `v`, which is repeated as needed.

    `v` is a GPUArray, a scalar or a list of them, cast as in an assignment.

    Of several values for one element the last one stays. `mode` as for take. Queued on the
    current stream.
    """
    require_array("put", a)
    chosen = _indices("put", ind, a).reshape(-1)
    if chosen.size and a.size == 0:
        raise IndexError("put: cannot replace elements of an empty array")
    v = host_value("put", v, a, a._dtype_name)
    if isinstance(v, GPUArray) and v.size == 0:
        return
    v = _cycle("put", v, chosen.size, a)
    flat = a.reshape(-1)
    _core._put_along("put", flat, chosen, v, 0, mode)
    if flat.ptr != a.ptr:
        a[...] = flat.reshape(a.shape)


def _cycle(what: str, values: Any, count: int, like: GPUArray) -> Any:
    """Return the flattened values repeated to `count` elements; a single value stays as it is."""
    if not isinstance(values, GPUArray) or values.ndim == 0:
        return values
    flat = values.reshape(-1)
    if flat.size == 1:
        return flat.reshape(())
    if flat.size >= count:
        return flat[:count]
    places = _core.remainder(_counting(count, like), flat.size)
    return _core._take(what, flat, places, 0, "raise")


def _counting(count: int, like: GPUArray) -> GPUArray:
    return arange(count, dtype="int64", device=like.device)


def _is_true(a: GPUArray) -> GPUArray:
    return a if a._dtype_name == "bool" else _core.not_equal(a, 0)


@takes_stream
def nonzero(a: GPUArray) -> tuple[GPUArray, ...]:
    """Return the indices of the elements that are not zero, in C order: an int64 array an axis.

    Waits for the device, on which the number of elements is counted; CaptureError under capture.
    """
    require_array("nonzero", a)
    if a.ndim == 0:
        raise ValueError(
            "nonzero: calling nonzero on 0d arrays is not allowed; use a.reshape(1).nonzero()"
        )
    return tuple(_core._nonzero(_is_true(a)))


@takes_stream
def flatnonzero(a: GPUArray) -> GPUArray:
    """Return the indices of the elements that are not zero in the flattened array, as nonzero()."""
    return _core._nonzero(_is_true(require_array("flatnonzero", a).ravel()))[0]


@takes_stream
def argwhere(a: GPUArray) -> GPUArray:
    """Return the indices of the elements that are not zero, one a row, as nonzero() does."""
    require_array("argwhere", a)
    if a.ndim == 0:
        return _core._nonzero(_is_true(a.reshape(1)))[:0].T
    return _core._nonzero(_is_true(a)).T


@takes_stream
def count_nonzero(a: GPUArray, axis: Any = None, *, keepdims: bool = False) -> GPUArray:
    """Return how many elements over the axes are not zero, in int64."""
    return _core.sum(
        _is_true(require_array("count_nonzero", a)), axis, dtype="int64", keepdims=keepdims
    )


@takes_stream
def compress(
    condition: Any, a: GPUArray, axis: int | None = None, out: GPUArray | None = None
) -> GPUArray:
    """Return the slices along an axis where the 1-d `condition` is true; it may be shorter.

    None for the axis takes all elements in C order. Waits for the device, on which they are
    counted. Returns a new array, or `out`.
    """
    require_array("compress", a)
    mask = _mask("compress", condition, a)
    if mask.ndim != 1:
        raise ValueError(f"compress: condition must be a 1-d array, got {mask.ndim} dimensions")
    return take(a, _core._nonzero(mask)[0], axis, out)


def _mask(what: str, condition: Any, like: GPUArray) -> GPUArray:
    if not isinstance(condition, GPUArray):
        condition = _core.to_device(np.asarray(condition), device=like.device)
    return _is_true(condition)


@takes_stream
def extract(condition: Any, arr: GPUArray) -> GPUArray:
    """Return the elements, in C order, where `condition` is true, as compress() does."""
    require_array("extract", arr)
    return compress(_mask("extract", condition, arr).ravel(), arr.ravel())


@takes_stream
@numpys_on_cpu(np.place)
def place(arr: Target, mask: Any, vals: Any) -> None:
    """Set the elements where `mask` is true to `vals`, one after the other, again and again.

    `vals` is a scalar or a list of them, cast as in an assignment, or a GPUArray that casts to the
    dtype safely. Waits for the device, on which the elements are counted.
    """
    require_array("place", arr)
    places = _mask("place", mask, arr).ravel()
    if places.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    vals = _safe_values("place", vals, arr)
    count = int(places.sum())
    if count and vals.size == 0:
        raise ValueError("place: cannot insert from an empty array")
    if count:
        arr[places.reshape(arr.shape)] = _cycle("place", vals, count, arr)


@takes_stream
@numpys_on_cpu(np.putmask)
def putmask(a: Target, mask: Any, values: Any) -> None:
    """Set the elements where `mask` is true to those of `values` at their places.

    `values` is repeated to the size of `a`: a scalar or a list of them, cast as in an assignment,
    or a GPUArray that casts to the dtype safely. Queued on the current stream.
    """
    require_array("putmask", a)
    chosen = _mask("putmask", mask, a)
    if chosen.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    given = _safe_values("putmask", values, a)
    if given.size == 0:
        return
    given = _cycle("putmask", given, a.size, a)
    given = given.reshape(a.shape) if given.ndim else given
    _core.where(chosen.reshape(a.shape), given, a, a)


def _safe_values(what: str, values: Any, like: GPUArray) -> GPUArray:
    if isinstance(values, GPUArray):
        return cast_value(what, values, like._dtype_name, "safe")
    return host_values(what, values, like, like._dtype_name)


@takes_stream
def scatter_add(a: Target, indices: Any, values: Any) -> None:
    """Do a[indices] += values once for each value, also where an element is meant twice.

    `indices` is any key of a[...]; `values`, a scalar or an array, broadcasts against a[indices]
    and is converted to a's dtype. On a CUDA device the order of additions is not fixed, so that
    floating-point sums of several values may differ in the last places from run to run. An index
    out of bounds is an IndexError at the next wait for the device. Queued on the current stream.
    """
    _core._combine_at("scatter_add", "add", a, indices, values)


@takes_stream
def scatter_max(a: Target, indices: Any, values: Any) -> None:
    """Do a[indices] = maximum(a[indices], values) once for each value, as scatter_add()."""
    _core._combine_at("scatter_max", "maximum", a, indices, values)


@takes_stream
def scatter_min(a: Target, indices: Any, values: Any) -> None:
    """Do a[indices] = minimum(a[indices], values) once for each value, as scatter_add()."""
    _core._combine_at("scatter_min", "minimum", a, indices, values)
