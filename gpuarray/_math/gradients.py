# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Derivatives by finite differences."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import host_values, is_inexact, normalize_axes, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._math.differences import along, diff
from gpuarray._runtime.streams import takes_stream

__all__ = ["gradient"]


@takes_stream
def gradient(f: GPUArray, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the derivatives of `f` along the axes: an array, or a tuple of them for several axes.

    Second-order differences in the interior, of order `edge_order`, 1 or 2, at both ends.
    `varargs` are the distances of the samples: none for 1, one scalar for all axes, or for each
    axis a scalar, or coordinates in a 1-d GPUArray or a list. Integers give float64. Queued on the
    current stream.
    """
    require_array("gradient", f)
    axes = normalize_axes("gradient", axis, f.ndim)
    spacings = _spacings(varargs, [f.shape[one] for one in axes], f)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: 'edge_order' greater than 2 not supported, got {edge_order}")
    if dtype_kind(f._dtype_name) in ("i", "u"):
        f = f.astype("float64")
    for one in axes:
        if f.shape[one] < edge_order + 1:
            raise ValueError(
                "gradient: shape of array too small to calculate a numerical gradient, at least "
                f"(edge_order + 1) elements are required: {f.shape} along axis {one}"
            )
    made = [_along_axis(f, h, one, edge_order) for one, h in zip(axes, spacings, strict=True)]
    return made[0] if len(made) == 1 else tuple(made)


def _spacings(given: tuple[Any, ...], lengths: list[int], f: GPUArray) -> list[Any]:
    """Return for each axis the distance of the samples, or an array of distances between them."""
    if not given:
        return [1.0] * len(lengths)
    if len(given) == 1 and np.ndim(given[0]) == 0:
        return [given[0]] * len(lengths)
    if len(given) != len(lengths):
        raise TypeError(f"gradient: invalid number of arguments, {len(given)} distances")
    return [
        _steps(points, length, f) if np.ndim(points) else points
        for points, length in zip(given, lengths, strict=True)
    ]


def _steps(points: Any, length: int, f: GPUArray) -> GPUArray:
    points = host_values("gradient: distances", points, f)
    if points.ndim != 1:
        raise ValueError(f"gradient: distances must be scalars or 1d, got {points.ndim} dimensions")
    if points.size != length:
        raise ValueError(
            "gradient: when 1d, distances must match the length of the corresponding dimension, "
            f"got {points.size} for {length}"
        )
    return diff(points if is_inexact(points) else points.astype("float64"))


def _along_axis(f: GPUArray, h: Any, axis: int, edge_order: int) -> GPUArray:
    def at(start: Any, stop: Any = None) -> GPUArray:
        return along(f, axis, slice(start, stop))

    made = _core.empty_like(f, f._dtype_name if is_inexact(f) else "float64")
    inner = along(made, axis, slice(1, -1))
    if not isinstance(h, GPUArray) or h.ndim == 0:
        inner[...] = (at(2) - at(None, -2)) / (2.0 * h)
        before = after = first = last = h
    else:
        left, right = (_shaped(part, f.ndim - 1 - axis) for part in (h[:-1], h[1:]))
        both = left + right
        inner[...] = (
            at(None, -2) * (-right / (left * both))
            + at(1, -1) * ((right - left) / (left * right))
            + at(2) * (left / (right * both))
        )
        first, before = h[0], h[min(1, h.size - 1)]
        last, after = h[-1], h[max(-2, -h.size)]
    ends = along(made, axis, slice(0, 1)), along(made, axis, slice(-1, None))
    if edge_order == 1:
        ends[0][...] = (at(1, 2) - at(0, 1)) / first
        ends[1][...] = (at(-1) - at(-2, -1)) / last
    else:
        ends[0][...] = _second_order(at(0, 1), at(1, 2), at(2, 3), first, before)
        ends[1][...] = -_second_order(at(-1), at(-2, -1), at(-3, -2), last, after)
    return made


def _second_order(f0: GPUArray, f1: GPUArray, f2: GPUArray, h1: Any, h2: Any) -> GPUArray:
    """Return the derivative at f0; f1 lies h1 from f0, and f2 lies h2 beyond f1."""
    both = h1 + h2
    near, far = both / (h1 * h2), -h1 / (h2 * both)
    slope: GPUArray = f0 * (-(2.0 * h1 + h2) / (h1 * both)) + f1 * near + f2 * far
    return slope


def _shaped(h: GPUArray, trailing: int) -> GPUArray:
    return h.reshape((-1,) + (1,) * trailing)
