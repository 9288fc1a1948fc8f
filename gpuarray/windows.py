# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Windows for signals: float64 arrays that are largest in the middle."""

import math
from typing import Any

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray.streams import takes_stream

__all__ = ["bartlett", "blackman", "hamming", "hanning"]


def _cosines(M: int, weights: tuple[float, ...], device: Any) -> GPUArray:
    """Return weights[0] + weights[1] * cos(angle) + weights[2] * cos(2 * angle) + ..."""
    if M < 2:
        return _core.ones(max(int(M), 0), device=device)
    # From 1 - M by 2, as NumPy has them, so that the window is symmetric to the last bit.
    steps = _core.arange_(int(M), 1 - M, 2, "float64", device)
    made = weights[1] * _core.cos(math.pi / (M - 1) * steps) + weights[0]
    for number, weight in enumerate(weights[2:], 2):
        made += weight * _core.cos(math.pi * number / (M - 1) * steps)
    return made


@takes_stream
def hanning(M: int, *, device: Any = None) -> GPUArray:
    """Return the Hann window of M points, 0.5 - 0.5 * cos(2 * pi * n / (M - 1))."""
    return _cosines(M, (0.5, 0.5), device)


@takes_stream
def hamming(M: int, *, device: Any = None) -> GPUArray:
    """Return the Hamming window of M points, 0.54 - 0.46 * cos(2 * pi * n / (M - 1))."""
    return _cosines(M, (0.54, 0.46), device)


@takes_stream
def blackman(M: int, *, device: Any = None) -> GPUArray:
    """Return the Blackman window of M points: 0.42, 0.5 and 0.08 of the first three cosines."""
    return _cosines(M, (0.42, 0.5, 0.08), device)


@takes_stream
def bartlett(M: int, *, device: Any = None) -> GPUArray:
    """Return the triangular window of M points, 0 at both ends."""
    if M < 2:
        return _cosines(M, (), device)
    steps = _core.arange_(int(M), 1 - M, 2, "float64", device)
    return 1 - _core.absolute(steps / (M - 1))
