# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions and scans that ignore NaN, without the warnings that NumPy's give."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    is_complex,
    is_inexact,
    require_array,
    require_copy_of,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.composed_reductions import replaced
from gpuarray._ufuncs.ufunc_methods import reduce

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmin",
    "nanprod",
    "nansum",
]


@takes_stream
def nansum(
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> GPUArray:
    """Return sum() with NaN counted as 0."""
    return _core.sum(replaced("nansum", a, 0), axis, dtype, out, keepdims, initial, where)


@takes_stream
def nanprod(
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> GPUArray:
    """Return prod() with NaN counted as 1."""
    return _core.prod(replaced("nanprod", a, 1), axis, dtype, out, keepdims, initial, where)


@takes_stream
def nancumsum(
    a: GPUArray, axis: int | None = None, dtype: Any = None, out: GPUArray | None = None
) -> GPUArray:
    """Return cumsum() with 0 in the place of NaN."""
    return _core.cumsum(replaced("nancumsum", a, 0), axis, dtype, out)


@takes_stream
def nancumprod(
    a: GPUArray, axis: int | None = None, dtype: Any = None, out: GPUArray | None = None
) -> GPUArray:
    """Return cumprod() with 1 in the place of NaN."""
    return _core.cumprod(replaced("nancumprod", a, 1), axis, dtype, out)


@takes_stream
@numpys_on_cpu(np.nanmax)
def nanmax(
    a: GPUArray,
    axis: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> GPUArray:
    """Return the largest element over the axes but for NaN; NaN where all are."""
    return _extreme("nanmax", np.maximum, -np.inf, a, axis, out, keepdims, initial, where)


@takes_stream
@numpys_on_cpu(np.nanmin)
def nanmin(
    a: GPUArray,
    axis: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> GPUArray:
    """Return the least element over the axes but for NaN; NaN where all are."""
    return _extreme("nanmin", np.minimum, np.inf, a, axis, out, keepdims, initial, where)


def _extreme(
    what: str,
    extreme: np.ufunc,
    bound: float,
    a: GPUArray,
    axis: Any,
    out: GPUArray | None,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> GPUArray:
    if not is_inexact(require_array(what, a)):
        return reduce(extreme, a, axis, None, out, keepdims, initial, where)
    isnan = _core.isnan(a)
    made = reduce(extreme, _core.where(isnan, bound, a), axis, None, None, keepdims, initial, where)
    if initial is np._NoValue:
        nothing = reduce(np.logical_and, isnan, axis, None, None, keepdims, where=where)
        made = _core.where(nothing, _nan_of(made), made)
    return assigned(what, out, made)


def _nan_of(a: GPUArray) -> Any:
    return np.nan if not is_complex(a) else complex(np.nan, np.nan)


@takes_stream
def nanargmax(
    a: GPUArray, axis: int | None = None, out: GPUArray | None = None, *, keepdims: bool = False
) -> GPUArray:
    """Return the index of the first largest element but for NaN; -1 where all are.

    NumPy raises a ValueError where all are NaN, which here would have to wait for the device.
    """
    return _arg_extreme("nanargmax", _core.argmax, -np.inf, a, axis, out, keepdims)


@takes_stream
def nanargmin(
    a: GPUArray, axis: int | None = None, out: GPUArray | None = None, *, keepdims: bool = False
) -> GPUArray:
    """Return the index of the first least element but for NaN; -1 where all are, as nanargmax()."""
    return _arg_extreme("nanargmin", _core.argmin, np.inf, a, axis, out, keepdims)


def _arg_extreme(
    what: str,
    extreme: Any,
    bound: float,
    a: GPUArray,
    axis: int | None,
    out: GPUArray | None,
    keepdims: bool,
) -> GPUArray:
    if not is_inexact(require_array(what, a)):
        return extreme(a, axis, out, keepdims=keepdims)  # type: ignore[no-any-return]
    isnan = _core.isnan(a)
    made = extreme(_core.where(isnan, bound, a), axis, keepdims=keepdims)
    nothing = _core.all(isnan, axis, keepdims=keepdims)
    if out is not None:
        require_copy_of(what, out, made.shape, "int64")
    return assigned(what, out, _core.where(nothing, -1, made))
