# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What medians and quantiles share: sorted rows, and the position of a quantile in a row."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._common.arguments import normalize_axes, require_array
from gpuarray._core import GPUArray

__all__ = ["POSITIONS", "fractions_of", "require_method", "rows_of"]

_HostArray = np.ndarray[Any, Any]


def _hyndman_fan(alpha: float, beta: float) -> Callable[[int, _HostArray], _HostArray]:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _whole(position: _HostArray, stays: _HostArray) -> _HostArray:
    """Return the index at or before each position where `stays` is True, else the next index."""
    before = np.floor(position)
    return np.maximum(np.where(stays, before, before + 1), 0).astype(np.int64)


def _inverted_cdf(n: int, q: _HostArray) -> _HostArray:
    position = n * q - 1
    return _whole(position, position == np.floor(position))


def _closest_observation(n: int, q: _HostArray) -> _HostArray:
    position = n * q - 1.5
    before = np.floor(position)
    return _whole(position, (position == before) & (before % 2 == 1))


# Positions of the quantiles q among n sorted values (Hyndman and Fan, 1996): an integer is an
# index, a float lies between two.
POSITIONS: dict[str, Callable[[int, _HostArray], _HostArray]] = {
    "inverted_cdf": _inverted_cdf,
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": _closest_observation,
    "interpolated_inverted_cdf": _hyndman_fan(0, 1),
    "hazen": _hyndman_fan(0.5, 0.5),
    "weibull": _hyndman_fan(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _hyndman_fan(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _hyndman_fan(3 / 8.0, 3 / 8.0),
    "lower": lambda n, q: np.floor((n - 1) * q).astype(np.int64),
    "higher": lambda n, q: np.ceil((n - 1) * q).astype(np.int64),
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "nearest": lambda n, q: np.around((n - 1) * q).astype(np.int64),
}


def rows_of(what: str, a: Any, axis: Any) -> tuple[GPUArray, tuple[int, ...]]:
    """Return the array with what is reduced as its last axis, and its shape with keepdims."""
    a = require_array(what, a)
    if axis is None:
        return a.reshape(-1), (1,) * a.ndim
    axes = normalize_axes(what, axis, a.ndim)
    kept = [k for k in range(a.ndim) if k not in axes]
    shape = tuple(1 if k in axes else a.shape[k] for k in range(a.ndim))
    length = math.prod(a.shape[k] for k in axes)
    rows = a.transpose((*kept, *axes)).reshape(*(a.shape[k] for k in kept), length)
    return rows, shape


def require_method(what: str, method: str) -> None:
    """Raise ValueError unless `method` is the name of one of NumPy's methods."""
    if method not in POSITIONS:
        raise ValueError(f"{what}: method must be one of {', '.join(POSITIONS)}, got {method!r}")


def fractions_of(what: str, q: Any) -> _HostArray:
    """Return `q`, a number or an array of at most two dimensions, as an ndarray of real numbers."""
    given = q.get() if isinstance(q, GPUArray) else np.asarray(q)
    # The objects are fractions, decimals or integers beyond 64 bits.
    if given.dtype.kind == "O":
        given = np.vectorize(float, otypes=[np.float64])(given)
    # The kind V is that of bfloat16.
    if given.dtype.kind not in "biufV":
        raise TypeError(f"{what}: q must be real numbers, got dtype {given.dtype}")
    if given.ndim > 2:
        raise ValueError(f"{what}: q must have at most two dimensions, got {given.ndim}")
    return given
