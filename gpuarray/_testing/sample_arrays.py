# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays of gpuarray or NumPy with the same elements, named as those of cupy.testing."""

import math
from typing import Any

import numpy as np

from gpuarray._common import package

__all__ = ["shaped_arange", "shaped_random", "shaped_reverse_arange"]


def shaped_arange(
    shape: tuple[int, ...], xp: Any = None, dtype: Any = "float32", order: str = "C"
) -> Any:
    """Return 1, 2, 3 ... of a shape and dtype as an array of `xp`, gpuarray or numpy.

    Bool is True for even numbers; complex numbers have the same imaginary parts.
    """
    return _made(np.arange(1, math.prod(shape) + 1), shape, xp, dtype, order)


def shaped_reverse_arange(
    shape: tuple[int, ...], xp: Any = None, dtype: Any = "float32", order: str = "C"
) -> Any:
    """Return the elements of shaped_arange in reverse order."""
    return _made(np.arange(math.prod(shape), 0, -1), shape, xp, dtype, order)


def _made(numbers: Any, shape: tuple[int, ...], xp: Any, dtype: Any, order: str) -> Any:
    kind = np.dtype(dtype)
    if kind.kind == "b":
        numbers = numbers % 2 == 0
    elif kind.kind == "c":
        numbers = numbers * (1 + 1j)
    xp = package.module if xp is None else xp
    return xp.array(numbers.astype(kind).reshape(shape), order=order)


def shaped_random(
    shape: tuple[int, ...],
    xp: Any = None,
    dtype: Any = "float32",
    scale: float = 10,
    seed: int = 0,
    order: str = "C",
) -> Any:
    """Return numbers from 0 to `scale` as an array of `xp`, gpuarray or numpy.

    The same for the same arguments, made on the host. Bool is True or False; both parts of complex
    numbers are random.
    """
    kind, draw = np.dtype(dtype), np.random.default_rng(seed)
    numbers: Any = draw.random(shape) * (2 if kind.kind == "b" else scale)
    if kind.kind == "b":
        numbers = numbers >= 1
    elif kind.kind == "c":
        numbers = numbers + 1j * scale * draw.random(shape)
    xp = package.module if xp is None else xp
    return xp.array(numbers.astype(kind), order=order)
