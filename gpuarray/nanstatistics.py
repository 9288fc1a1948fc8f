# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Means and variances that pass over NaN, without the warnings of NumPy's."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._arguments import assigned, is_inexact, require_array
from gpuarray._core import GPUArray
from gpuarray._ufunc_methods import reduce
from gpuarray.nanfunctions import replaced
from gpuarray.streams import takes_stream

__all__ = ["nanmean", "nanstd", "nanvar"]


@takes_stream
def nanmean(
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> GPUArray:
    """Return the arithmetic mean over the axes but for NaN; NaN where all are."""
    total, count = _total_and_count("nanmean", a, axis, dtype, keepdims, where)
    return assigned("nanmean", out, _quotient(total, count, _mean_dtype(a, dtype)))


def _total_and_count(
    what: str, a: GPUArray, axis: Any, dtype: Any, keepdims: bool, where: Any
) -> tuple[GPUArray, GPUArray]:
    """Return the sum of the elements that are not NaN, in the dtype means compute in, and how
    many they are."""
    narrow = require_array(what, a)._dtype_name in ("float16", "bfloat16")
    computed = dtype if dtype is not None else "float32" if narrow else None
    if computed is None and not is_inexact(a):
        computed = "float64"
    total = reduce(np.add, replaced(what, a, 0), axis, computed, None, keepdims, where=where)
    present = _core.equal(a, a)
    return total, reduce(np.add, present, axis, None, None, keepdims, where=where)


def _mean_dtype(a: GPUArray, dtype: Any) -> Any:
    return dtype if dtype is not None else a._dtype_name if is_inexact(a) else "float64"


def _quotient(total: GPUArray, count: GPUArray, dtype: Any) -> GPUArray:
    made = _core.divide(total, count.astype(total.real._dtype_name, copy=False))
    return made.astype(dtype, copy=False)


@takes_stream
def nanvar(
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = np._NoValue,
) -> GPUArray:
    """Return the variance over the axes but for NaN; NaN where no more than `ddof` are left.

    The mean square of the deviations, divided by N - ddof, N the number of elements that are not
    NaN; `mean` is the mean, with keepdims, where it is known. Real, also of complex numbers.
    """
    return _variance("nanvar", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


@takes_stream
def nanstd(
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = np._NoValue,
) -> GPUArray:
    """Return the standard deviation over the axes but for NaN: the root of nanvar()."""
    variance = _variance("nanstd", a, axis, dtype, None, ddof, keepdims, where, mean, correction)
    return assigned("nanstd", out, _core.sqrt(variance))


def _variance(
    what: str,
    a: GPUArray,
    axis: Any,
    dtype: Any,
    out: GPUArray | None,
    ddof: float,
    keepdims: bool,
    where: Any,
    mean: Any,
    correction: Any,
) -> GPUArray:
    if correction is not np._NoValue:
        if ddof != 0:
            raise ValueError(f"{what}: ddof and correction can't be provided simultaneously")
        ddof = correction
    total, count = _total_and_count(what, a, axis, dtype, True, where)
    wide = total._dtype_name
    centre = _quotient(total, count, wide) if mean is None or mean is np._NoValue else mean
    deviations = replaced(what, _core.subtract(a.astype(wide, copy=False), centre), 0)
    squares = _core.square(_core.absolute(deviations))
    squared = reduce(np.add, squares, axis, None, None, keepdims, where=where)
    freedom = _core.subtract(count.reshape(squared.shape), ddof)
    made = _core.where(
        _core.greater(freedom, 0),
        _core.divide(squared, freedom.astype(squared._dtype_name)),
        np.nan,
    )
    real = made._dtype_name if dtype is not None else _mean_dtype(a, None)
    real = {"complex64": "float32", "complex128": "float64"}.get(real, real)
    return assigned(what, out, made.astype(real, copy=False))
