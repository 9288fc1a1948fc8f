# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Triangular systems, and those of Cholesky factors that are kept, as in scipy.linalg."""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, require_array
from gpuarray._core import GPUArray
from gpuarray._linalg.factorizations import cholesky_factor
from gpuarray._linalg.matrices import (
    SINGULAR,
    common_dtype,
    empty,
    in_rows,
    on_cpu,
    require_one_device,
    require_square,
)
from gpuarray._linalg.products import diagonal
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._runtime.streams import takes_stream

__all__ = ["as_columns", "cho_factor", "cho_solve", "solve_triangular", "substituted"]

_TRANSPOSES = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
# On the host so many rows are found one by one before the others are brought up to date.
_BLOCK = 32


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
    (..., n, k). Queued without waiting; LinAlgError for a zero on the diagonal as solve() raises
    it. The last two arguments are SciPy's, and mean nothing here.
    """
    right = as_columns("solve_triangular", a, b)
    if trans not in _TRANSPOSES:
        raise ValueError(f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    x = substituted(
        a, right, _TRANSPOSES[trans], bool(lower), bool(unit_diagonal), "solve_triangular"
    )
    if not unit_diagonal and x.size:
        _refuse_zeros(diagonal(a), x)
    return x[..., 0] if b.ndim == 1 else x


def _refuse_zeros(diagonals: GPUArray, x: GPUArray) -> None:
    """Raise LinAlgError for a zero on a diagonal; a CUDA device notes it and sets `x` to NaN."""
    singular = _core.any(_core.equal(diagonals, 0), axis=-1)
    if x.device.kind != "cpu":
        info = broadcast_to(singular, x.shape[:-2]).astype("int32", "C")
        _core._note_failures(info, SINGULAR, (x,), "solve_triangular")
    elif bool(_core.any(singular)):
        raise LinAlgError("Singular matrix")


def as_columns(what: str, a: Any, b: Any) -> GPUArray:
    """Return `b`, a vector as one column, if it fits square matrices `a` of the same device."""
    require_square(what, a), require_array(what, b)
    require_one_device(what, a, b)
    right: GPUArray = b[:, None] if b.ndim == 1 else b
    if right.ndim < 2 or right.shape[-2] != a.shape[-1]:
        raise ValueError(f"{what}: shapes {a.shape} and {b.shape} do not fit")
    return right


def substituted(
    a: GPUArray, b: GPUArray, transpose: int, lower: bool, unit: bool, what: str
) -> GPUArray:
    """Return x with op(a) @ x = b for columns `b`, by substitution."""
    dtype = common_dtype(a, b)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, columns = b.shape[-2:]
    if a.size == 0 or 0 in batch or columns == 0:
        return empty(b, (*batch, n, columns), dtype)
    if a.device.kind == "cpu":
        options = {"transpose": transpose, "lower": lower, "unit": unit, "dtype": dtype}
        return on_cpu(_substituted_on_host, a, b, **options)  # type: ignore[no-any-return]
    # The library sees the transpose of what lies in rows: of A for op 0, and of A^T else. Its
    # other triangle is that of the transpose.
    matrices = in_rows(a, dtype, batch)
    if transpose == 2:
        matrices = _core.conjugate(matrices)
    rows = in_rows(b.mT, dtype, batch)
    _core._triangular_solve(matrices, rows, lower, unit, 1 if transpose == 0 else 0, what)
    return rows.mT


def _substituted_on_host(
    a: Any, b: Any, transpose: int, lower: bool, unit: bool, dtype: str
) -> np.ndarray[Any, Any]:
    a = a.astype(dtype, copy=False)
    if transpose:
        a, lower = a.swapaxes(-1, -2), not lower
    if transpose == 2:
        a = np.conjugate(a)
    n = a.shape[-1]
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])), dtype)
    if not lower:
        # The same from the last row on.
        a, ordered = a[..., ::-1, ::-1], x[..., ::-1, :]
    else:
        ordered = x
    for first in range(0, n, _BLOCK):
        last = min(first + _BLOCK, n)
        for k in range(first, last):
            row = ordered[..., k : k + 1, :]
            if k > first:
                row -= a[..., k : k + 1, first:k] @ ordered[..., first:k, :]
            if not unit:
                row /= a[..., k : k + 1, k : k + 1]
        ordered[..., last:, :] -= a[..., last:, first:last] @ ordered[..., first:last, :]
    return x


@takes_stream
def cho_factor(
    a: GPUArray, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[GPUArray, bool]:
    """Return (c, lower), the Cholesky factor for cho_solve(); its other triangle is 0.

    LinAlgError as cholesky() raises it.
    """
    return cholesky_factor("cho_factor", a, not lower), bool(lower)


@takes_stream
def cho_solve(
    c_and_lower: tuple[GPUArray, bool],
    b: GPUArray,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> GPUArray:
    """Return x with a @ x = b, where `c_and_lower` is cho_factor(a). Queued without waiting."""
    factor, lower = c_and_lower
    right = as_columns("cho_solve", factor, b)
    first, second = (0, 2) if lower else (2, 0)
    half = substituted(factor, right, first, bool(lower), False, "cho_solve")
    x = substituted(factor, half, second, bool(lower), False, "cho_solve")
    return x[..., 0] if b.ndim == 1 else x
