# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Scans and places of extremes that ignore NaN, without the warnings that NumPy's give."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    is_inexact,
    require_array,
    require_copy_of,
)
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.composed_reductions import replaced

__all__ = ["nanargmax", "nanargmin", "nancumprod", "nancumsum"]


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
