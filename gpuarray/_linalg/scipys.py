# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of scipy.linalg: triangular systems, factors that are kept, and the exponential."""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, require_array
from gpuarray._core import GPUArray
from gpuarray._creation.matrices import tril, triu
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._linalg.factorizations import cholesky
from gpuarray._linalg.matrices import (
    adjoint,
    common_dtype,
    empty,
    eye_like,
    in_rows,
    require_matrix,
    require_square,
)
from gpuarray._linalg.solving import solve
from gpuarray._runtime.streams import takes_stream

__all__ = ["cho_factor", "cho_solve", "expm", "lu", "lu_factor", "lu_solve", "solve_triangular"]

_TRANSPOSES = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}


@takes_stream
def solve_triangular(
    a: GPUArray,
    b: GPUArray,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> GPUArray:
    """Return x with op(a) @ x = b, for triangular matrices `a` of shape (..., n, n).

    op is that of `trans`: 0 or 'N' for `a`, 1 or 'T' for its transpose, 2 or 'C' for the conjugate
    of that. The other triangle is not read, nor with `unit_diagonal` the diagonal. `b` is (n,) or
    (..., n, k). Queued without waiting; a zero on the diagonal gives what is not finite. The last
    two arguments are SciPy's, and mean nothing here.
    """
    require_square("solve_triangular", a), require_array("solve_triangular", b)
    if trans not in _TRANSPOSES:
        raise ValueError(f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    right = b[:, None] if b.ndim == 1 else b
    if right.ndim < 2 or right.shape[-2] != a.shape[-1]:
        raise ValueError(f"solve_triangular: shapes {a.shape} and {b.shape} do not fit")
    x = _triangular(a, right, _TRANSPOSES[trans], bool(lower), bool(unit_diagonal))
    return x[:, 0] if b.ndim == 1 and x.ndim == 2 else x[..., 0] if b.ndim == 1 else x


def _triangular(
    a: GPUArray,
    b: GPUArray,
    transpose: int,
    lower: bool,
    unit: bool,
    what: str = "solve_triangular",
) -> GPUArray:
    dtype = common_dtype(a, b)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, columns = b.shape[-2:]
    if a.size == 0 or 0 in batch or columns == 0:
        return empty(b, (*batch, n, columns), dtype)
    if a.device.kind == "cpu":
        return _triangular_on_cpu(a, b, transpose, lower, unit, dtype)
    # The library sees the transpose of what lies in rows: of A for op 0, and of A^T else. Its
    # other triangle is that of the transpose.
    matrices = in_rows(a, dtype, batch)
    if transpose == 2:
        matrices = _core.conjugate(matrices)
    rows = in_rows(b.mT, dtype, batch)
    _core._triangular_solve(matrices, rows, lower, unit, 1 if transpose == 0 else 0, what)
    return rows.mT


def _triangular_on_cpu(
    a: GPUArray, b: GPUArray, transpose: int, lower: bool, unit: bool, dtype: str
) -> GPUArray:
    triangle = (tril if lower else triu)(a.astype(dtype, copy=False))
    if unit:
        triangle = (tril if lower else triu)(triangle, -1 if lower else 1)
        triangle = triangle + eye_like(a, (), a.shape[-1], dtype)
    if transpose:
        triangle = triangle.mT if transpose == 1 else adjoint(triangle)
    return solve(triangle, b.astype(dtype, copy=False))


@takes_stream
def lu_factor(
    a: GPUArray, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[GPUArray, GPUArray]:
    """Return (lu, piv) of matrices (..., n, n), for lu_solve().

    `lu` holds U in its upper triangle and L, without its diagonal of ones, below; row i was
    exchanged with row piv[i]. Queued without waiting. Singular matrices raise no error. The last
    two arguments are SciPy's, and mean nothing here.
    """
    require_square("lu_factor", a)
    dtype = common_dtype(a)
    if a.size == 0:
        return empty(a, a.shape, dtype), empty(a, a.shape[:-1], "int32")
    if a.device.kind == "cpu":
        made, steps = _lu_on_host(a.get().astype(dtype))
        return _core.to_device(made, device="cpu"), _core.to_device(steps, device="cpu")
    factors = in_rows(a.mT, dtype)
    pivots, _ = _core._lu(factors, "lu_factor")
    return factors.mT, _core.subtract(pivots, 1).astype("int32", copy=False)


def _lu_on_host(a: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Factorize matrices (..., m, n) in place, all of the batch at a time."""
    m, n = a.shape[-2:]
    stack = a.reshape(-1, m, n)
    pivots = np.empty((len(stack), min(m, n)), np.int32)
    index = np.arange(len(stack))
    with np.errstate(all="ignore"):
        for k in range(min(m, n)):
            rows = k + np.argmax(np.abs(stack[:, k:, k]), axis=1)
            pivots[:, k] = rows
            exchanged = stack[index, rows].copy()
            stack[index, rows] = stack[:, k]
            stack[:, k] = exchanged
            pivot = stack[:, k, k, None]
            stack[:, k + 1 :, k] /= np.where(pivot == 0, 1, pivot)
            stack[:, k + 1 :, k + 1 :] -= stack[:, k + 1 :, k, None] * stack[:, k, None, k + 1 :]
    return stack.reshape(a.shape), pivots.reshape(*a.shape[:-2], min(m, n))


def _row_order(pivots: GPUArray) -> GPUArray:
    """Return the order of rows that pivots, from 0 on, stand for."""
    if pivots.device.kind != "cpu":
        return _core._lu_row_order(_core.add(pivots, 1), "lu")
    steps = pivots.get().reshape(-1, pivots.shape[-1])
    order = np.tile(np.arange(steps.shape[1]), (len(steps), 1))
    index = np.arange(len(steps))
    for k in range(steps.shape[1]):
        kept = order[:, k].copy()
        order[:, k] = order[index, steps[:, k]]
        order[index, steps[:, k]] = kept
    return _core.to_device(order.reshape(pivots.shape), device="cpu")


@takes_stream
def lu(
    a: GPUArray,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> tuple[GPUArray, ...]:
    """Return (p, l, u) with p @ l @ u = a, of square matrices (..., n, n).

    With `permute_l` it is (p @ l, u), and with `p_indices` p is the order of rows: l[p] @ u is `a`.
    Queued without waiting.
    """
    factors, pivots = lu_factor(a)
    n = a.shape[-1]
    lower = tril(factors, -1) + eye_like(a, (), n, factors._dtype_name)
    upper = triu(factors)
    if a.size == 0:
        order = empty(a, a.shape[:-1], "int64")
    else:
        # Row i of l @ u is row order[i] of `a`, so that p takes the inverse order.
        order = _core._argsort_rows(_row_order(pivots), -1, False)
    if permute_l:
        return take_along_axis(lower, order[..., None], -2), upper
    if p_indices:
        return order, lower, upper
    columns = _core._arange(n, 0, 1, "int64", a.device)
    permutation = _core.equal(order[..., None], columns)
    real = "float32" if factors._dtype_name in ("float32", "complex64") else "float64"
    return permutation.astype(real), lower, upper


@takes_stream
def lu_solve(
    lu_and_piv: tuple[GPUArray, GPUArray],
    b: GPUArray,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> GPUArray:
    """Return x with op(a) @ x = b, where `lu_and_piv` is lu_factor(a); `trans` is 0, 1 or 2.

    `b` is (n,) or (..., n, k). Queued without waiting.
    """
    factors, pivots = lu_and_piv
    require_square("lu_solve", factors), require_array("lu_solve", b)
    if trans not in (0, 1, 2):
        raise ValueError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}")
    right = b[:, None] if b.ndim == 1 else b
    if right.ndim < 2 or right.shape[-2] != factors.shape[-1]:
        raise ValueError(f"lu_solve: shapes {factors.shape} and {b.shape} do not fit")
    order = _row_order(pivots)[..., None] if factors.size else None
    if order is None:
        x = _triangular(factors, right, 0, True, True, "lu_solve")
    elif trans == 0:
        exchanged = _rows_of(right, order)
        x = _triangular(factors, exchanged, 0, True, True, "lu_solve")
        x = _triangular(factors, x, 0, False, False, "lu_solve")
    else:
        x = _triangular(factors, right, trans, False, False, "lu_solve")
        x = _triangular(factors, x, trans, True, True, "lu_solve")
        x = _rows_of(x, _core._argsort_rows(order[..., 0], -1, False)[..., None])
    return x[..., 0] if b.ndim == 1 else x


def _rows_of(b: GPUArray, order: GPUArray) -> GPUArray:
    """Return b[order] for matrices, whose leading axes broadcast."""
    from gpuarray._manipulation.broadcasting import broadcast_to

    batch = broadcast_shapes(b.shape[:-2], order.shape[:-2])
    b = broadcast_to(b, (*batch, *b.shape[-2:]))
    order = broadcast_to(order, (*batch, order.shape[-2], b.shape[-1]))
    return take_along_axis(b, order, -2)


@takes_stream
def cho_factor(
    a: GPUArray, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[GPUArray, bool]:
    """Return (c, lower), the Cholesky factor for cho_solve(); its other triangle is 0.

    LinAlgError as cholesky() raises it.
    """
    return cholesky(require_square("cho_factor", a), upper=not lower), bool(lower)


@takes_stream
def cho_solve(
    c_and_lower: tuple[GPUArray, bool],
    b: GPUArray,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> GPUArray:
    """Return x with a @ x = b, where `c_and_lower` is cho_factor(a). Queued without waiting."""
    factor, lower = c_and_lower
    require_square("cho_solve", factor), require_array("cho_solve", b)
    first, second = (0, 2) if lower else (2, 0)
    half = solve_triangular(factor, b, trans=first, lower=lower)
    return solve_triangular(factor, half, trans=second, lower=lower)


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

    Waits for the device, because the norms say how often to square.
    """
    require_matrix("expm", A), require_square("expm", A)
    dtype = common_dtype(A)
    a = A.astype(dtype, copy=False)
    if a.size == 0:
        return empty(a, a.shape, dtype)
    largest = float(_core.max(_core.sum(_core.absolute(a), axis=-2)))
    squarings = 0
    if math.isfinite(largest) and largest > _PADE_NORM:
        squarings = math.ceil(math.log2(largest / _PADE_NORM))
    result = _pade(a * 2.0**-squarings, dtype)
    for _ in range(squarings):
        result = result @ result
    return result


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
    return solve(even - odd, even + odd)
