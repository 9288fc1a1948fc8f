# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Histograms and counts of integers, each computed in one pass over the elements."""

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    host_values,
    is_complex,
    number,
    require_array,
    require_iterable,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._dtypes.dtype_functions import promoted
from gpuarray._manipulation.manipulation import concatenate, stack
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.searching import searchsorted
from gpuarray._sorting.sorting import argsort
from gpuarray._statistics.bin_widths import bins_by_rule

__all__ = ["bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

_HostArray = np.ndarray[Any, Any]


@takes_stream
@numpys_on_cpu(np.bincount)
def bincount(x: GPUArray, /, weights: Any = None, minlength: int = 0) -> GPUArray:
    """Return how often each of 0, 1, 2 ... occurs in `x`, int64, or the sum of `weights`, float64.

    `x` is of one dimension and holds integers, none of them negative. The result is as long as the
    largest asks for, for which the call waits, at least `minlength`. CUDA devices sum weights in no
    fixed order, so the last bits may differ between calls. Queued on the current stream.
    """
    if require_array("bincount", x).ndim != 1:
        raise ValueError(f"bincount: expected an array of one dimension, got {x.ndim}")
    if np.dtype(x.dtype).kind not in "biu":
        raise TypeError(f"bincount: x must cast to int64 safely, got {x._dtype_name}")
    minlength = operator.index(number(minlength))
    if minlength < 0:
        raise ValueError(f"bincount: minlength must not be negative, got {minlength}")
    if weights is not None:
        weights = host_values("bincount: weights", weights, x)
        if weights.shape != x.shape:
            raise ValueError(f"bincount: weights have shape {weights.shape}, x {x.shape}")
        if not np.can_cast(weights.dtype, np.float64):
            raise TypeError(f"bincount: weights must cast to float64, got {weights._dtype_name}")
    # NumPy returns int64 here with weights too.
    if x.size == 0:
        return _core.zeros(minlength, "int64", device=x.device)
    length = max(_greatest(x) + 1, minlength)
    return _core._histogram(
        x.view("int64") if x._dtype_name == "uint64" else x, length, None, weights
    )


def _greatest(x: GPUArray) -> int:
    """Return the largest element; ValueError for a negative one."""
    kind = np.dtype(x.dtype)
    if kind.kind == "b":
        return int(x.max())
    # As unsigned numbers, negative elements exceed all others, so one maximum finds them too.
    greatest = int(x.view(f"uint{8 * kind.itemsize}").max())
    if greatest > min(np.iinfo(kind).max, np.iinfo(np.int64).max):
        raise ValueError("bincount: x must not have negative elements")
    return greatest


@takes_stream
def histogram_bin_edges(
    a: GPUArray, bins: Any = 10, range: Any = None, weights: Any = None
) -> GPUArray:
    """Return the edges of the bins that `histogram` uses, one more than there are bins."""
    flat, _ = _flat("histogram_bin_edges", a, weights)
    return _device_edges(_edges(flat, bins, range, weights)[0], a.device)


@takes_stream
def histogram(
    a: GPUArray,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[GPUArray, GPUArray]:
    """Return how many elements lie in each bin, int64, and the edges of the bins.

    `bins` is their number, the name of one of NumPy's rules for it, or the edges, increasing; a bin
    holds its lower edge, the last one both. Without `range` the bins reach from the least to the
    greatest element, for which the call waits; ValueError where that is not finite. With `weights`
    those are summed, in their dtype, on a CUDA device in no fixed order. With `density` the
    integral over the bins is 1. Bins are compared in float64. Queued on the current stream.
    """
    flat, weighed = _flat("histogram", a, weights)
    edges, even = _edges(flat, bins, range, weighed)
    counts = _counts(flat, edges, even, weighed)
    limits = _device_edges(edges, a.device)
    if density:
        widths = (limits[1:] - limits[:-1]).astype("float64", copy=False)
        return counts / widths / counts.sum(), limits
    return counts, limits


def _device_edges(edges: Any, device: Any) -> GPUArray:
    return edges if isinstance(edges, GPUArray) else asarray(edges, device=device)


def _flat(what: str, a: Any, weights: Any) -> tuple[GPUArray, GPUArray | None]:
    a = require_array(what, a)
    if a._dtype_name == "bool":
        a = a.astype("uint8")
    if weights is None:
        return a.reshape(-1), None
    weights = host_values(f"{what}: weights", weights, a)
    if weights.shape != a.shape:
        raise ValueError(
            f"{what}: weights should have the same shape as the array: got {weights.shape}, "
            f"expected {a.shape}"
        )
    return a.reshape(-1), weights.reshape(-1)


def _counts(a: GPUArray, edges: Any, even: bool, weights: GPUArray | None) -> GPUArray:
    if is_complex(a) or getattr(edges, "dtype", None) in (np.complex64, np.complex128):
        return _complex_counts(a, edges, even, weights)
    limits = _device_edges(edges, a.device).astype("float64", copy=False)
    bins = max(limits.size - 1, 0)
    if weights is None:
        return _core._histogram(a, bins, limits, None, even)
    if is_complex(weights):
        made = _core.empty(bins, weights._dtype_name, device=a.device)
        for part in ("real", "imag"):
            sums = _core._histogram(a, bins, limits, getattr(weights, part), even)
            getattr(made, part)[...] = sums
        return made
    return _core._histogram(a, bins, limits, weights, even).astype(weights.dtype, copy=False)


def _complex_counts(a: GPUArray, edges: Any, even: bool, weights: GPUArray | None) -> GPUArray:
    """Count complex numbers in bins by searching the edges among the sorted elements."""
    if even:
        raise TypeError("histogram: bins of complex numbers are given by their edges")
    limits = _device_edges(edges, a.device)
    order = argsort(a)
    ordered = a[order]
    ends = concatenate(
        [searchsorted(ordered, limits[:-1]), searchsorted(ordered, limits[-1:], "right")]
    )
    if weights is None:
        return ends[1:] - ends[:-1]
    sums = _core.zeros(a.size + 1, weights._dtype_name, device=a.device)
    sums[1:] = _core.cumsum(weights[order], dtype=weights._dtype_name)
    return sums[ends[1:]] - sums[ends[:-1]]


def _outer_edges(a: GPUArray, range: Any) -> tuple[Any, Any]:
    """Return the outer edges of all bins, as NumPy scalars of the data or as given in `range`."""
    if range is not None:
        first, last = map(number, range)
        if first > last:
            raise ValueError(f"histogram: max must be larger than min in range, got {range}")
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"histogram: the supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = stack([a.min(), a.max()]).get()
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"histogram: the range of the data, [{first}, {last}], is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last


def _edges(
    a: GPUArray, bins: Any, range: Any, weights: GPUArray | None, of_range: bool = False
) -> tuple[Any, bool]:
    """Return the edges, on the host unless `bins` is a GPUArray, and whether they are even.

    Even edges have a dtype that holds the samples, or with `of_range` the dtype of `range` alone.
    """
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError("histogram: the number of bins is not estimated for weighted data")
        limits = _outer_edges(a, range)
        if range is not None:
            a = a[(a >= limits[0]) & (a <= limits[1])]
        return _even_edges(a, limits, bins_by_rule(a, bins, limits, histogram)), True
    if np.ndim(bins) == 0:
        try:
            count = operator.index(bins)
        except TypeError:
            raise TypeError(
                f"histogram: bins must be an integer, a string or edges, got {bins!r}"
            ) from None
        if count < 1:
            raise ValueError(f"histogram: bins must be positive, got {count}")
        return _even_edges(None if of_range else a, _outer_edges(a, range), count), True
    edges = bins if isinstance(bins, GPUArray) else np.asarray(bins)
    if edges.ndim != 1:
        raise ValueError(f"histogram: edges must be 1d, got {edges.ndim} dimensions")
    if bool((edges[:-1] > edges[1:]).any()):
        raise ValueError("histogram: edges must increase monotonically")
    return edges, False


def _even_edges(a: GPUArray | None, limits: tuple[Any, Any], count: int) -> _HostArray:
    kind = np.result_type(*limits)
    if a is not None:
        kind = np.result_type(*limits, "float32" if a._dtype_name == "bfloat16" else a.dtype)
    if kind.kind in "iu":
        kind = np.result_type(kind, float)
    edges = np.linspace(*limits, count + 1, dtype=kind)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"histogram: Too many bins for data range: {count} in {limits}")
    return edges


def _columns(what: str, sample: Any) -> list[GPUArray]:
    """Return the coordinates of the samples as one array for each dimension."""
    if isinstance(sample, GPUArray):
        if sample.ndim == 1:
            return [sample]
        if sample.ndim != 2 or sample.shape[1] == 0:
            raise ValueError(
                f"{what}: expected samples of shape (n, d) with d > 0, got shape {sample.shape}"
            )
        return [sample[:, k] for k in np.arange(sample.shape[1]).tolist()]
    columns = [require_array(what, each) for each in require_iterable(what, sample)]
    dtype = promoted(*(column._dtype_name for column in columns))
    return [column.astype(dtype, copy=False) for column in columns]


@takes_stream
def histogramdd(
    sample: GPUArray | Sequence[GPUArray],
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[GPUArray, list[GPUArray]]:
    """Return how many samples lie in each bin of a grid, float64, and the edges along each axis.

    `sample` has a row for each sample, or is a sequence of coordinates, one array an axis. `bins`
    is a number for all axes or a sequence of numbers and edges, `range` a sequence of pairs or of
    None. Waits as `histogram` does. Queued on the current stream.
    """
    if isinstance(bins, str):
        raise ValueError(f"histogramdd: there is no rule for the bins of several axes: {bins!r}")
    columns = _columns("histogramdd", sample)
    per_axis = list(bins) if _is_sequence(bins) else [bins] * len(columns)
    if len(per_axis) != len(columns):
        raise ValueError(
            f"histogramdd: bins for {len(per_axis)} axes, the sample has {len(columns)}"
        )
    ranges = [None] * len(columns) if range is None else list(range)
    if len(ranges) != len(columns):
        raise ValueError(f"histogramdd: {len(ranges)} ranges for {len(columns)} axes")
    device = columns[0].device
    if weights is not None:
        weights = host_values("histogramdd: weights", weights, columns[0])
    edges = [
        _device_edges(_edges(column, count, limits, None, of_range=limits is not None)[0], device)
        for column, count, limits in zip(columns, per_axis, ranges, strict=True)
    ]
    shape = [each.size - 1 for each in edges]
    total = prod(shape)
    numbers = _core.zeros(columns[0].shape, "int64", device=device)
    inside = _core.ones(columns[0].shape, "bool", device=device)
    for column, each in zip(columns, edges, strict=True):
        bin_number = searchsorted(each, column, "right") - (column == each[-1]) - 1
        inside &= (bin_number >= 0) & (bin_number < each.size - 1)
        numbers = numbers * (each.size - 1) + bin_number
    # Samples outside of all bins are counted in one more bin at the end.
    numbers = _core.where(inside, numbers, total)
    counts = _core._histogram(numbers, total + 1, None, weights)
    made = counts[:total].reshape(shape).astype("float64", copy=False)
    return (_density(made, edges) if density else made), edges


def _is_sequence(bins: Any) -> bool:
    return isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) > 0


def _density(counts: GPUArray, edges: list[GPUArray]) -> GPUArray:
    made = counts
    for axis, each in enumerate(edges):
        shape = [1] * len(edges)
        shape[axis] = each.size - 1
        made = made / (each[1:] - each[:-1]).reshape(shape)
    return made / counts.sum()


@takes_stream
def histogram2d(
    x: GPUArray,
    y: GPUArray,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[GPUArray, GPUArray, GPUArray]:
    """Return how many points (x, y) lie in each bin, and the edges along both: `histogramdd`."""
    for given in (x, y):
        if require_array("histogram2d", given).ndim != 1:
            raise ValueError(f"histogram2d: expected one dimension, got shape {given.shape}")
    if len(x) != len(y):
        raise ValueError(
            f"histogram2d: x and y must have the same length, got {len(x)} and {len(y)}"
        )
    per_axis = [bins, bins] if _is_sequence(bins) and len(bins) not in (1, 2) else bins
    counts, edges = histogramdd([x, y], per_axis, range, density, weights)
    return counts, edges[0], edges[1]
