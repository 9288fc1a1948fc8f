# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Window functions of signal processing: float64 arrays that are largest in the middle.

The number of points may be a GPUArray of no dimensions, which is waited for.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.arguments import number, plain
from gpuarray._common.one_pass import made_at_once
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange, length_of_range
from gpuarray._runtime.streams import takes_stream

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _window(
    M: Any,
    device: Any,
    kernel: Callable[[], Any],
    operations: Callable[..., Any],
    values: Callable[[float], tuple[float, ...]],
) -> GPUArray:
    """Return operations(steps, *values(M - 1)) for the steps 1 - M, 3 - M, ... below M.

    NumPy computes windows from these numbers, so that they are symmetric to the last bit. M need
    not be an integer. `kernel` gives the same bits.
    """
    count = plain(number(M)) * 1.0
    if not count > 1:
        return _core.ones(int(count == 1), device=device)
    size = length_of_range(1 - count, count, 2)
    numbers = values(count - 1)
    made = made_at_once(kernel, (size,), float, device, 1 - count, *numbers)
    if made is None:
        made = operations(arange(1 - count, count, 2, device=device), *numbers)
    return made


def _by_steps(name: str, values: list[str], operation: str) -> Any:
    """Return the kernel of a window that an operation makes of the steps, and rounds as ours."""
    return package.module.ElementwiseKernel(
        ", ".join(f"float64 {value}" for value in ["start", *values]),
        "float64 y",
        f"const double step = start + double(i) * 2; y = {operation};",
        name,
        options=["--fmad=false"],
    )


def _cosines(M: Any, weights: tuple[float, ...], device: Any) -> GPUArray:
    """Return weights[0] + weights[1] * cos(angle) + weights[2] * cos(2 * angle) + ..."""

    def values(last: float) -> tuple[float, ...]:
        angles = [math.pi * multiple / last for multiple in range(1, len(weights))]
        return (*weights, *angles)

    kernel = functools.partial(_cosines_kernel, len(weights))
    return _window(M, device, kernel, _sum_of_cosines, values)


def _sum_of_cosines(steps: GPUArray, *values: float) -> Any:
    count = (len(values) + 1) // 2
    made: Any = values[0]
    for weight, angle in zip(values[1:count], values[count:], strict=True):
        made = weight * _core.cos(angle * steps) + made
    return made


@functools.cache
def _cosines_kernel(count: int) -> Any:
    made = "w0"
    for k in range(1, count):
        made = f"w{k} * math::cos(a{k} * step) + ({made})"
    values = [f"w{k}" for k in range(count)] + [f"a{k}" for k in range(1, count)]
    return _by_steps("cosines", values, made)


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
    return _window(M, device, _tent_kernel, _tent, lambda last: (last,))


def _tent(steps: GPUArray, last: float) -> GPUArray:
    return 1 - _core.absolute(steps / last)


@functools.cache
def _tent_kernel() -> Any:
    return _by_steps("bartlett", ["last"], "1 - math::absolute(step / last)")


@takes_stream
def kaiser(M: Any, beta: Any, *, device: Any = None) -> GPUArray:
    """Return the Kaiser window of M points, i0(beta * sqrt(1 - x**2)) / i0(beta), x from -1 to 1.

    On the cpu device these are NumPy's numbers; a CUDA device computes them itself.
    """
    count, shape = number(M), number(beta)
    where = _core.empty(0, device=device).device
    if where.kind == "cpu" or not count > 1:
        return _core.to_device(np.kaiser(count, shape), device=where)
    size = length_of_range(0, count, 1)
    values = (count - 1) / 2.0, float(shape), 1 / float(np.i0(shape))
    made = None
    if size == count:
        kernel = functools.partial(_kaiser_kernel, (size + 1) // 2)
        made = made_at_once(kernel, (size,), float, where, *values, size - 1)
    return _kaiser(arange(0, count, device=where), *values) if made is None else made


def _kaiser(points: GPUArray, middle: float, beta: float, share: float) -> GPUArray:
    x = (points - middle) / middle
    return _core.i0(beta * _core.sqrt(1 - x * x)) * share


def _kaiser_kernel(size: int) -> Any:
    """Return the kernel of the first `size` points, a half, which writes the other one too."""
    return functools.partial(_mirrored_kaiser(), size=size)


@functools.cache
def _mirrored_kaiser() -> Any:
    return package.module.ElementwiseKernel(
        "float64 middle, float64 beta, float64 share, int64 last",
        "raw float64 y",
        "const double x = (double(i) - middle) / middle;"
        "y[i] = y[last - i] = math::i0(beta * math::sqrt(1 - x * x)) * share;",
        "kaiser",
        options=["--fmad=false"],
    )
