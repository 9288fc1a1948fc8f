# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The methods reduce, accumulate, reduceat and outer of NumPy's ufuncs on GPUArrays."""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, normalize_axis, or_default, require_array
from gpuarray._common.dtype_table import dtype_kind, wider
from gpuarray._core import GPUArray
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._ufuncs.chunks import Mapped, chunk_shape, chunks, is_chunked
from gpuarray._ufuncs.ufunc_call import (
    Outs,
    as_mask,
    call,
    counterpart,
    deliver_folded,
    not_implemented,
    reduction_loop,
)
from gpuarray._ufuncs.ufunc_folds import (
    IN_ANY_ORDER,
    KERNELS,
    accumulated,
    fold,
    fold_segments,
    items_along,
)

__all__ = ["accumulate", "kept_shape", "outer", "reduce", "reduceat", "reduced_axes"]

# The identities of kernels that convert it, as bools, which no dtype is promoted by.
_WEAK_IDENTITIES = {"add": False, "multiply": True, "logical_and": True, "logical_or": False}
_EXTREMES = ("maximum", "minimum", "fmax", "fmin")


def reduce(
    ufunc: np.ufunc,
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> GPUArray:
    """Return ufunc.reduce(a, ...) with NumPy's semantics."""
    name = f"{ufunc.__name__}.reduce"
    counterpart(ufunc)
    is_mapped = issubclass(type(a), Mapped)  # isinstance would narrow the type of `a` for pyright
    if not is_mapped:
        require_array(name, a)
    axes = reduced_axes(axis, a.ndim)
    keepdims = bool(or_default(keepdims))
    loop, element = reduction_loop(ufunc, name, a, dtype, out)
    if len(axes) > 1 and ufunc.__name__ not in IN_ANY_ORDER:
        raise ValueError(f"{name}: is not reorderable, so that it takes one axis, got {axis}")
    mask = as_mask(name, where, a)
    given = initial is not np._NoValue and initial is not None
    begin: Any = _identity(ufunc, loop) if initial is np._NoValue else None
    begin = _scalar_of(initial, loop) if given else begin
    nothing = math.prod(a.shape[axis] for axis in axes) == 0
    if begin is None and (mask is not None or nothing):
        what = "zero elements cannot be reduced" if nothing else "where= needs initial="
        raise ValueError(f"{name}: there is no identity, so that {what}")
    if mask is not None:
        _require_fits(name, mask, a)
    is_kernel = ufunc.__name__ in KERNELS and not (given or nothing or is_mapped) and mask is None
    if is_kernel and element != a._dtype_name and _keeps_order(ufunc, a._dtype_name, element):
        made = _kernel(ufunc, a, axes, a._dtype_name, keepdims, None)
        return deliver_folded(name, made.astype(element), out)
    converts = element != a._dtype_name and ufunc.__name__ not in _WEAK_IDENTITIES
    if (is_mapped or converts or mask is not None) and is_chunked(a):
        made = _reduced_by_chunks(ufunc, a, axes, loop, element, begin, given, mask)
        made = made.reshape(kept_shape(a.shape, axes, keepdims)).astype(loop, copy=False)
        return deliver_folded(name, made, out)
    if converts:
        a = a.astype(element)
    if mask is not None and ufunc.__name__ in IN_ANY_ORDER:
        identity = _identity(ufunc, loop)
        filler: Any = begin if identity is None else identity
        a, mask = _core.where(mask, a, filler), None
    if ufunc.__name__ in KERNELS and not (given or nothing):
        return _kernel(ufunc, a, axes, loop, keepdims, out)
    made = _reduced(ufunc, a, axes, loop, keepdims, begin, mask)
    return deliver_folded(name, made, out)


def _reduced_by_chunks(
    ufunc: np.ufunc,
    a: Any,
    axes: tuple[int, ...],
    loop: str,
    element: str,
    begin: Any,
    given: bool,
    mask: Any,
) -> GPUArray:
    """Return the reduction, with the reduced axes of extent 1 and perhaps in a wider dtype."""
    name, function, extents = ufunc.__name__, counterpart(ufunc), chunk_shape(a, axes)
    in_any_order, identity = name in IN_ANY_ORDER, _identity(ufunc, loop)
    is_split = any(extents[axis] < a.shape[axis] for axis in axes)
    wide = wider(loop) if is_split and name in ("add", "multiply", "divide") else loop
    converts = name not in _WEAK_IDENTITIES or wide != loop
    if isinstance(mask, GPUArray):
        mask = broadcast_to(mask, a.shape)
    # An initial value comes last where any order will do.
    comes_last = given and in_any_order and identity is not None
    first: Any = identity if comes_last else begin
    is_kernel = name in KERNELS and (comes_last or not given)
    made = _core.empty(kept_shape(a.shape, axes, True), wide, device=a.device)
    for key in chunks(a.shape, extents):
        items = a[key].astype(element, copy=False) if converts else a[key]
        chosen = mask[key] if isinstance(mask, GPUArray) else mask
        target = made[tuple(slice(1) if axis in axes else at for axis, at in enumerate(key))]
        is_first = all(key[axis].start == 0 for axis in axes)
        if chosen is not None and in_any_order:
            items, chosen = _core.where(chosen, items, first), None
        if is_kernel:
            part = _kernel(ufunc, items, axes, wide, True, None)
        else:
            follows = not (is_first or in_any_order)
            start = target.squeeze(axes) if follows else first
            items = items if in_any_order else items.astype(wide, copy=False)
            part = _reduced(ufunc, items, axes, wide, True, start, chosen)
        target[...] = part if is_first or not in_any_order else function(target, part)
    return function(begin, made) if comes_last else made


def _reduced(
    ufunc: np.ufunc,
    a: GPUArray,
    axes: tuple[int, ...],
    loop: str,
    keepdims: bool,
    begin: Any,
    mask: Any,
) -> GPUArray:
    shape = kept_shape(a.shape, axes, keepdims)
    if math.prod(a.shape[axis] for axis in axes) == 0:
        return _core.full(shape, begin, loop, device=a.device)
    if ufunc.__name__ in KERNELS:
        made: GPUArray = counterpart(ufunc)(begin, _kernel(ufunc, a, axes, loop, keepdims, None))
        return made
    if mask is not None:
        if not isinstance(mask, GPUArray):
            mask = _core.full((), mask, "bool", device=a.device)
        mask = _leading(broadcast_to(mask, a.shape), axes)
    return fold(ufunc, _leading(a, axes), loop, begin, mask).reshape(shape)


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """Return the shape of the result of a reduction along these axes."""
    return tuple(
        1 if axis in axes else extent
        for axis, extent in enumerate(shape)
        if keepdims or axis not in axes
    )


def _kernel(
    ufunc: np.ufunc,
    a: GPUArray,
    axes: tuple[int, ...],
    loop: str,
    keepdims: bool,
    out: GPUArray | None,
) -> GPUArray:
    kwargs = {"dtype": loop} if ufunc.__name__ in ("add", "multiply") else {}
    return KERNELS[ufunc.__name__](a, axis=axes, keepdims=keepdims, out=out, **kwargs)


def _keeps_order(ufunc: np.ufunc, source: str, dtype: str) -> bool:
    """Return whether the extreme of converted elements is the extreme, converted."""
    if ufunc.__name__ not in _EXTREMES:
        return False
    kinds = dtype_kind(source) + dtype_kind(dtype)
    if kinds in ("ff", "bi", "bu", "bf", "if", "uf"):
        return True
    return kinds in ("ii", "uu", "ui", "cc") and np.can_cast(source, dtype)


def _leading(a: GPUArray, axes: tuple[int, ...]) -> GPUArray:
    """Return the array with these axes merged into one, which comes first."""
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    moved = a.transpose((*axes, *kept))
    if len(axes) == 1:
        return moved
    count = math.prod(a.shape[axis] for axis in axes)
    return moved.reshape((count, *(a.shape[axis] for axis in kept)))


def _identity(ufunc: np.ufunc, dtype: str) -> Any:
    """Return the value that NumPy starts a reduction with, or None if that is the first element."""
    name = ufunc.__name__
    if name in _WEAK_IDENTITIES:
        return _WEAK_IDENTITIES[name]
    if name == "bitwise_and":
        return ~np.zeros((), dtype)
    return None if ufunc.identity is None else _scalar_of(ufunc.identity, dtype)


def _require_fits(name: str, mask: Any, a: GPUArray) -> None:
    shape = mask.shape if isinstance(mask, GPUArray) else ()
    if broadcast_shapes(shape, a.shape) != a.shape:
        raise ValueError(f"{name}: where has shape {shape}, which does not broadcast to {a.shape}")


def accumulate(
    ufunc: np.ufunc, a: Any, axis: Any = 0, dtype: Any = None, out: GPUArray | None = None
) -> GPUArray:
    """Return ufunc.accumulate(a, ...) with NumPy's semantics."""
    name = f"{ufunc.__name__}.accumulate"
    along = _one_axis(ufunc, name, a, axis)
    loop = _uniform_loop(ufunc, name, a, dtype, out)
    made = accumulated(ufunc, a, along, loop, out)
    return made if made is out else deliver_folded(name, made, out)


def reduceat(
    ufunc: np.ufunc,
    a: Any,
    indices: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return ufunc.reduceat(a, indices, ...) with NumPy's semantics.

    Indices on a device are copied to the host, for which the call waits.
    """
    name = f"{ufunc.__name__}.reduceat"
    along = _one_axis(ufunc, name, a, axis)
    starts = _starts(name, indices, a.shape[along])
    loop = _uniform_loop(ufunc, name, a, dtype, out)
    ends = np.append(starts[1:], a.shape[along])[: len(starts)]
    lengths = np.maximum(ends - starts, 1)
    made = fold_segments(ufunc, items_along(a, along), starts, lengths, loop, reduce)
    back = (*range(1, along + 1), 0, *range(along + 1, a.ndim))
    return deliver_folded(name, made.transpose(back), out)


def _starts(name: str, indices: Any, length: int) -> np.ndarray[Any, Any]:
    given = indices.get() if isinstance(indices, GPUArray) else indices
    if not isinstance(given, np.ndarray):
        given = np.asarray(given, np.int64)
    starts = given.astype(np.int64, casting="safe")
    if starts.ndim != 1:
        raise ValueError(f"{name}: indices must have one dimension, got {starts.ndim}")
    wrong = starts[(starts < 0) | (starts >= length)]
    if wrong.size:
        raise IndexError(f"{name}: index {wrong[0]} is out of bounds for {length} items")
    return starts


def _one_axis(ufunc: np.ufunc, name: str, a: Any, axis: Any) -> int:
    counterpart(ufunc)
    require_array(name, a)
    axes = reduced_axes(axis, a.ndim)
    if a.ndim == 0:
        raise TypeError(f"{name}: not defined for an array of no dimensions")
    if len(axes) != 1:
        raise ValueError(f"{name}: does not allow multiple axes, got {axis}")
    return axes[0]


def _uniform_loop(ufunc: np.ufunc, name: str, a: GPUArray, dtype: Any, out: GPUArray | None) -> str:
    loop, element = reduction_loop(ufunc, name, a, dtype, out)
    if loop != element:
        raise TypeError(f"{name}: elements would have dtype {element}, results {loop}")
    return loop


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    # NumPy accepts these axes for scalars.
    if ndim == 0 and axis in (0, -1):
        return ()
    normal = tuple(normalize_axis(one, ndim) for one in axes)
    if len(set(normal)) != len(normal):
        raise ValueError("duplicate value in 'axis'")
    return normal


def _scalar_of(value: Any, dtype: str) -> Any:
    """Return a scalar or 0-d array whose use with this dtype does not change the dtype."""
    if isinstance(value, GPUArray):
        return value.astype(dtype, copy=False)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    made = _core.empty((), dtype, device="cpu")
    made[...] = value
    return made.get()[()]


def outer(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: Outs, kwargs: dict[str, Any]) -> Any:
    """Return ufunc.outer(*inputs, **kwargs): all pairs, by broadcasting."""
    if ufunc.nin != 2 or ufunc.signature is not None:
        raise TypeError(not_implemented(f"{ufunc.__name__}.outer"))
    a, b = map(_typed, inputs)
    if isinstance(a, GPUArray):
        a = a.reshape(a.shape + (1,) * np.ndim(b))
    return call(ufunc, (a, b), outs, kwargs)


def _typed(value: Any) -> Any:
    """Return a Python number as a NumPy scalar, which is not weak, as in NumPy's outer."""
    return np.asarray(value)[()] if isinstance(value, (int, float, complex)) else value
