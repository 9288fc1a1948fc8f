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
    require_array,
)
from gpuarray._common.dtype_table import dtype_kind, is_half
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name
from gpuarray._ufuncs.ufunc_methods import reduce

__all__ = ["FILLERS", "composed", "mean", "replaced", "variance"]

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


def composed(a: GPUArray, name: str, axis: Any = None, **options: Any) -> GPUArray:
    """Return the reduction of this name with options that no kernel supports."""
    if name in FILLERS:
        a = replaced(name, a, FILLERS[name])
    if name in _UFUNCS:
        return reduce(_UFUNCS[name], a, axis, **options)
    composing = mean if name.endswith("mean") else variance
    return composing(name, a, axis, but_nan=name.startswith("nan"), **options)


def replaced(what: str, a: GPUArray, value: Any) -> GPUArray:
    """Return `a` with a scalar in the place of NaN."""
    return _core.where(_core.isnan(a), value, a) if is_inexact(require_array(what, a)) else a


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
    deviations = _core.subtract(a.astype(wide, copy=False), centre)
    if but_nan:
        # Only NaN in the array is replaced: the NaN that an infinity's deviation gives must stay.
        deviations = _core.where(_core.isnan(a), 0, deviations)
    squares = _core.square(_core.absolute(deviations))
    squared = reduce(np.add, squares, axis, None, None, keepdims, where=where)
    freedom = _core.subtract(count.reshape(squared.shape), ddof).astype(squared._dtype_name)
    made = _core.divide(squared, _core.maximum(freedom, 0))
    if but_nan:
        made = _core.where(_core.greater(freedom, 0), made, np.nan)
    if what.endswith("std"):
        made = _core.sqrt(made)
    real = made._dtype_name if dtype is not None else _mean_dtype(a, None)
    real = {"complex64": "float32", "complex128": "float64"}.get(real, real)
    return assigned(what, out, made.astype(real, copy=False))


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
    summands = replaced(what, a, 0) if but_nan else a
    counted = _core.equal(a, a) if but_nan else _core.ones(a.shape, bool, device=a.device)
    total = reduce(np.add, summands, axis, computed, None, keepdims, where=where)
    return total, reduce(np.add, counted, axis, None, None, keepdims, where=where)


def _mean_dtype(a: GPUArray, dtype: Any) -> Any:
    return dtype if dtype is not None else a._dtype_name if is_inexact(a) else "float64"


def _quotient(total: GPUArray, count: GPUArray, dtype: Any) -> GPUArray:
    made = _core.divide(total, count.astype(total.real._dtype_name, copy=False))
    return made.astype(dtype, copy=False)
