# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The frequencies of transforms, their order, and lengths that are transformed fast."""

import operator
from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import normalize_axis, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import Device, GPUArray
from gpuarray._creation.ranges import arange
from gpuarray._dtypes.dtype_functions import dtype_name
from gpuarray._manipulation.rearranging import roll
from gpuarray._runtime.streams import takes_stream

__all__ = ["fftfreq", "fftshift", "ifftshift", "next_fast_len", "rfftfreq"]

_Axes = int | Sequence[int] | None


@takes_stream
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: Device | str | None = None
) -> GPUArray:
    """Return the frequencies of fft's n results for samples `d` apart: [0, 1, ..., -2, -1] / (n d).

    Of a floating-point `dtype`, float64 by default, on `device`, the default one as is. Queued on
    the current stream. ValueError for an `n` below 1 or that is no integer.
    """
    n, step = _spacing("fftfreq", n, d)
    positive = (n - 1) // 2 + 1
    made = _core.empty(n, _real("fftfreq", dtype), device=device)
    made[:positive] = _multiples(0, positive, step, made)
    made[positive:] = _multiples(-(n // 2), 0, step, made)
    return made


@takes_stream
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: Device | str | None = None
) -> GPUArray:
    """Return the frequencies of rfft's n // 2 + 1 results for samples `d` apart, from 0 on.

    Dtype, device, stream and errors are those of fftfreq.
    """
    n, step = _spacing("rfftfreq", n, d)
    made = _core.empty(n // 2 + 1, _real("rfftfreq", dtype), device=device)
    made[...] = _multiples(0, n // 2 + 1, step, made)
    return made


@takes_stream
def fftshift(x: GPUArray, axes: _Axes = None) -> GPUArray:
    """Return a copy in which the frequency 0 is in the middle of the axes, of all of them for None.

    Element 0 goes to place n // 2. Each element is copied once, whatever the number of axes. Queued
    on the current stream. AxisError where there is no such axis.
    """
    return _shifted("fftshift", x, axes, lambda n: n // 2)


@takes_stream
def ifftshift(x: GPUArray, axes: _Axes = None) -> GPUArray:
    """Return a copy that undoes fftshift: element n // 2 goes to place 0.

    As fftshift, from which it differs for odd lengths.
    """
    return _shifted("ifftshift", x, axes, lambda n: -(n // 2))


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the smallest length of at least `target` that is a product of 2, 3, 5 and 7.

    cuFFT has kernels of their own for these factors, and transforms a longer array of such a length
    faster than one whose length has a large prime factor. `real` is taken as SciPy has it, and
    changes nothing. ValueError for a `target` below 1.
    """
    target = operator.index(target)
    if target < 1:
        raise ValueError(f"next_fast_len: target must be positive, got {target}")
    best = 1 << (target - 1).bit_length()
    for odd in _products_of(best, 3, 5, 7):
        quotient = -(-target // odd)
        best = min(best, odd << (quotient - 1).bit_length())
    return best


def _products_of(limit: int, *factors: int) -> list[int]:
    """Return all products of the factors up to a limit."""
    products = [1]
    for factor in factors:
        for product in products:  # grows while it is walked
            if product * factor <= limit:
                products.append(product * factor)
    return products


def _spacing(what: str, n: Any, d: float) -> tuple[int, float]:
    try:
        points = operator.index(n)
    except TypeError:
        raise ValueError(f"{what}: n should be an integer, got {type(n).__name__}") from None
    if points < 1:
        raise ValueError(f"{what}: n must be positive, got {points}")
    if not isinstance(d, SupportsFloat):  # n times a text is a text of n times its length
        raise TypeError(f"{what}: d must be a number, got {type(d).__name__}")
    return points, 1.0 / (points * d)


def _real(what: str, dtype: Any) -> Any:
    if dtype is None:
        return "float64"
    name = dtype_name(dtype)
    if dtype_kind(name) != "f":
        raise TypeError(f"{what}: dtype: expected a floating-point dtype, got {name}")
    return name


def _multiples(start: int, stop: int, step: float, like: GPUArray) -> GPUArray:
    """Return i * step for i from start on, computed in float64 and rounded once."""
    return _core.multiply(arange(start, stop, dtype="float64", device=like.device), step)


def _shifted(what: str, x: GPUArray, axes: _Axes, places: Callable[[int], int]) -> GPUArray:
    ndim = require_array(what, x).ndim
    named = range(ndim) if axes is None else axes if np.iterable(axes) else (axes,)
    along = [normalize_axis(axis, ndim) for axis in named]
    return roll(x, [places(x.shape[axis]) for axis in along], along)
