# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions with where=, initial= and mean=, and means and variances that ignore NaN."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    is_inexact,
    normalize_axis,
    or_default,
    parameter_array,
    require_array,
)
from gpuarray._common.dtype_table import dtype_kind, is_half
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name, result_name
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._ufuncs.chunks import Mapped, chunk_shape, chunks, is_chunked, mapped
from gpuarray._ufuncs.ufunc_call import as_mask
from gpuarray._ufuncs.ufunc_methods import kept_shape, reduce, reduced_axes

__all__ = ["FILLERS", "composed", "filled", "mean", "replaced", "variance"]

_UFUNCS = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "all": np.logical_and,
    "any": np.logical_or,
    "nansum": np.add,
    "nanprod": np.multiply,
    "nanmax": np.fmax,
    "nanmin": np.fmin,
}
# What those put in the place of NaN that do not pass over it by themselves.
FILLERS = {"nansum": 0, "nanprod": 1}

_REAL = {"complex64": "float32", "complex128": "float64"}


def composed(a: GPUArray, name: str, axis: Any = None, **options: Any) -> GPUArray:
    """Return the reduction of this name with options that no kernel supports."""
    if name in _UFUNCS:
        elements = filled(name, a, FILLERS[name]) if name in FILLERS else a
        return reduce(_UFUNCS[name], elements, axis, **options)
    axes = reduced_axes(axis, require_array(name, a).ndim)
    if isinstance(options.get("mean"), (list, tuple, np.ndarray)):
        options["mean"] = parameter_array(f"{name}: mean", options["mean"], a)
    if is_chunked(a):
        extents = chunk_shape(a, axes)
        if all(extents[k] == a.shape[k] for k in axes):
            return _averages_by_chunks(name, a, axes, extents, **options)
    return _average(name, a, axis, **options)


def _average(name: str, a: GPUArray, axis: Any, **options: Any) -> GPUArray:
    composing = mean if name.endswith("mean") else variance
    return composing(name, a, axis, but_nan=name.startswith("nan"), **options)


def _averages_by_chunks(
    name: str,
    a: GPUArray,
    axes: tuple[int, ...],
    extents: list[int],
    out: GPUArray | None = None,
    keepdims: bool = False,
    **options: Any,
) -> GPUArray:
    """Return the averages of the chunks, which have the reduced axes as a whole."""
    made: Any = None
    options["where"] = as_mask(name, options.get("where", True), a)
    whole = {
        option: broadcast_to(options[option], a.shape)
        for option in ("where", "mean")
        if isinstance(options.get(option), GPUArray)
    }
    options["where"] = options["where"] is not False
    for key in chunks(a.shape, extents):
        parts = {option: value[key] for option, value in whole.items()}
        average = _average(name, a[key], axes, keepdims=True, **(options | parts))
        if made is None:
            shape = kept_shape(a.shape, axes, True)
            made = _core.empty(shape, average._dtype_name, device=a.device)
        made[tuple(slice(1) if k in axes else one for k, one in enumerate(key))] = average
    return assigned(name, out, made.reshape(kept_shape(a.shape, axes, keepdims)))


def replaced(what: str, a: GPUArray, value: Any) -> GPUArray:
    """Return `a` with a scalar in the place of NaN."""
    return _core.where(_core.isnan(a), value, a) if is_inexact(require_array(what, a)) else a


def filled(what: str, a: GPUArray, value: Any) -> GPUArray | Mapped:
    """Return the elements of replaced(), for a reduction."""
    if not is_inexact(require_array(what, a)):
        return a
    return mapped(a, lambda key: replaced(what, a[key], value))


def mean(
    what: str,
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    where: Any = True,
    but_nan: bool = False,
) -> GPUArray:
    """Return the mean of the elements where `where` is True, without NaN if `but_nan`."""
    total, count = _total_and_count(what, a, axis, dtype, keepdims, where, but_nan)
    return assigned(what, out, _quotient(total, count, _mean_dtype(a, dtype)))


def variance(
    what: str,
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    correction: Any = None,
    mean: Any = None,
    where: Any = True,
    but_nan: bool = False,
) -> GPUArray:
    """Return the variance of the elements that mean() takes, or its root if `what` ends with std.

    Where their number is no more than `ddof` the divisor is 0, but NaN if NaNs are passed over.
    """
    if or_default(correction) is not None:
        if ddof:
            raise ValueError(f"{what}: ddof and correction can't be provided simultaneously.")
        ddof = correction
    total, count = _total_and_count(what, a, axis, dtype, True, where, but_nan)
    wide = total._dtype_name
    centre = _quotient(total, count, wide) if or_default(mean) is None else mean
    if isinstance(centre, GPUArray) and is_chunked(a):
        centre = broadcast_to(centre, a.shape)

    def squares(key: Any) -> GPUArray:
        near = centre[key] if isinstance(centre, GPUArray) and key is not ... else centre
        deviations = _core.subtract(a[key].astype(wide, copy=False), near)
        if but_nan:
            # Only NaN in the array is replaced: the NaN that an infinity's deviation gives must
            # stay.
            deviations = _core.where(_core.isnan(a[key]), 0, deviations)
        return _core.square(_core.absolute(deviations))

    squared = reduce(np.add, mapped(a, squares), axis, None, None, keepdims, where=where)
    freedom = _core.subtract(count.reshape(squared.shape), ddof).astype(squared._dtype_name)
    made = _core.divide(squared, _core.maximum(freedom, 0))
    if but_nan:
        made = _core.where(_core.greater(freedom, 0), made, np.nan)
    if what.endswith("std"):
        made = _core.sqrt(made)
    real = result_name(dtype if dtype is not None else _variance_dtype(a, mean, but_nan))
    return assigned(what, out, made.astype(_REAL.get(real, real), copy=False))


def _total_and_count(
    what: str, a: GPUArray, axis: Any, dtype: Any, keepdims: bool, where: Any, but_nan: bool
) -> tuple[GPUArray, GPUArray]:
    """Return the sum, in the dtype that means are computed in, and the number of summands."""
    narrow = is_half(require_array(what, a)._dtype_name)
    if but_nan and dtype is not None and dtype_kind(dtype_name(dtype)) in ("b", "i", "u"):
        raise TypeError(
            f"{what}: dtype must be inexact for an array of {a._dtype_name}, got {dtype}"
        )
    # The mean of a 0-d array has no axis, unlike sums and NumPy's functions that ignore NaN.
    if a.ndim == 0 and axis is not None and not but_nan:
        for one in axis if isinstance(axis, tuple) else (axis,):
            normalize_axis(one, 0)
    computed = dtype if dtype is not None else "float32" if narrow else None
    if computed is None and not is_inexact(a):
        computed = "float64"
    summands = filled(what, a, 0) if but_nan else a
    total = reduce(np.add, summands, axis, computed, None, keepdims, where=where)
    if but_nan:
        numbers = mapped(a, lambda key: _core.equal(a[key], a[key]))
        return total, reduce(np.add, numbers, axis, None, None, keepdims, where=where)
    mask = as_mask(what, where, a)
    if not isinstance(mask, GPUArray):
        mask = _core.full((), mask is not False, "bool", device=a.device)
    return total, reduce(np.add, broadcast_to(mask, a.shape), axis, None, None, keepdims)


def _mean_dtype(a: GPUArray, dtype: Any) -> Any:
    return dtype if dtype is not None else a._dtype_name if is_inexact(a) else "float64"


def _variance_dtype(a: GPUArray, mean: Any, but_nan: bool) -> str:
    """Return the dtype of the deviations from a mean that is given, as NumPy computes them.

    Its functions that ignore NaN write them over a copy of the array.
    """
    own: str = _mean_dtype(a, None)
    if or_default(mean) is None or (but_nan and is_inexact(a)):
        return own
    return result_name(own, mean)


def _quotient(total: GPUArray, count: GPUArray, dtype: Any) -> GPUArray:
    made = _core.divide(total, count.astype(total.real._dtype_name, copy=False))
    return made.astype(dtype, copy=False)
