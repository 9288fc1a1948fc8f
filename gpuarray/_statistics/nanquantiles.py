# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Medians and quantiles that ignore NaN, without the warnings that NumPy's give."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    is_complex,
    is_inexact,
    or_default,
    require_array,
)
from gpuarray._core import GPUArray
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._manipulation.manipulation import stack
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.sorting import sort
from gpuarray._statistics.order_statistics import (
    POSITIONS,
    fractions_of,
    require_method,
    rows_of,
)
from gpuarray._statistics.quantiles import median, quantile_of, weighted

__all__ = ["nanmedian", "nanpercentile", "nanquantile"]

# The results of these methods are elements, so that they keep the dtype.
_OF_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


@takes_stream
def nanmedian(
    a: GPUArray,
    axis: Any = None,
    out: GPUArray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> GPUArray:
    """Return median() over the axes but for NaN; NaN where all are. `a` is never overwritten."""
    if require_array("nanmedian", a).size == 0:
        return _core.nanmean(a, axis, None, out, keepdims)
    if not is_inexact(a):
        return median(a, axis, out, keepdims=keepdims)
    if (numbers := _numbers("nanmedian", a, axis)) is not None:
        values, shape = numbers
        made = median(values)
        return assigned("nanmedian", out, made.reshape(shape) if or_default(keepdims) else made)
    ordered, count, shape = _ordered("nanmedian", a, axis)
    low, high = (_element(ordered, place) for place in ((count - 1) // 2, count // 2))
    made = _or_nan(_core.mean(stack([low, high]), axis=0), count)
    return assigned("nanmedian", out, made.reshape(shape) if or_default(keepdims) else made)


@takes_stream
def nanquantile(
    a: GPUArray,
    q: Any,
    axis: Any = None,
    out: GPUArray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> GPUArray:
    """Return quantile() over the axes but for NaN; NaN where all are. `a` is never overwritten."""
    fractions = fractions_of("nanquantile", q)
    if not ((fractions >= 0) & (fractions <= 1)).all():
        raise ValueError("nanquantile: quantiles must be in the range [0, 1]")
    weak = type(q) in (int, float)
    return _nan_quantile("nanquantile", a, fractions, weak, axis, out, method, keepdims, weights)


@takes_stream
def nanpercentile(
    a: GPUArray,
    q: Any,
    axis: Any = None,
    out: GPUArray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> GPUArray:
    """Return percentile() over the axes but for NaN, as nanquantile() of q / 100."""
    percents = fractions_of("nanpercentile", q)
    if not ((percents >= 0) & (percents <= 100)).all():
        raise ValueError("nanpercentile: percentiles must be in the range [0, 100]")
    weak = type(q) in (int, float)
    fractions = np.asarray(np.true_divide(percents, 100))
    return _nan_quantile("nanpercentile", a, fractions, weak, axis, out, method, keepdims, weights)


def _nan_quantile(
    what: str,
    a: GPUArray,
    q: np.ndarray[Any, Any],
    weak: bool,
    axis: Any,
    out: GPUArray | None,
    method: str,
    keepdims: bool,
    weights: Any,
) -> GPUArray:
    if require_array(what, a).size == 0:
        return _core.nanmean(a, axis, None, out, keepdims)
    if not is_inexact(a) or is_complex(a):
        return quantile_of(what, a, q, weak, axis, out, method, keepdims, weights)
    require_method(what, method)
    if weights is not None:
        made = weighted(what, a, q, axis, method, keepdims, weights, skips_nan=True)
        return assigned(what, out, made)
    if (numbers := _numbers(what, a, axis)) is not None:
        made = quantile_of(what, numbers[0], q, weak, None, None, method, False, None)
        kept = numbers[1] if or_default(keepdims) else ()
        return assigned(what, out, made.reshape((*q.shape, *kept)))
    ordered, count, shape = _ordered(what, a, axis)
    # Of the integers only 0 and 1 are quantiles, and their results are elements.
    whole = method == "linear" and q.dtype.kind in "iu"
    weak = weak or whole or method in _OF_ELEMENTS
    dtype = a._dtype_name if weak else _core.multiply(ordered[:0], q.dtype.type(1))._dtype_name
    found = [
        _or_nan(_between(ordered, count, float(one), method, dtype), count) for one in q.reshape(-1)
    ]
    made = stack(found) if found else ordered[None, ..., 0][:0]
    kept = shape if or_default(keepdims) else ordered.shape[:-1]
    return assigned(what, out, made.astype(dtype, copy=False).reshape((*q.shape, *kept)))


def _numbers(what: str, a: Any, axis: Any) -> tuple[GPUArray, tuple[int, ...]] | None:
    """Return what is not NaN of a single row on the cpu device, and the keepdims shape.

    None for several rows, where each has its own number of elements, and for nothing but NaN. Other
    devices would be waited for.
    """
    rows, shape = rows_of(what, a, axis)
    if rows.ndim > 1 or a.device.kind != "cpu":
        return None
    numbers = rows[_core.equal(rows, rows)]
    return (numbers, shape) if numbers.size else None


def _ordered(what: str, a: GPUArray, axis: Any) -> tuple[GPUArray, GPUArray, tuple[int, ...]]:
    """Return the sorted rows, how many elements of each are not NaN, and the keepdims shape."""
    rows, shape = rows_of(what, a, axis)
    ordered = sort(rows)
    return ordered, _core.sum(_core.equal(ordered, ordered), -1), shape


def _element(ordered: GPUArray, place: GPUArray) -> GPUArray:
    """Return the element of each row at that row's index in `place`."""
    index = _core.maximum(place, 0).reshape((*place.shape, 1))
    return take_along_axis(ordered, index, -1)[..., 0]


def _between(ordered: GPUArray, count: GPUArray, q: float, method: str, dtype: str) -> GPUArray:
    """Return quantile `q` of each row by NumPy's method of this name, interpolating in `dtype`."""
    if method in ("lower", "higher", "nearest", "midpoint"):
        middle = (count - 1) * q
        ends = {
            "lower": (_core.floor, _core.floor),
            "higher": (_core.ceil, _core.ceil),
            "nearest": (_core.rint, _core.rint),
            "midpoint": (_core.floor, _core.ceil),
        }[method]
        before, after = (end(middle).astype("int64") for end in ends)
        low, high = _element(ordered, before), _element(ordered, after)
        return low if method != "midpoint" else low + (high - low).astype(dtype) * 0.5
    wanted: Any = POSITIONS[method](count, q)  # type: ignore[arg-type]
    position = _core.clip(wanted, 0, count - 1)
    start = _core.floor(position)
    before = start.astype("int64")
    after = _core.where(wanted >= 0, _core.minimum(before + 1, count - 1), before)
    low, high = _element(ordered, before), _element(ordered, after)
    weight = (position - start).astype(dtype, copy=False)
    if method == "averaged_inverted_cdf":
        weight = _core.where(weight > 0, 1, 0.5).astype(dtype)
    step = high - low
    return _core.where(weight < 0.5, low + step * weight, high - step * (1 - weight))


def _or_nan(made: GPUArray, count: GPUArray) -> GPUArray:
    return _core.where(_core.equal(count, 0), np.nan, made)
