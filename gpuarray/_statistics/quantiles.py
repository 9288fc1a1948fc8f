# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Medians and quantiles: sorted values, interpolated at positions between two elements."""

from collections.abc import Collection
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    host_values,
    is_complex,
    normalize_axes,
    or_default,
    require_array,
)
from gpuarray._core import GPUArray
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._manipulation.manipulation import stack
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.sorting import sort
from gpuarray._statistics.order_statistics import (
    POSITIONS,
    fractions_of,
    require_method,
    rows_of,
)

__all__ = ["median", "percentile", "quantile"]

_HostArray = np.ndarray[Any, Any]
_FLOAT16_OVERFLOW = 65520  # the least integer that is infinite in float16


def _with_nans(result: GPUArray, ordered: GPUArray) -> GPUArray:
    """Return the result with NaN for each row whose sorted values contain NaN."""
    if np.dtype(ordered.dtype).kind in "biu":
        return result
    last = ordered[..., -1]
    return _core.where(_core.isnan(last), last, result).astype(result.dtype, copy=False)


def _partitioned(rows: GPUArray, places: Collection[int]) -> GPUArray:
    """Return the rows with what a sort puts at the places; NaN, if there are any, come last."""
    if not places or rows.ndim == 0 or rows.size == 0:
        return sort(rows)
    # Complex numbers are partitioned with NaN among them, other rows with NaN are sorted.
    last = {rows.shape[-1] - 1} if is_complex(rows) else set()
    return _core._sort_rows(rows, -1, False, sorted(last.union(places)))


def _read_at(positions: _HostArray, last: int) -> set[int]:
    """Return the places of the sorted values that _value_at() reads for the positions."""
    if positions.size > 16:
        return set()
    before = np.clip(np.floor(positions.reshape(-1)), 0, last).astype(np.int64).tolist()
    return {0, *before, *(min(each + 1, last) for each in before)}


@takes_stream
def median(
    a: GPUArray,
    axis: Any = None,
    out: GPUArray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> GPUArray:
    """Return the middle of the sorted elements over the axes, or the mean of the two in the middle.

    Integers and bool give float64; NaN wherever an element is NaN or there is none. The input is
    never overwritten. Returns a new array or `out`. Queued on the current stream.
    """
    rows, shape = rows_of("median", a, axis)
    length = rows.shape[-1]
    ordered = _partitioned(rows, {(length - 1) // 2, length // 2} if length else ())
    result = _core.mean(ordered[..., max((length - 1) // 2, 0) : length // 2 + 1], axis=-1)
    if length:
        result = _with_nans(result, ordered)
    return assigned("median", out, result.reshape(shape) if or_default(keepdims) else result)


@takes_stream
def quantile(
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
    """Return the values below which the fractions `q` of the elements over the axes lie.

    `q` is a number or an array of them in [0, 1], and `method` one of numpy.quantile's; the axes
    of `q` come first in the result. NaN wherever an element is NaN. The input is never overwritten.
    `weights`, for method "inverted_cdf", have the shape of `a` or that of the axes; ValueError for
    negative ones and for rows of zeros. Returns a new array or `out`. Queued on the current stream;
    a GPUArray `q` and the check of weights are waited for.
    """
    fractions = fractions_of("quantile", q)
    if not ((fractions >= 0) & (fractions <= 1)).all():
        raise ValueError("quantile: quantiles must be in the range [0, 1]")
    weak = type(q) in (int, float)
    return quantile_of("quantile", a, fractions, weak, axis, out, method, keepdims, weights)


@takes_stream
def percentile(
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
    """Return the values below which `q` per cent of the elements lie: `quantile` of q / 100."""
    fractions = np.asarray(np.true_divide(fractions_of("percentile", q), 100))
    if not ((fractions >= 0) & (fractions <= 1)).all():
        raise ValueError("percentile: percentiles must be in the range [0, 100]")
    weak = type(q) in (int, float)
    return quantile_of("percentile", a, fractions, weak, axis, out, method, keepdims, weights)


def quantile_of(
    what: str,
    a: GPUArray,
    q: _HostArray,
    weak: bool,
    axis: Any,
    out: GPUArray | None,
    method: str,
    keepdims: bool,
    weights: Any,
) -> GPUArray:
    """Return quantile() with the fractions `q`; Python numbers are `weak`, they keep the dtype."""
    require_array(what, a)
    if is_complex(a):
        raise TypeError(f"{what}: a must be an array of real numbers")
    require_method(what, method)
    if weights is not None:
        made = weighted(what, a, q, axis, method, keepdims, weights, skips_nan=False)
        return assigned(what, out, made)
    rows, shape = rows_of(what, a, axis)
    if rows.shape[-1] == 0:
        raise IndexError(f"{what}: there is no element along the axis")
    if method != "linear" and q.dtype.kind in "iu":
        q = q.astype(np.float64)
    positions = np.asarray(POSITIONS[method](rows.shape[-1], _precise(q, rows.shape[-1])))
    ordered = _partitioned(rows, _read_at(positions, rows.shape[-1] - 1))
    kept = shape if or_default(keepdims) else rows.shape[:-1]
    dtype = None if weak else q.dtype
    values = [_value_at(ordered, each, method, dtype) for each in positions.reshape(-1)]
    if q.ndim == 0:
        made = values[0]
    elif values:
        made = stack(values)
    else:
        kind = _value_at(ordered, positions.dtype.type(0), method, dtype)._dtype_name
        made = _core.empty((0, *rows.shape[:-1]), kind, device=a.device)
    return assigned(what, out, _with_nans(made, ordered).reshape((*q.shape, *kept)))


def _precise(q: _HostArray, length: int) -> _HostArray:
    """Return the fractions in a dtype that can hold positions in a row of this length.

    NumPy gives NaN where float16 overflows; bfloat16 cannot tell the places of 257 elements apart.
    """
    is_short = q.dtype.kind != "V" and (q.dtype != np.float16 or length < _FLOAT16_OVERFLOW)
    return q if is_short else q.astype(np.float64)


def weighted(
    what: str,
    a: GPUArray,
    q: _HostArray,
    axis: Any,
    method: str,
    keepdims: bool,
    weights: Any,
    *,
    skips_nan: bool,
) -> GPUArray:
    """Return the elements at which the sums of the sorted weights reach fractions of their total.

    With `skips_nan` an element that is NaN weighs nothing. Waits for the check of the weights.
    """
    if method != "inverted_cdf":
        raise ValueError(f"{what}: weights need method='inverted_cdf', got {method!r}")
    given = host_values(f"{what}: weights", weights, a)
    if is_complex(given):
        raise TypeError(f"{what}: weights must be real numbers, got dtype {given._dtype_name}")
    rows, shape = rows_of(what, a, axis)
    if rows.shape[-1] == 0:
        raise IndexError(f"{what}: there is no element along the axis")
    order = _core._argsort_rows(rows, rows.ndim - 1, False)
    ordered = take_along_axis(rows, order, -1)
    given = rows_of(what, _spread(what, given, a, axis), axis)[0]
    given = take_along_axis(given.astype("float64", copy=False), order, -1)
    counted = given
    if skips_nan:
        counted = _core.where(_core.isnan(ordered), 0, given)
    sums = _core.cumsum(counted, -1)
    sums = _core.divide(sums, sums[..., -1:])
    unknown = _core.isnan(sums[..., -1])
    if skips_nan:
        # A row whose first sorted element is NaN has no others.
        unknown = _core.logical_and(unknown, _core.logical_not(_core.isnan(ordered[..., 0])))
    is_negative, is_unknown = stack([_core.any(_core.less(given, 0)), _core.any(unknown)]).tolist()
    if is_negative:
        raise ValueError(f"{what}: weights must not be negative")
    if is_unknown:
        raise ValueError(f"{what}: weights include NaN or inf, or all of a row are zero")
    # The sums are compared in the dtype of q: 0.4 of float32 is not 0.4 of float64.
    fractions = q.astype(np.float64) if q.dtype.kind == "V" else q
    if q.dtype.kind == "f":
        sums = sums.astype(q.dtype, copy=False)
    sums = _core.where(_core.equal(sums, 0), -1, sums)  # Quantile 0 has a weight, too.
    found = [_element_after(ordered, sums, one) for one in fractions.reshape(-1)]
    made = stack(found) if found else ordered[None, ..., 0][:0]
    if not skips_nan:
        made = _with_nans(made, ordered)
    kept = shape if or_default(keepdims) else rows.shape[:-1]
    return made.reshape((*q.shape, *kept))


def _spread(what: str, weights: GPUArray, a: GPUArray, axis: Any) -> GPUArray:
    """Return the weights in the shape of `a`; those of another shape are for the axes alone."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError(
            f"{what}: weights of shape {weights.shape} for shape {a.shape} need the argument axis"
        )
    axes = normalize_axes(what, axis, a.ndim)
    expected = tuple(a.shape[k] for k in axes)
    if weights.shape != expected:
        raise ValueError(
            f"{what}: weights must have shape {a.shape} or {expected}, got {weights.shape}"
        )
    extents = tuple(n if k in axes else 1 for k, n in enumerate(a.shape))
    turned = weights.transpose(tuple(np.argsort(axes).tolist()))
    return broadcast_to(turned.reshape(extents), a.shape)


def _element_after(ordered: GPUArray, sums: GPUArray, fraction: Any) -> GPUArray:
    """Return the first element of each row at which the sums reach the fraction."""
    place = _core.sum(_core.less(sums, fraction), -1, keepdims=True)
    return take_along_axis(ordered, _core.minimum(place, ordered.shape[-1] - 1), -1)[..., 0]


def _value_at(ordered: GPUArray, position: Any, method: str, dtype: Any) -> GPUArray:
    """Return the value at a position among the sorted ones, interpolated by NumPy's `method`.

    `dtype` is that of the fractions; None leaves the dtype of the values.
    """
    last = ordered.shape[-1] - 1
    if np.issubdtype(type(position), np.integer):
        return ordered[..., int(position)].copy()
    before = int(np.clip(np.floor(position), 0, last))
    if position >= last:  # in the dtype of the position, which may round the last place
        before = last
    after = min(before + 1, last) if position >= 0 else before
    # NumPy counts the fraction from index -1 beyond the last element, and from 0 before the first.
    anchor = -1 if position >= last else 0 if position < 0 else before
    fraction = position - anchor
    if method == "averaged_inverted_cdf":
        fraction = position.dtype.type(0.5 if fraction == 0 else 1.0)
    elif method == "midpoint":
        fraction = position.dtype.type(0.0 if position % 1 == 0 else 0.5)
    low, high = ordered[..., before], ordered[..., after]
    step = high - low
    if dtype is not None:
        step = step.astype(_promoted(ordered, dtype), copy=False)
    weight = float(fraction)
    return high - step * (1 - weight) if weight >= 0.5 else low + step * weight


def _promoted(a: GPUArray, dtype: np.dtype[Any]) -> str:
    if a._dtype_name == "bfloat16":
        return dtype.name
    return np.promote_types(a.dtype, dtype).name
