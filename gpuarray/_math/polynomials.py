# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Polynomials as 1-d arrays of coefficients, the highest power first; leading zeros are kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import require_array
from gpuarray._common.one_pass import one_pass
from gpuarray._common.operands import Operand
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._math.signal import convolve
from gpuarray._runtime.streams import takes_stream

__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval", "vander"]


@takes_stream
def polyval(p: GPUArray | Sequence[complex], x: Operand) -> GPUArray:
    """Return p[0] * x**(N-1) + ... + p[N-1], element by element, by Horner's scheme.

    `p` is a 1-d GPUArray or a sequence of Python's numbers.
    """
    if not isinstance(x, GPUArray) and np.asarray(x).dtype.kind == "O":
        raise TypeError(f"polyval: x: expected a GPUArray or numbers, got {type(x).__name__}")
    x = x if isinstance(x, GPUArray) else np.asarray(x)[()]
    if isinstance(p, GPUArray) and p.ndim == 0:
        raise ValueError("polyval: expected one dimension of coefficients, got 0")
    coefficients = list(p if isinstance(p, GPUArray) else np.asarray(_numbers(p)))
    made: Any = 0
    if not isinstance(x, GPUArray):
        made = np.zeros_like(x)[()]
    elif x._dtype_name == "bool" or not coefficients:
        made = _core.zeros(x.shape, x._dtype_name, device=x.device)
    for first in range(0, len(coefficients), _COEFFICIENTS_AT_ONCE):
        made = _horner(made, x, *coefficients[first : first + _COEFFICIENTS_AT_ONCE])
    return asarray(made)


# fuse() takes 32 arguments.
_COEFFICIENTS_AT_ONCE = 24


@one_pass
def _horner(made: Any, x: Any, *coefficients: Any) -> Any:
    for coefficient in coefficients:
        made = made * x + coefficient
    return made


def _numbers(p: Any) -> Sequence[complex]:
    if not isinstance(p, (list, tuple)):
        require_array("polyval", p)
    return p  # type: ignore[no-any-return]


@takes_stream
def polyadd(a1: GPUArray, a2: GPUArray) -> GPUArray:
    """Return the coefficients of the sum of two polynomials."""
    return _combined("polyadd", _core.add, a1, a2)


@takes_stream
def polysub(a1: GPUArray, a2: GPUArray) -> GPUArray:
    """Return the coefficients of the difference of two polynomials."""
    return _combined("polysub", _core.subtract, a1, a2)


@takes_stream
def polymul(a1: GPUArray, a2: GPUArray) -> GPUArray:
    """Return the coefficients of the product of two polynomials; without coefficients one is 0."""
    first, second = _coefficients("polymul", a1), _coefficients("polymul", a2)
    return convolve(_or_zero(first), _or_zero(second))


def _or_zero(p: GPUArray) -> GPUArray:
    return p if p.size else _core.zeros(1, p._dtype_name, device=p.device)


@takes_stream
def polyder(p: GPUArray, m: int = 1) -> GPUArray:
    """Return the coefficients of the derivative, taken `m` times."""
    if m < 0:
        raise ValueError(f"polyder: order of derivative must be positive, got {m}")
    p = _coefficients("polyder", p)
    for _ in range(m):
        p = p[:-1] * _core._arange(max(p.size - 1, 0), p.size - 1, -1, "int64", p.device)
    return p


@takes_stream
def polyint(p: GPUArray, m: int = 1, k: Any = None) -> GPUArray:
    """Return the coefficients of the antiderivative, taken `m` times, with constants `k`.

    `k` is a number or a sequence of `m` of them, 0 by default. Integers give float64.
    """
    if m < 0:
        raise ValueError(f"polyint: order of integral must be positive, got {m}")
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if constants.size == 1:
        constants = np.repeat(constants, m)
    if constants.ndim != 1 or constants.size < m:
        raise ValueError(f"polyint: k must be a scalar or of length {m}, got {constants.shape}")
    p = _coefficients("polyint", p)
    for constant in constants[:m].tolist():
        powers = _core._arange(p.size, p.size, -1, "int64", p.device)
        terms = p / powers
        p = _core.empty(p.size + 1, terms._dtype_name, device=p.device)
        p[:-1] = terms
        p[-1] = constant
    return p


def _coefficients(what: str, p: Any) -> GPUArray:
    if require_array(what, p).ndim > 1:
        raise ValueError(f"{what}: expected one dimension of coefficients, got {p.ndim}")
    return p.reshape(-1)  # type: ignore[no-any-return]


def _combined(what: str, operation: Any, a1: GPUArray, a2: GPUArray) -> GPUArray:
    first, second = _coefficients(what, a1), _coefficients(what, a2)
    size = max(first.size, second.size)
    parts = []
    for p in (first, second):
        padded = _core.zeros(size, p._dtype_name, device=p.device)
        padded[size - p.size :] = p
        parts.append(padded)
    return operation(*parts)  # type: ignore[no-any-return]


@takes_stream
def vander(x: GPUArray, N: int | None = None, increasing: bool = False) -> GPUArray:
    """Return the Vandermonde matrix, whose columns are powers of 1-d `x`, the highest first.

    `N` columns, by default as many as rows; 1 comes first with `increasing`. The dtype is that of
    `x` promoted with int64.
    """
    if require_array("vander", x).ndim != 1:
        raise ValueError(f"vander: x must be a one-dimensional array, got {x.ndim} dimensions")
    count = x.size if N is None else N
    dtype = _core.maximum(x[:0], _core.empty(0, int, device=x.device))._dtype_name
    made = _core.empty((x.size, count), dtype, device=x.device)
    columns = made if increasing else made[:, ::-1]
    if count > 0:
        columns[:, 0] = 1
    if count > 1:
        columns[:, 1:] = x.reshape(-1, 1)
        _core.accumulate("multiply", columns[:, 1:], 1, None, columns[:, 1:])
    return made
