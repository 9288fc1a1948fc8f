# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Special functions of elements, composed from the operations of the tables."""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    is_complex,
    is_inexact,
    normalize_axis,
    require_array,
)
from gpuarray._common.one_pass import one_pass
from gpuarray._common.operands import Operand
from gpuarray._core import GPUArray
from gpuarray._manipulation.manipulation import moveaxis, stack
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.ufunc_call import call_function

__all__ = ["cross", "float_power", "sinc"]


@takes_stream
def sinc(x: GPUArray) -> GPUArray:
    """Return sin(pi * x) / (pi * x), 1 where x is 0; integers give float64."""
    return _sinc(require_array("sinc", x))


@one_pass
def _sinc(x: GPUArray) -> GPUArray:
    angle = (x if is_inexact(x) else x.astype("float64")) * math.pi
    return _core.where(_core.equal(x, 0), 1, _core.divide(_core.sin(angle), angle))


@takes_stream
def float_power(
    x1: Operand, x2: Operand, /, out: GPUArray | None = None, **kwargs: Any
) -> GPUArray:
    """Return x1 ** x2 computed in float64, or in complex128 for complex operands.

    `dtype`, one of these two, `where`, `casting` and `order` are those of NumPy's ufuncs.
    """
    if kwargs:
        return call_function("float_power", (x1, x2), out, kwargs)  # type: ignore[no-any-return]
    return assigned("float_power", out, _float_power(_strong(x1), _strong(x2)))


def _strong(x: Any) -> Any:
    if isinstance(x, (int, float, complex, np.generic)):
        return np.complex128(x) if isinstance(x, (complex, np.complexfloating)) else np.float64(x)
    return require_array("float_power", x)


@one_pass
def _float_power(x1: Any, x2: Any) -> GPUArray:
    return _core.power(_double(x1), _double(x2))


def _double(x: Any) -> Any:
    if not isinstance(x, GPUArray):
        return x
    return x.astype("complex128" if is_complex(x) else "float64", copy=False)


@takes_stream
def cross(
    a: GPUArray,
    b: GPUArray,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> GPUArray:
    """Return the cross products of vectors of three elements, or the third element of two's.

    Vectors lie along `axisa` of `a`, `axisb` of `b` and `axisc` of the result, or `axis` of all;
    the other axes broadcast.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    vectors = []
    for x, along in ((a, axisa), (b, axisb)):
        require_array("cross", x)
        vectors.append(moveaxis(x, normalize_axis(along, x.ndim), -1))
        if vectors[-1].shape[-1] not in (2, 3):
            raise ValueError(
                "cross: both input arrays must be (arrays of) 2- or 3-dimensional vectors, got "
                f"shapes {a.shape} and {b.shape}"
            )
    first, second = ([v[..., k] for k in range(v.shape[-1])] for v in vectors)
    if len(first) == len(second) == 2:
        return _determinant(first, second, 0, 1)
    made = [_determinant(first, second, (k + 1) % 3, (k + 2) % 3) for k in range(3)]
    return stack(made, normalize_axis(axisc, made[0].ndim + 1))


def _determinant(a: list[GPUArray], b: list[GPUArray], i: int, j: int) -> GPUArray:
    """Return a[i] * b[j] - a[j] * b[i], where the third element of a vector of two counts as 0."""
    left = a[i] * b[j] if i < len(a) and j < len(b) else None
    right = a[j] * b[i] if j < len(a) and i < len(b) else None
    if left is None or right is None:
        return -right if right is not None else left  # type: ignore[return-value]
    return left - right
