# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's rules that choose the number of bins of a histogram."""

from collections.abc import Callable
from math import ceil, log2, pi, sqrt
from typing import Any

import numpy as np

from gpuarray._core import GPUArray
from gpuarray._statistics.quantiles import percentile

__all__ = ["bins_by_rule"]

_Limits = tuple[Any, Any]
_Histogram = Callable[[GPUArray, int, _Limits], tuple[GPUArray, GPUArray]]


def _extent(a: GPUArray) -> float:
    return float(a.max()) - float(a.min())


def _deviation(a: GPUArray) -> float:
    exact = a.astype("float64", copy=False)
    return float((((exact - exact.mean()) ** 2).mean()) ** 0.5)


def _sqrt(a: GPUArray, limits: _Limits) -> float:
    return _extent(a) / sqrt(a.size)


def _sturges(a: GPUArray, limits: _Limits) -> float:
    return _extent(a) / (log2(a.size) + 1.0)


def _rice(a: GPUArray, limits: _Limits) -> float:
    return _extent(a) / float(2.0 * a.size ** (1.0 / 3))


def _scott(a: GPUArray, limits: _Limits) -> float:
    return float((24.0 * pi**0.5 / a.size) ** (1.0 / 3.0)) * _deviation(a)


def _doane(a: GPUArray, limits: _Limits) -> float:
    n, sigma = a.size, _deviation(a)
    if n <= 2 or sigma <= 0:
        return 0.0
    exact = a.astype("float64", copy=False)
    skew = float((((exact - exact.mean()) / sigma) ** 3).mean())
    spread = sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _extent(a) / (1.0 + log2(n) + log2(1.0 + abs(skew) / spread))


def _fd(a: GPUArray, limits: _Limits) -> float:
    quarters = percentile(a, [75, 25]).get()
    return float(2.0 * (quarters[0] - quarters[1]) * a.size ** (-1.0 / 3.0))


def _auto(a: GPUArray, limits: _Limits) -> float:
    return min(max(_fd(a, limits), _sqrt(a, limits) / 2), _sturges(a, limits))


def _stone(a: GPUArray, limits: _Limits, histogram: _Histogram) -> float:
    n, extent = a.size, _extent(a)
    if n <= 1 or extent == 0:
        return 0.0

    def risk(bins: int) -> float:
        width = extent / bins
        shares = histogram(a, bins, limits)[0].get() / n
        return float((2 - (n + 1) * shares.dot(shares)) / width)

    return extent / min(range(1, max(100, int(sqrt(n))) + 1), key=risk)


_RULES: dict[str, Callable[[GPUArray, _Limits], float]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _fd,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "sturges": _sturges,
}


def bins_by_rule(a: GPUArray, rule: str, limits: _Limits, histogram: _Histogram) -> int:
    """Return how many bins the rule wants between the limits; waits for the elements.

    One of the rules compares histograms, which `histogram` makes.
    """
    if rule not in _RULES and rule != "stone":
        raise ValueError(f"histogram: {rule!r} is not a valid estimator for bins")
    if a.size == 0:
        return 1
    width = _stone(a, limits, histogram) if rule == "stone" else _RULES[rule](a, limits)
    if not width:
        return 1
    if np.dtype(a.dtype).kind in "iu" and width < 1:
        width = 1
    return ceil((float(limits[1]) - float(limits[0])) / width)
