# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Window functions of signal processing: float64 arrays that are largest in the middle.

The number of points may be a GPUArray of no dimensions, which is waited for.
"""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import number, plain
from gpuarray._common.one_pass import one_pass
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange
from gpuarray._runtime.streams import takes_stream

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _steps(M: Any, device: Any) -> tuple[float, GPUArray | None]:
    """Return M as a float, and the array 1 - M, 3 - M, ... below M, or None if M is at most 1.

    NumPy computes windows from these numbers, so that they are symmetric to the last bit. M need
    not be an integer.
    """
    count = plain(number(M)) * 1.0
    return count, arange(1 - count, count, 2, device=device) if count > 1 else None


def _cosines(M: Any, weights: tuple[float, ...], device: Any) -> GPUArray:
    """Return weights[0] + weights[1] * cos(angle) + weights[2] * cos(2 * angle) + ..."""
    count, steps = _steps(M, device)
    if steps is None:
        return _core.ones(int(count == 1), device=device)
    made: Any = weights[0]
    for multiple, weight in enumerate(weights[1:], 1):
        made = _add_cosine(made, weight, math.pi * multiple / (count - 1), steps)
    return made  # type: ignore[no-any-return]


@one_pass
def _add_cosine(made: Any, weight: float, scale: float, steps: GPUArray) -> Any:
    return weight * _core.cos(scale * steps) + made


@takes_stream
def hanning(M: Any, *, device: Any = None) -> GPUArray:
    """Return the Hann window of M points, 0.5 - 0.5 * cos(2 * pi * n / (M - 1))."""
    return _cosines(M, (0.5, 0.5), device)


@takes_stream
def hamming(M: Any, *, device: Any = None) -> GPUArray:
    """Return the Hamming window of M points, 0.54 - 0.46 * cos(2 * pi * n / (M - 1))."""
    return _cosines(M, (0.54, 0.46), device)


@takes_stream
def blackman(M: Any, *, device: Any = None) -> GPUArray:
    """Return the Blackman window of M points: 0.42, 0.5 and 0.08 of the first three cosines."""
    return _cosines(M, (0.42, 0.5, 0.08), device)


@takes_stream
def bartlett(M: Any, *, device: Any = None) -> GPUArray:
    """Return the triangular window of M points, 0 at both ends."""
    count, steps = _steps(M, device)
    if steps is None:
        return _core.ones(int(count == 1), device=device)
    return _tent(steps, count - 1)


@one_pass
def _tent(steps: GPUArray, last: float) -> GPUArray:
    return 1 - _core.absolute(steps / last)


@takes_stream
def kaiser(M: Any, beta: Any, *, device: Any = None) -> GPUArray:
    """Return the Kaiser window of M points, i0(beta * sqrt(1 - x**2)) / i0(beta), x from -1 to 1.

    On the cpu device these are NumPy's numbers; a CUDA device computes them itself.
    """
    count, shape = number(M), number(beta)
    where = _core.empty(0, device=device).device
    if where.kind == "cpu" or not count > 1:
        return _core.to_device(np.kaiser(count, shape), device=where)
    middle = (count - 1) / 2.0
    return _kaiser(arange(0, count, device=where), middle, float(shape), float(np.i0(shape)))


@one_pass
def _kaiser(points: GPUArray, middle: float, beta: float, largest: float) -> GPUArray:
    x = (points - middle) / middle
    return _core.i0(beta * _core.sqrt(1 - x * x)) / largest
