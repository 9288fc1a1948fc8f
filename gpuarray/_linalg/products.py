# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Products, diagonals and powers of matrices, by the rules of numpy.linalg."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import as_integer, assigned, require_array, require_iterable
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray
from gpuarray._creation import matrices
from gpuarray._linalg.matrices import eye_like
from gpuarray._linalg.solving import inverse
from gpuarray._math import products, special
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]

matrix_transpose = products.matrix_transpose


@takes_stream
def tensordot(x1: GPUArray, x2: GPUArray, /, *, axes: Any = 2) -> GPUArray:
    """Return the sums of products over pairs of axes, as gpuarray.tensordot."""
    return products.tensordot(x1, x2, axes)


@takes_stream
def matmul(x1: GPUArray, x2: GPUArray, /) -> GPUArray:
    """Return x1 @ x2, as gpuarray.matmul."""
    return _core.matmul(x1, x2)


@takes_stream
def vecdot(x1: GPUArray, x2: GPUArray, /, *, axis: int = -1) -> GPUArray:
    """Return the sums of conj(x1) * x2 along an axis, as gpuarray.vecdot."""
    return products.vecdot(x1, x2, axis=axis)


@takes_stream
def outer(x1: GPUArray, x2: GPUArray, /) -> GPUArray:
    """Return all products of an element of `x1` and one of `x2`, both of one dimension."""
    require_array("outer", x1), require_array("outer", x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}."
        )
    return products.outer(x1, x2)


@takes_stream
def cross(x1: GPUArray, x2: GPUArray, /, *, axis: int = -1) -> GPUArray:
    """Return the cross products of vectors of three elements along an axis."""
    require_array("cross", x1), require_array("cross", x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return special.cross(x1, x2, axis=axis)


@takes_lists
def diagonal(x: GPUArray, /, *, offset: int = 0) -> GPUArray:
    """Return a read-only view of a diagonal of the matrices in the last two axes."""
    return matrices.diagonal(x, offset, -2, -1)


@takes_stream
def trace(x: GPUArray, /, *, offset: int = 0, dtype: Any = None) -> GPUArray:
    """Return the sums of a diagonal of the matrices in the last two axes."""
    return matrices.trace(x, offset, -2, -1, dtype)


@takes_stream
def matrix_power(a: GPUArray, n: int) -> GPUArray:
    """Return the product of `n` of the matrix, of shape (..., m, m); of its inverse for n < 0.

    Queued without waiting, by repeated squaring.
    """
    require_array("matrix_power", a)
    if a.ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = as_integer(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        return eye_like(a, a.shape[:-2], a.shape[-1], a._dtype_name)
    if n < 0:
        a, n = inverse("matrix_power", a), -n
    power, result = a, None
    while True:
        n, bit = divmod(n, 2)
        if bit:
            result = power if result is None else _core.matmul(result, power)
        if n == 0:
            break
        power = _core.matmul(power, power)
    made: GPUArray = result.copy() if result is a else result  # type: ignore[assignment]
    return made


@takes_stream
def multi_dot(arrays: Sequence[GPUArray], *, out: GPUArray | None = None) -> GPUArray:
    """Return the product of two or more matrices, in the order of the fewest multiplications.

    The first and the last may be vectors. Returns a new array or `out`.
    """
    factors = [require_array("multi_dot", a) for a in require_iterable("multi_dot", arrays)]
    if len(factors) < 2:
        raise ValueError("Expecting at least two arrays.")
    first, last = factors[0].ndim, factors[-1].ndim
    if first == 1:
        factors[0] = factors[0][None]
    if last == 1:
        factors[-1] = factors[-1][:, None]
    for factor in factors:
        if factor.ndim != 2:
            raise LinAlgError(
                f"{factor.ndim}-dimensional array given. Array must be two-dimensional"
            )
    order = _cheapest_order([*(a.shape[0] for a in factors), factors[-1].shape[1]])
    product = _multiplied(factors, order, 0, len(factors) - 1)
    shape = (*product.shape[first == 1 : 1], *product.shape[1 : 2 - (last == 1)])
    return assigned("multi_dot", out, product.reshape(shape))


def _cheapest_order(extents: list[int]) -> np.ndarray[Any, Any]:
    """Return where to split each product of the factors i to j."""
    count = len(extents) - 1
    costs = np.zeros((count, count))
    splits = np.zeros((count, count), int)
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                costs[i, k] + costs[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1]
                for k in range(i, j)
            ]
            splits[i, j] = i + int(np.argmin(options))
            costs[i, j] = min(options)
    return splits


def _multiplied(factors: list[GPUArray], order: Any, i: int, j: int) -> GPUArray:
    if i == j:
        return factors[i]
    k = order[i, j]
    return _core.matmul(_multiplied(factors, order, i, k), _multiplied(factors, order, k + 1, j))
