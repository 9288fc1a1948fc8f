# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Systems of equations, inverses and determinants, by factorizations P A = L U."""

import math
import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, require_array
from gpuarray._core import GPUArray
from gpuarray._linalg.matrices import (
    SINGULAR,
    common_dtype,
    empty,
    eye_like,
    goes_alone,
    in_rows,
    lu_in_place,
    on_cpu,
    real_of,
    require_one_device,
    require_square,
)
from gpuarray._linalg.small import as_small
from gpuarray._runtime.streams import takes_stream

__all__ = ["SlogdetResult", "det", "inv", "slogdet", "solve", "tensorinv", "tensorsolve"]


class SlogdetResult(NamedTuple):
    """The signs of determinants and the logarithms of their magnitudes."""

    sign: GPUArray
    logabsdet: GPUArray


@takes_stream
def solve(a: GPUArray, b: GPUArray) -> GPUArray:
    """Return x with a @ x = b, for square matrices `a` of shape (..., n, n).

    `b` has the shape (n,), for one vector, or (..., n, k); the leading axes broadcast. The dtype is
    float32, float64, complex64 or complex128; integers and bools are as float64. Queued on the
    current stream without waiting: a singular matrix is a LinAlgError at the next wait on a CUDA
    device, and at once on the cpu device; its result is NaN.
    """
    return solved("solve", a, b)


def solved(what: str, a: GPUArray, b: GPUArray) -> GPUArray:
    """Return solve(a, b), for a function that errors are to name."""
    require_square(what, a), require_array(what, b)
    dtype = common_dtype(a, b)
    vector = b.ndim == 1
    right = b[:, None] if vector else b
    if right.ndim < 2 or right.shape[-2] != a.shape[-1]:
        raise ValueError(f"{what}: shapes {a.shape} and {b.shape} do not fit")
    require_one_device(what, a, b)
    if a.device.kind == "cpu":
        return on_cpu(np.linalg.solve, a, b)  # type: ignore[no-any-return]
    batch = broadcast_shapes(a.shape[:-2], right.shape[:-2])
    solution = _solution(a, right, batch, dtype, what)
    return solution[..., 0] if vector else solution


def _solution(a: GPUArray, b: GPUArray, batch: tuple[int, ...], dtype: str, what: str) -> GPUArray:
    n, columns = b.shape[-2:]
    if n == 0 or 0 in batch:
        return empty(b, (*batch, n, columns), dtype)
    small = as_small(a, dtype, is_system=True) if columns else None
    if small is not None:
        return _core._small_solve(small, b.astype(dtype, copy=False), what)
    # The library takes less time for the factors of a matrix than for those of its transpose.
    turned = goes_alone(a, batch)
    factors = in_rows(a.mT if turned else a, dtype, batch)
    pivots, info = lu_in_place(factors, what)
    if columns == 0:
        _core._note_failures(info, SINGULAR, (), what)
        return empty(b, (*batch, n, columns), dtype)
    rows = in_rows(b.mT, dtype, batch)
    _core._lu_solve(factors, pivots, rows, 0 if turned else 1, what)
    _core._note_failures(info, SINGULAR, (rows,), what)
    return rows.mT


@takes_stream
def inv(a: GPUArray) -> GPUArray:
    """Return the inverses of square matrices of shape (..., n, n).

    Queued without waiting. LinAlgError for singular matrices as solve() raises it.
    """
    return inverse("inv", a)


def inverse(what: str, a: GPUArray) -> GPUArray:
    """Return inv(a), for a function that errors are to name."""
    require_square(what, a)
    if a.device.kind == "cpu":
        return on_cpu(np.linalg.inv, a)  # type: ignore[no-any-return]
    dtype = common_dtype(a)
    if a.size == 0:
        return empty(a, a.shape, dtype)
    small = as_small(a, dtype)
    if small is not None:
        return _core._small_inv(small, what)
    made, info = inverse_and_status(a, what)
    _core._note_failures(info, SINGULAR, (made,), what)
    return made


def inverse_and_status(a: GPUArray, what: str) -> tuple[GPUArray, GPUArray]:
    """Return the inverses and the info of lu_in_place(), which is not noted."""
    dtype = common_dtype(a)
    factors = in_rows(a, dtype)
    pivots, info = lu_in_place(factors, what)
    inverse = eye_like(a, a.shape[:-2], a.shape[-1], dtype)
    _core._lu_solve(factors, pivots, inverse, 0, what)
    return inverse, info


@takes_stream
def det(a: GPUArray) -> GPUArray:
    """Return the determinants of square matrices (..., n, n), 0 for singular ones.

    Queued without waiting.
    """
    require_square("det", a)
    if a.device.kind == "cpu":
        return on_cpu(np.linalg.det, a)  # type: ignore[no-any-return]
    dtype, batch = common_dtype(a), a.shape[:-2]
    if a.size == 0:
        ones: GPUArray = _core.full(batch, 1, dtype, device=a.device)
        return ones
    small = as_small(a, dtype)
    if small is not None:
        return _core._small_det(small)
    factors = in_rows(a, dtype)
    pivots, info = lu_in_place(factors, "det")
    found: GPUArray = _core._lu_det(factors, pivots, info, False, "det")
    return found


@takes_stream
def slogdet(a: GPUArray) -> SlogdetResult:
    """Return (sign, logabsdet) of square matrices: (0, -inf) for singular ones.

    Queued without waiting.
    """
    require_square("slogdet", a)
    if a.device.kind == "cpu":
        return SlogdetResult(*on_cpu(np.linalg.slogdet, a))
    dtype, batch = common_dtype(a), a.shape[:-2]
    if a.size == 0:
        ones = _core.full(batch, 1, dtype, device=a.device)
        return SlogdetResult(ones, empty(a, batch, real_of(dtype)))
    small = as_small(a, dtype)
    if small is not None:
        return SlogdetResult(*_core._small_slogdet(small))
    factors = in_rows(a, dtype)
    pivots, info = lu_in_place(factors, "slogdet")
    return SlogdetResult(*_core._lu_det(factors, pivots, info, True, "slogdet"))


@takes_stream
def tensorsolve(a: GPUArray, b: GPUArray, axes: Any = None) -> GPUArray:
    """Return x with tensordot(a, x, x.ndim) = b; `axes` of `a` are moved to its end first."""
    require_array("tensorsolve", a), require_array("tensorsolve", b)
    if axes is not None:
        order = [k for k in range(a.ndim) if k not in axes]
        a = a.transpose((*order, *axes))
    shape = a.shape[-(a.ndim - b.ndim) :]
    count = math.prod(shape)
    if a.size != count**2:
        raise LinAlgError(
            "tensorsolve: expected prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]), got shapes "
            f"{a.shape} and {b.shape}"
        )
    return solved("tensorsolve", a.reshape(count, count), b.ravel()).reshape(shape)


@takes_stream
def tensorinv(a: GPUArray, ind: int = 2) -> GPUArray:
    """Return the inverse of `a` for tensordot over `ind` axes."""
    require_array("tensorinv", a)
    ind = operator.index(ind)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    rows = math.prod(a.shape[ind:])
    return inverse("tensorinv", a.reshape(rows, -1)).reshape(a.shape[ind:] + a.shape[:ind])
