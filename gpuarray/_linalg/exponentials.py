# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The exponential of matrices."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._linalg.matrices import (
    common_dtype,
    empty,
    eye_like,
    real_of,
    require_square,
)
from gpuarray._linalg.solving import solved
from gpuarray._manipulation.rearranging import roll
from gpuarray._runtime.streams import takes_stream

__all__ = ["expm"]


# The coefficients of Pade's approximant of degree 13, and the norm up to which it is exact.
_PADE = (
    *(64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800),
    *(129060195264000, 10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960),
    *(16380, 182, 1),
)
_PADE_NORM = 4.25


@takes_stream
def expm(A: GPUArray) -> GPUArray:
    """Return the exponentials of square matrices (..., n, n), by scaling and squaring.

    Each matrix is scaled by its own norm; NaN for what is not finite. Of triangular matrices the
    diagonal and its neighbours are exact. Waits for the device, because the norms say how often to
    square.
    """
    require_square("expm", A)
    dtype = common_dtype(A)
    a = A.astype(dtype, copy=False)
    if a.size == 0:
        return empty(a, a.shape, dtype)
    norms = np.asarray(_core.max(_core.sum(_core.absolute(a), axis=-2), axis=-1).get(), "float64")
    finite = np.isfinite(norms)
    with np.errstate(divide="ignore"):
        squarings = np.maximum(np.ceil(np.log2(np.where(finite, norms, 1) / _PADE_NORM)), 0)
    if not finite.all():
        a = _core.where(_by_matrix(finite, a), a, 0)
    a = a * _by_matrix(np.exp2(-squarings).astype(real_of(dtype)), a)
    triangles = _Triangles(a)
    result = triangles.corrected(_pade(a, dtype), a)
    for done in range(int(squarings.max())):
        more = _by_matrix(done < squarings, a)
        a = _core.where(more, a + a, a)
        result = triangles.corrected(_core.where(more, result @ result, result), a)
    return result if finite.all() else _core.where(_by_matrix(finite, a), result, np.nan)


def _by_matrix(values: np.ndarray[Any, Any], a: GPUArray) -> GPUArray:
    """Return numbers on the host, one a matrix, as an array that goes with the elements of `a`."""
    return _core.to_device(values[..., None, None], device=a.device)


class _Triangles:
    """Corrects exponentials of triangular matrices, whose errors every squaring would double."""

    def __init__(self, a: GPUArray) -> None:
        n = a.shape[-1]
        ones = np.ones((n, n), bool)
        lower, upper, above = (
            _core.to_device(x, device=a.device)
            for x in (np.tril(ones), np.triu(ones), np.eye(n, k=1, dtype=bool))
        )
        zero = _core.equal(a, 0)
        is_lower = _core.all(_core.logical_or(zero, lower), axis=(-2, -1))[..., None, None]
        is_upper = _core.all(_core.logical_or(zero, upper), axis=(-2, -1))[..., None, None]
        self._are_triangles = _core.logical_or(is_lower, is_upper)
        self._any = bool(_core.any(self._are_triangles))
        self._diagonal, self._above, self._below = lower & upper, above, above.mT
        # Where elements are zeros that stay.
        self._zeros = _core.logical_or(
            _core.logical_and(is_lower, _core.logical_not(lower)),
            _core.logical_and(is_upper, _core.logical_not(upper)),
        )

    def corrected(self, result: GPUArray, a: GPUArray) -> GPUArray:
        """Return exp(a) with the diagonal and its neighbours of triangular matrices replaced."""
        if not self._any:
            return result
        first = _core.sum(_core.where(self._diagonal, a, 0), axis=-1)
        second = roll(first, -1, -1)
        slopes = _slopes(first, second)
        made = _core.where(self._zeros, 0, result)
        for place, values in (
            (self._diagonal, _core.exp(first)[..., None]),
            (self._above, _times(slopes[..., None], a, self._above, -1)),
            (self._below, _times(slopes[..., None, :], a, self._below, -2)),
        ):
            made = _core.where(_core.logical_and(place, self._are_triangles), values, made)
        return made


def _times(slopes: GPUArray, a: GPUArray, place: GPUArray, axis: int) -> GPUArray:
    elements = _core.sum(_core.where(place, a, 0), axis=axis, keepdims=True)
    return _core.where(_core.equal(elements, 0), 0, slopes * elements)


def _slopes(first: GPUArray, second: GPUArray) -> GPUArray:
    """Return (exp(first) - exp(second)) / (first - second), and exp(first) where they are equal."""
    gap = first - second
    near = _core.less(_core.absolute(gap), 1)
    half = _core.where(_core.logical_or(_core.equal(gap, 0), _core.logical_not(near)), 1, gap / 2)
    ratio = _core.where(_core.equal(gap, 0), 1, _core.sinh(half) / half)
    far = (_core.exp(first) - _core.exp(second)) / _core.where(near, 1, gap)
    return _core.where(near, _core.exp(second + gap / 2) * ratio, far)


def _pade(a: GPUArray, dtype: str) -> GPUArray:
    c = [float(value) for value in _PADE]
    one = eye_like(a, (), a.shape[-1], dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2)
    odd = a @ (odd + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * one)
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2)
    even = even + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * one
    return solved("expm", even - odd, even + odd)
