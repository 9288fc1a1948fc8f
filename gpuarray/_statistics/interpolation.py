# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""interp(): linear interpolation between points."""

import contextlib
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import host_values, is_complex, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.one_pass import is_large
from gpuarray._common.operands import Operand
from gpuarray._core import GPUArray
from gpuarray._indexing.indexing import take
from gpuarray._manipulation.manipulation import concatenate
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.searching import searchsorted
from gpuarray._sorting.sorting import argsort
from gpuarray._statistics.interpolation_kernels import interpolated_by_table
from gpuarray.errors import CompileError, DeviceError

__all__ = ["interp"]


@takes_stream
@numpys_on_cpu(np.interp)
def interp(
    x: Operand,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: float | None = None,
) -> GPUArray:
    """Return the piecewise linear function through the points (xp, fp) at `x`, in float64.

    `xp` and `fp` are of one dimension and length, `xp` ascending, `fp` real or complex. `left`
    and `right` are the values outside, by default those of the first and last point; with
    `period` the function is periodic, and `xp` in any order. Queued on the current stream.
    """
    like = next((a for a in (x, xp, fp) if isinstance(a, GPUArray)), None)
    points, values = _points(*(host_values("interp", a, like) for a in (xp, fp)))
    x = x if isinstance(x, GPUArray) else _scalar(x, points)
    _require_real("x", x._dtype_name)
    for name, end in (("left", left), ("right", right), ("period", period)):
        if end is not None and not isinstance(end, _ENDS):
            kind = type(end).__name__
            raise TypeError(f"interp: {name} must be a number or None, got {kind}")
        if isinstance(end, (complex, np.complexfloating)) and not is_complex(values):
            raise TypeError(f"interp: {name} must be real, got {type(end).__name__}")
    if period is not None:
        if period == 0:
            raise ValueError("interp: period must be a non-zero value")
        left = right = None
        x = x.astype("float64", copy=False)
        x, points, values = _periodic(x, points, values, abs(period))
    if is_large(x) and all(end is None or isinstance(end, _NUMBERS) for end in (left, right)):
        # Without a compiler, and for arrays of several devices, the operations come to their end.
        with contextlib.suppress(CompileError, DeviceError):
            made = interpolated_by_table(x, points, values, left, right)
            if made is not None:
                return made
    return _interpolated(x.astype("float64", copy=False), points, values, left, right)


_NUMBERS = (int, float, complex)
_ENDS = (*_NUMBERS, np.number, np.bool_, np.ndarray, GPUArray)


def _interpolated(
    x: GPUArray, points: GPUArray, values: GPUArray, left: Any, right: Any
) -> GPUArray:
    last = points.size - 1
    after = searchsorted(points, x, side="right")
    before = _core.clip(after - 1, 0, last)
    after = _core.minimum(after, last)
    (x0, y0), (x1, y1) = ((take(points, k), take(values, k)) for k in (before, after))
    slope = (y1 - y0) / (x1 - x0)
    made = slope * (x - x0) + y0
    # Where the slope is infinite this gives NaN, and NumPy then interpolates from the other point.
    made = _core.where(_core.isnan(made), slope * (x - x1) + y1, made)
    made = _core.where(_core.logical_or(_core.equal(x, x0), _core.equal(y0, y1)), y0, made)
    made = _core.where(_core.less(x, points[0]), values[0] if left is None else left, made)
    made = _core.where(
        _core.greater(x, points[last]), values[last] if right is None else right, made
    )
    return made if last == 0 else _core.where(_core.isnan(x), x, made)


def _scalar(x: Any, like: GPUArray) -> GPUArray:
    if isinstance(x, (complex, np.complexfloating)):
        raise TypeError(f"interp: x must be real, got {type(x).__name__}")
    if not isinstance(x, (int, float, np.number, np.bool_)):
        require_array("interp: x", x)
    return _core.full((), float(x), "float64", device=like.device)


def _require_real(name: str, dtype: str) -> None:
    if dtype_kind(dtype) == "c":
        raise TypeError(f"interp: {name} must be real, got {dtype}")


def _points(xp: GPUArray, fp: GPUArray) -> tuple[GPUArray, GPUArray]:
    for a in (xp, fp):
        if a.ndim != 1:
            raise ValueError(f"interp: data points must be 1-D sequences, got shape {a.shape}")
    if xp.size != fp.size:
        raise ValueError(f"interp: fp and xp are not of the same length: {fp.size} and {xp.size}")
    if xp.size == 0:
        raise ValueError("interp: array of sample points is empty")
    _require_real("xp", xp._dtype_name)
    wide = "complex128" if is_complex(fp) else "float64"
    return xp.astype("float64", copy=False), fp.astype(wide, copy=False)


def _periodic(
    x: GPUArray, xp: GPUArray, fp: GPUArray, period: float
) -> tuple[GPUArray, GPUArray, GPUArray]:
    """Return the arguments reduced to one period, with a point added before and one after it."""
    x, xp = x % period, xp % period
    order = argsort(xp)
    xp, fp = take(xp, order), take(fp, order)
    xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, concatenate([fp[-1:], fp, fp[:1]])
