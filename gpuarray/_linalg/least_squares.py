# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Least squares, pseudo-inverses and ranks, by singular values."""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import require_array
from gpuarray._core import GPUArray
from gpuarray._indexing.indexing import count_nonzero
from gpuarray._linalg.factorizations import qr
from gpuarray._linalg.matrices import (
    adjoint,
    common_dtype,
    empty,
    is_finite,
    on_cpu,
    real_of,
    require_matrix,
    require_one_device,
    require_square,
)
from gpuarray._linalg.products import diagonal
from gpuarray._linalg.spectra import decomposed, eigh
from gpuarray._runtime.streams import takes_stream
from gpuarray.memory import memory_info

__all__ = ["lstsq", "matrix_rank", "pinv"]

# lstsq() begins with a factorization Q R of matrices of at least so many times more rows.
_TALL = 1.6
# lstsq() multiplies columns in double precision where that takes at most this part of free memory.
_PART_OF_MEMORY = 0.25
_SMALL_COPIES = 1 << 28  # bytes for which that is not asked
_NOT_CONVERGED = "SVD did not converge in Linear Least Squares"


@takes_stream
def lstsq(
    a: GPUArray, b: GPUArray, rcond: float | None = None
) -> tuple[GPUArray, GPUArray, int, GPUArray]:
    """Return (x, residuals, rank, s): x with the least norm(b - a @ x), of the least norm.

    `a` is (m, n), `b` (m,) or (m, k). Singular values below `rcond` times the largest are as 0; by
    default eps * max(m, n). `residuals` are the squared norms, an empty array where the rank is
    less than n or m <= n. Waits for the device, because the rank decides on that shape.
    """
    require_array("lstsq", a), require_array("lstsq", b)
    dtype = common_dtype(a, b)
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if b.ndim not in (1, 2):
        raise LinAlgError(f"{b.ndim}-dimensional array given. Array must be one or two-dimensional")
    if a.shape[0] != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    require_one_device("lstsq", a, b)
    if a.device.kind == "cpu":
        if not is_finite(a):
            raise LinAlgError(_NOT_CONVERGED)
        x, residuals, rank, s = on_cpu(np.linalg.lstsq, a, b, rcond=rcond)
        return x, residuals, int(rank), s
    right = (b[:, None] if b.ndim == 1 else b).astype(dtype, copy=False)
    x, residuals, rank, s = _least(a.astype(dtype, copy=False), right, rcond, dtype)
    return (x[:, 0] if b.ndim == 1 else x), residuals, rank, s


def _least(
    a: GPUArray, b: GPUArray, rcond: float | None, dtype: str
) -> tuple[GPUArray, GPUArray, int, GPUArray]:
    m, n = a.shape
    none = empty(a, (0,), real_of(dtype))
    if a.size == 0 or b.shape[1] == 0:
        s = none if a.size == 0 else decomposed("lstsq", a, compute_uv=False)
        rank = 0 if a.size == 0 else int(count_nonzero(_kept(s, rcond, m, n)))
        residuals = _residuals(b) if n == 0 < m else none
        return empty(a, (n, b.shape[1]), dtype), residuals, rank, s
    if m >= _TALL * n and _suits_products(a, b, rcond, dtype):
        return _least_by_products(a, b, rcond, dtype)
    right = b
    triangle = a
    if m >= _TALL * n:
        q, triangle = qr(a)
        right = adjoint(q) @ b
    u, s, vh = decomposed("lstsq", triangle)
    kept = _kept(s, rcond, m, n)
    inverse = _core.where(kept, _core.reciprocal(_core.where(kept, s, 1)), 0)
    x = adjoint(vh) @ (inverse[:, None] * (adjoint(u) @ right))
    rank = int(count_nonzero(kept))
    if rank < n or m <= n:
        return x, none, rank, s
    return x, _residuals(b - a @ x), rank, s


def _residuals(rest: GPUArray) -> GPUArray:
    """Return the squared norms of what a fit leaves, one a column."""
    made: GPUArray = _core.sum(_core.square(_core.absolute(rest)), axis=0)
    return made


def _suits_products(a: GPUArray, b: GPUArray, rcond: float | None, dtype: str) -> bool:
    """Return whether products of columns in double precision tell the rank.

    They square singular values, of which those above `rcond` must be above rounding errors.
    """
    least = float(np.finfo(dtype).eps) * max(a.shape) if rcond is None else rcond
    if dtype not in ("float32", "complex64") or a.device.kind != "cuda" or least < 1e-6:
        return False
    copies = 2 * a.nbytes * (2 if dtype == "complex64" else 1)
    return copies <= _SMALL_COPIES or copies <= _PART_OF_MEMORY * memory_info(a.device).free


def _least_by_products(
    a: GPUArray, b: GPUArray, rcond: float | None, dtype: str
) -> tuple[GPUArray, GPUArray, int, GPUArray]:
    """Return the same by the eigenvalues of A^H A, in double precision."""
    (m, n), wide = a.shape, "float64" if dtype == "float32" else "complex128"
    columns, right = a.astype(wide), b.astype(wide)
    rows = adjoint(columns)
    products = rows @ columns
    finite = _core.isfinite(_core.sum(diagonal(products).real))
    squares, v = eigh(_core.where(finite, products, 0))
    squares, v = _core.maximum(squares[::-1], 0), v[:, ::-1]
    s = _core.sqrt(squares)
    kept = _kept(s, float(np.finfo(dtype).eps) * max(m, n) if rcond is None else rcond, m, n)
    inverse = _core.where(kept, _core.reciprocal(_core.where(kept, squares, 1)), 0)
    x = v @ (inverse[:, None] * (adjoint(v) @ (rows @ right)))
    rank = int(_core.where(finite, count_nonzero(kept), -1))
    if rank < 0:
        raise LinAlgError(_NOT_CONVERGED)
    s, x = s.astype(real_of(dtype)), x.astype(dtype)
    if rank < n or m <= n:
        return x, empty(a, (0,), real_of(dtype)), rank, s
    return x, _residuals(b - a @ x), rank, s


def _kept(s: GPUArray, rcond: float | None, m: int, n: int) -> GPUArray:
    # LAPACK takes what rounds off where `rcond` is negative.
    eps = float(np.finfo(s.dtype).eps)
    factor = eps * max(m, n) if rcond is None else eps if rcond < 0 else rcond
    return _core.greater(s, s[..., :1] * factor)


@takes_stream
def pinv(
    a: GPUArray, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue
) -> GPUArray:
    """Return the pseudo-inverses of matrices (..., m, n), of shape (..., n, m).

    Singular values of at most `rtol` (or `rcond`) times the largest are as 0: 1e-15 by default, and
    eps * max(m, n) for rtol=None. Both broadcast to the batch. Waits as svd() does.
    """
    require_matrix("pinv", a)
    if rtol is not np._NoValue and rcond is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    m, n = a.shape[-2:]
    # NumPy keeps the dtype of matrices without elements.
    dtype = common_dtype(a) if m * n else a.dtype
    if a.size == 0:
        return empty(a, (*a.shape[:-2], n, m), dtype)
    if rcond is None:
        default = float(np.finfo(dtype).eps) * max(m, n)
        rcond = 1e-15 if rtol is np._NoValue else default if rtol is None else rtol
    u, s, vh = decomposed("pinv", a, hermitian=hermitian)
    limit = _core.multiply(_over_rows(rcond, s), _core.max(s, axis=-1, keepdims=True))
    large = _core.greater(s, limit)
    inverse = _core.where(large, _core.reciprocal(_core.where(large, s, 1)), 0)
    return adjoint(vh) @ (inverse[..., None] * adjoint(u))


def _over_rows(factor: Any, s: GPUArray) -> Any:
    """Return a factor that has an element a matrix as one that goes with singular values."""
    if isinstance(factor, GPUArray):
        return factor.astype(s.dtype, copy=False)[..., None]
    if np.ndim(factor) == 0:
        return float(factor)
    return _core.to_device(np.asarray(factor, s.dtype)[..., None], device=s.device)


@takes_stream
def matrix_rank(
    A: GPUArray, tol: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> GPUArray:
    """Return how many singular values of each matrix are above `tol`, int64.

    `tol` is a number or one a matrix; by default `rtol` times the largest, and that by default
    eps * max(m, n). What has fewer than two dimensions has rank 1 unless it is 0. Waits as svd()
    does.
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    common_dtype(require_array("matrix_rank", A))
    if A.ndim < 2:
        return _core.any(_core.not_equal(A, 0)).astype("int64")
    if hermitian:
        require_square("matrix_rank", A)
    s = decomposed("matrix_rank", A, compute_uv=False, hermitian=hermitian)
    if s.shape[-1] == 0:
        return empty(A, A.shape[:-2], "int64")
    if tol is None:
        factor = max(A.shape[-2:]) * float(np.finfo(s.dtype).eps) if rtol is None else rtol
        limit = _core.multiply(_over_rows(factor, s), _core.max(s, axis=-1, keepdims=True))
    else:
        limit = _over_rows(tol, s)
    return count_nonzero(_core.greater(s, limit), axis=-1)
