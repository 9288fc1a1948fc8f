# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Factors P A = L U that are kept, as in scipy.linalg."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._creation.matrices import tril, triu
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._linalg.matrices import (
    SINGULAR,
    common_dtype,
    empty,
    eye_like,
    in_rows,
    lu_in_place,
    real_of,
    require_matrix,
    require_one_device,
)
from gpuarray._linalg.triangular import as_columns, substituted
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._runtime.streams import takes_stream

__all__ = ["lu", "lu_factor", "lu_solve"]


@takes_stream
def lu_factor(
    a: GPUArray, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[GPUArray, GPUArray]:
    """Return (lu, piv) of matrices (..., m, n), for lu_solve() where they are square.

    `lu` holds U in its upper triangle and L, without its diagonal of ones, below; row i was
    exchanged with row piv[i], for each of min(m, n) pivots. Queued without waiting. Singular
    matrices raise no error. The last two arguments are SciPy's, and mean nothing here.
    """
    return _factors("lu_factor", a)


def _factors(what: str, a: GPUArray) -> tuple[GPUArray, GPUArray]:
    dtype = common_dtype(require_matrix(what, a))
    if a.size == 0:
        least = min(a.shape[-2:])
        return empty(a, a.shape, dtype), empty(a, (*a.shape[:-2], least), "int32")
    if a.device.kind == "cpu":
        made, steps = _lu_on_host(a.get().astype(dtype))
        return _core.to_device(made, device="cpu"), _core.to_device(steps, device="cpu")
    factors = in_rows(a.mT, dtype)
    pivots, info = lu_in_place(factors, what)
    _core._note_failures(_core.minimum(info, 0), SINGULAR, (factors,), what)
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


def _row_order(pivots: GPUArray, what: str) -> GPUArray:
    """Return the order of rows that pivots, from 0 on, stand for."""
    if pivots.device.kind != "cpu":
        return _core._lu_row_order(_core.add(pivots.astype("int64"), 1), what)
    steps = pivots.get().reshape(-1, pivots.shape[-1])
    if ((steps < 0) | (steps >= steps.shape[1])).any():
        raise ValueError(f"{what}: expected pivots from 0 to {steps.shape[1] - 1}")
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
    """Return (p, l, u) with p @ l @ u = a, of matrices (..., m, n).

    `p` are (m, m), `l` (m, k) and `u` (k, n) for k = min(m, n). With `permute_l` it is (p @ l, u),
    and with `p_indices` p is the order of rows: l[p] @ u is `a`. Queued without waiting.
    """
    factors, pivots = _factors("lu", a)
    m, least = a.shape[-2], pivots.shape[-1]
    dtype = factors._dtype_name
    lower = tril(factors[..., :least], -1) + eye_like(a, (), m, dtype)[:, :least]
    upper = triu(factors[..., :least, :])
    # Rows behind the last pivot stay where they are.
    exchanges = _core.empty((*a.shape[:-2], m), "int32", device=a.device)
    exchanges[...] = _core._arange(m, 0, 1, "int32", a.device)
    exchanges[..., :least] = pivots
    order = exchanges.astype("int64")
    if order.size:
        # Row i of l @ u is row order[i] of `a`, so that p takes the inverse order.
        order = _core._argsort_rows(_row_order(exchanges, "lu"), -1, False)
    if permute_l:
        return take_along_axis(lower, order[..., None], -2), upper
    if p_indices:
        return order, lower, upper
    columns = _core._arange(m, 0, 1, "int64", a.device)
    permutation = _core.equal(order[..., None], columns)
    # SciPy's are real, but for matrices of one element.
    kind = dtype if a.shape[-2:] == (1, 1) else real_of(dtype)
    return permutation.astype(kind), lower, upper


@takes_stream
def lu_solve(
    lu_and_piv: tuple[GPUArray, GPUArray],
    b: GPUArray,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> GPUArray:
    """Return x with op(a) @ x = b, where `lu_and_piv` is lu_factor(a); `trans` is 0, 1 or 2.

    `b` is (n,) or (..., n, k). Queued without waiting; a zero on the diagonal of U gives what is
    not finite. Pivots out of range are a ValueError on the cpu device, and exchange nothing on
    others.
    """
    factors, pivots = lu_and_piv
    right = as_columns("lu_solve", factors, b)
    _require_pivots(factors, pivots)
    if trans not in (0, 1, 2):
        raise ValueError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}")
    order = _row_order(pivots, "lu_solve")[..., None] if factors.size else None
    if order is None:
        x = substituted(factors, right, 0, True, True, "lu_solve")
    elif trans == 0:
        exchanged = _rows_of(right, order)
        x = substituted(factors, exchanged, 0, True, True, "lu_solve")
        x = substituted(factors, x, 0, False, False, "lu_solve")
    else:
        x = substituted(factors, right, trans, False, False, "lu_solve")
        x = substituted(factors, x, trans, True, True, "lu_solve")
        x = _rows_of(x, _core._argsort_rows(order[..., 0], -1, False)[..., None])
    return x[..., 0] if b.ndim == 1 else x


def _require_pivots(factors: GPUArray, pivots: Any) -> None:
    """Raise TypeError, ValueError or DeviceError unless these are pivots of the factors."""
    require_one_device("lu_solve", factors, require_array("lu_solve", pivots))
    if dtype_kind(pivots._dtype_name) not in "iu":
        raise TypeError(f"lu_solve: expected pivots of integers, got {pivots._dtype_name}")
    if pivots.shape != factors.shape[:-1]:
        raise ValueError(
            f"lu_solve: expected pivots of shape {factors.shape[:-1]}, got {pivots.shape}"
        )


def _rows_of(b: GPUArray, order: GPUArray) -> GPUArray:
    """Return b[order] for matrices, whose leading axes broadcast."""
    batch = broadcast_shapes(b.shape[:-2], order.shape[:-2])
    b = broadcast_to(b, (*batch, *b.shape[-2:]))
    order = broadcast_to(order, (*batch, order.shape[-2], b.shape[-1]))
    return take_along_axis(b, order, -2)
