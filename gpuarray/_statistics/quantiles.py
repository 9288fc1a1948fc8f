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
    or_default,
    require_array,
)
from gpuarray._core import GPUArray
from gpuarray._manipulation.manipulation import stack
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.sorting import sort
from gpuarray._statistics.order_statistics import (
    POSITIONS,
    fractions_of,
    require_method,
    rows_of,
    weighted,
)

__all__ = ["median", "percentile", "quantile"]

_HostArray = np.ndarray[Any, Any]


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
    Weighted quantiles exist on the cpu device only. Returns a new array or `out`. Queued on the
    current stream; a GPUArray `q` is waited for.
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
        weights = host_values(f"{what}: weights", weights, a)
        options = {"axis": axis, "method": method, "keepdims": keepdims, "weights": weights}
        return assigned(what, out, weighted(np.quantile, what, a, q, **options))
    rows, shape = rows_of(what, a, axis)
    if rows.shape[-1] == 0:
        raise IndexError(f"{what}: there is no element along the axis")
    if method != "linear" and q.dtype.kind in "iu":
        q = q.astype(np.float64)
    positions = np.asarray(POSITIONS[method](rows.shape[-1], q))
    ordered = _partitioned(rows, _read_at(positions, rows.shape[-1] - 1))
    kept = shape if or_default(keepdims) else rows.shape[:-1]
    values = [_value_at(ordered, each, method, weak) for each in positions.reshape(-1)]
    if q.ndim == 0:
        made = values[0]
    elif values:
        made = stack(values)
    else:
        dtype = _value_at(ordered, positions.dtype.type(0), method, weak)._dtype_name
        made = _core.empty((0, *rows.shape[:-1]), dtype, device=a.device)
    return assigned(what, out, _with_nans(made, ordered).reshape((*q.shape, *kept)))


def _value_at(ordered: GPUArray, position: Any, method: str, weak: bool) -> GPUArray:
    """Return the value at a position among the sorted ones, interpolated by NumPy's `method`."""
    last = ordered.shape[-1] - 1
    if np.issubdtype(type(position), np.integer):
        return ordered[..., int(position)].copy()
    before = int(np.clip(np.floor(position), 0, last))
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
    if not weak:
        step = step.astype(_promoted(ordered, position.dtype), copy=False)
    weight = float(fraction)
    return high - step * (1 - weight) if weight >= 0.5 else low + step * weight


def _promoted(a: GPUArray, dtype: np.dtype[Any]) -> str:
    if a._dtype_name == "bfloat16":
        return dtype.name
    return np.promote_types(a.dtype, dtype).name
