# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Folds of a binary function over the first axis: of all items, up to each item, or by segments."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import is_half, wider
from gpuarray._core import GPUArray
from gpuarray._ufuncs.chunks import CHUNK
from gpuarray._ufuncs.ufunc_call import chosen_exponents, counterpart
from gpuarray.errors import DeviceError

__all__ = [
    "IN_ANY_ORDER",
    "KERNELS",
    "accumulated",
    "can_combine",
    "combine",
    "fold",
    "fold_segments",
    "goes_in_order",
    "items_along",
]

Binary = Callable[..., GPUArray]

# The ufuncs whose reductions are kernels.
KERNELS: dict[str, Callable[..., GPUArray]] = {
    "add": _core.sum,
    "multiply": _core.prod,
    "maximum": _core.max,
    "minimum": _core.min,
    "fmax": _core.nanmax,
    "fmin": _core.nanmin,
    "logical_and": _core.all,
    "logical_or": _core.any,
}
# These functions are associative and commutative, except for rounding, and NumPy reorders them too.
IN_ANY_ORDER = (
    *KERNELS,
    *("logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("gcd", "hypot", "logaddexp", "logaddexp2"),
)
# These functions are associative for bools alone, and can be folded for no other dtype.
_OF_BOOLS = ("equal", "not_equal")
_SCANS = (
    *("add", "multiply", "maximum", "minimum", "fmax", "fmin"),
    *("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"),
)


def fold(
    ufunc: np.ufunc,
    items: GPUArray,
    dtype: str,
    begin: Any = None,
    mask: GPUArray | None = None,
) -> GPUArray:
    """Return the items along the first axis, of which there is one at least, folded to `dtype`.

    `begin`, where given, comes before the first; with a mask it is needed.
    """
    name, function = ufunc.__name__, counterpart(ufunc)
    if mask is None and (name in IN_ANY_ORDER or name in _OF_BOOLS):
        made = _fold_in_any_order(name, function, items, dtype)
        return made if begin is None else function(begin, made)
    if mask is None and name == "subtract" and len(items) > 1:
        items = items if begin is not None else _signed(items)
        total = _core.sum(items, axis=0, dtype=dtype)
        return total if begin is None else _core.subtract(begin, total)
    wide = wider(dtype) if name == "divide" and is_half(dtype) else dtype
    if wide != dtype:
        items = items.astype(wide)
    if begin is None:
        first, items = items[:1].astype(wide, copy=True), items[1:]
    else:
        first = _core.empty((1, *items.shape[1:]), wide, device=items.device)
        first[...] = begin
    _fold_in_order(ufunc, first, items, mask)
    return first[0, ...].astype(dtype, copy=False)


def _fold_in_any_order(name: str, function: Binary, items: GPUArray, dtype: str) -> GPUArray:
    if name in ("add", "multiply"):
        return KERNELS[name](items, axis=0, dtype=dtype)
    if name in KERNELS:
        return KERNELS[name](items, axis=0)
    return _by_halves(function, items)


def _signed(items: GPUArray) -> GPUArray:
    """Return the items with all but the first negated: their sum is the fold of subtract."""
    made = _core.negative(items)
    made[0] = items[0]
    return made


def _by_halves(function: Binary, items: GPUArray) -> GPUArray:
    count = len(items)
    if count == 1:
        return items[0].copy()
    half = count // 2
    made = function(items[:half], items[count - half :])
    if count % 2:
        function(made[:1], items[half : half + 1], out=made[:1])
    while half > 1:
        count, half = half, half // 2
        function(made[:half], made[count - half : count], out=made[:half])
        half = count - half
    return made[0, ...]


def _fold_in_order(
    ufunc: np.ufunc, first: GPUArray, items: GPUArray, mask: GPUArray | None
) -> None:
    """Fold the items, where the mask is True, one after the other into the one item of `first`."""
    function, made = counterpart(ufunc), first[0, ...]
    if mask is not None and ufunc is np.power:
        items = chosen_exponents(items, mask)
    is_uniform = mask is None and len(items) > 0 and items._dtype_name == first._dtype_name
    if is_uniform and goes_in_order(ufunc, first):
        combine(ufunc, first, (np.zeros(len(items), np.int64),), items)
        return
    if is_uniform and _in_one_kernel(ufunc, "fold", len(items), (items, len(items), made)):
        return
    for k in range(len(items)):
        if mask is None:
            function(made, items[k], out=made)
        else:
            _core.where(mask[k], function(made, items[k]), made, made)


# From this many items on, launching a step for each takes longer than compiling one kernel.
_MANY_STEPS = 256
_KERNELS_IN_ORDER = {
    "fold": (
        "raw T items, int64 count",
        "T y",
        "for (int64_t k = 0; k < count; ++k)"
        " y = gpuarray::cast<T>(gpuarray::{}_functor<T>::apply(y, items[k * n + i]));",
    ),
    "scan": (
        "int64 count",
        "raw T y",
        "for (int64_t k = 1; k < count; ++k)"
        " y[k * n + i] = gpuarray::cast<T>("
        "gpuarray::{}_functor<T>::apply(y[(k - 1) * n + i], y[k * n + i]));",
    ),
}


def _in_one_kernel(
    ufunc: np.ufunc, kind: str, steps: int, arguments: tuple[Any, ...], **options: Any
) -> bool:
    """Run one kernel for all steps, and return True; return False if that does not pay or work."""
    array = arguments[-1]
    is_row = counterpart(ufunc) is getattr(_core, ufunc.__name__, None)
    if steps < _MANY_STEPS or array.size == 0 or array.device.kind == "cpu" or not is_row:
        return False
    if ufunc is np.power and array.dtype.kind == "i":
        # Power has to check that integer exponents are not negative.
        return False
    try:
        _kernel_in_order(ufunc.__name__, kind)(*arguments, **options)
    except DeviceError:
        # NVRTC is not installed.
        return False
    return True


@cache
def _kernel_in_order(name: str, kind: str) -> Any:
    from gpuarray._kernels.elementwise_kernel import ElementwiseKernel

    inputs, outputs, text = _KERNELS_IN_ORDER[kind]
    return ElementwiseKernel(
        inputs,
        outputs,
        text.format(name),
        f"{name}_{kind}",
        no_return=True,
        options=("-fmad=false",),
    )


def goes_in_order(ufunc: np.ufunc, a: GPUArray) -> bool:
    """Return whether combine() applies several values for one element in their order."""
    if a.device.kind != "cpu" or counterpart(ufunc) is not getattr(_core, ufunc.__name__, None):
        return False
    return can_combine(ufunc, a)


def can_combine(ufunc: np.ufunc, a: GPUArray) -> bool:
    """Return whether the device can update elements of this dtype atomically, whole or by parts."""
    return a._dtype_name != "complex128" or ufunc is np.add


def combine(ufunc: np.ufunc, a: GPUArray, key: Any, values: Any) -> None:
    """Do a[key] = ufunc(a[key], values) in place, once for each value."""
    if ufunc is np.power and a.dtype.kind == "i":
        # This checks that integer exponents are not negative.
        _core.power(_core.ones((), a._dtype_name, device=a.device), values)
    _core._combine_at(f"{ufunc.__name__}.at", ufunc.__name__, a, key, values)


def accumulated(
    ufunc: np.ufunc, a: GPUArray, axis: int, dtype: str, out: GPUArray | None = None
) -> GPUArray:
    """Return the folds of the items up to each one along the axis.

    They are in `out` if it has the dtype and the function needs no more memory for that.
    """
    name, function = ufunc.__name__, counterpart(ufunc)
    if name in _SCANS:
        return _core.accumulate(name, a, axis, dtype, out)
    made = a.astype(dtype, copy=True)
    items = items_along(made, axis)
    count = len(items)
    if name == "subtract" and count:
        _core.negative(items[1:], out=items[1:])
        return _core.accumulate("add", made, axis, dtype, made)
    if name in IN_ANY_ORDER or name in _OF_BOOLS:
        step = 1
        while step < count:
            items[step:] = function(items[:-step], items[step:])
            step *= 2
        return made
    if not _in_one_kernel(ufunc, "scan", count, (count, items), size=items[:1].size):
        for k in range(1, count):
            function(items[k - 1], items[k], out=items[k, ...])
    return made


def items_along(a: GPUArray, axis: int) -> GPUArray:
    """Return a view with this axis first."""
    return a.transpose((axis, *(k for k in range(a.ndim) if k != axis)))


def fold_segments(
    ufunc: np.ufunc,
    items: GPUArray,
    starts: np.ndarray[Any, Any],
    lengths: np.ndarray[Any, Any],
    dtype: str,
    reduce: Callable[..., GPUArray],
) -> GPUArray:
    """Return the fold of each segment of the first axis, of which none is empty, in this dtype.

    `reduce` is that of ufunc_methods.py. Segments are folded together, a chunk of them at a time.
    """
    row = math.prod(items.shape[1:])
    step = max(CHUNK[items.device.kind] // max(row, 1), 1)
    wide = wider(dtype) if ufunc.__name__ in ("add", "subtract", "multiply", "divide") else dtype
    made = _core.empty((len(starts), *items.shape[1:]), dtype, device=items.device)
    for begin in range(0, len(starts), step):
        part = slice(begin, begin + step)
        order = np.argsort(-lengths[part], kind="stable")
        places, counts = starts[part][order], lengths[part][order]
        folded = items[places].astype(dtype, copy=False).astype(wide, copy=False)
        if goes_in_order(ufunc, folded):
            _combine_segments(ufunc, folded, items, places, counts, dtype, step)
        else:
            many = _count_of_long(counts) if ufunc.__name__ in (*IN_ANY_ORDER, "subtract") else 0
            rest = folded[many:]
            _fold_side_by_side(ufunc, rest, items, places[many:], counts[many:], dtype)
            for k in range(many):
                segment = items[places[k] : places[k] + counts[k]]
                folded[k] = reduce(ufunc, segment, 0, dtype)
        made[begin + order] = folded.astype(dtype, copy=False)
    return made


def _count_of_long(lengths: np.ndarray[Any, Any]) -> int:
    """Return how many of the longest segments are better folded one by one than together."""
    steps = np.append(lengths, 1) + np.arange(len(lengths) + 1)
    return int(np.argmin(steps))


def _combine_segments(
    ufunc: np.ufunc,
    made: GPUArray,
    items: GPUArray,
    starts: np.ndarray[Any, Any],
    lengths: np.ndarray[Any, Any],
    dtype: str,
    step: int,
) -> None:
    """Combine all items but the first of each segment with `made`, `step` items at a time."""
    ends = np.cumsum(lengths - 1)
    offsets = starts + lengths - ends  # from the number of a combined item to its place
    for begin in range(0, int(ends[-1]) if len(ends) else 0, step):
        numbers = np.arange(begin, min(begin + step, ends[-1]))
        segments = np.searchsorted(ends, numbers, side="right")
        values = items[numbers + offsets[segments]].astype(dtype, copy=False)
        combine(ufunc, made, (segments,), values.astype(made._dtype_name, copy=False))


def _fold_side_by_side(
    ufunc: np.ufunc,
    made: GPUArray,
    items: GPUArray,
    starts: np.ndarray[Any, Any],
    lengths: np.ndarray[Any, Any],
    dtype: str,
) -> None:
    """Fold item k of all segments that have one, for each k in turn; the longest come first."""
    function = counterpart(ufunc)
    for k in range(1, int(lengths[0]) if len(lengths) else 0):
        count = int(np.count_nonzero(lengths > k))
        values = items[starts[:count] + k].astype(dtype, copy=False)
        values = values.astype(made._dtype_name, copy=False)
        function(made[:count], values, out=made[:count])
