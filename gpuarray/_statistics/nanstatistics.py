# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Means and variances that ignore NaN, without the warnings that NumPy's give."""

from typing import Any

import numpy as np

from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs import composed_reductions as _composed_reductions

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
    return _composed_reductions.mean("nanmean", a, axis, dtype, out, keepdims, where, True)


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
    return _composed_reductions.variance(
        "nanvar", a, axis, dtype, out, ddof, keepdims, correction, mean, where, True
    )


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
    return _composed_reductions.variance(
        "nanstd", a, axis, dtype, out, ddof, keepdims, correction, mean, where, True
    )
