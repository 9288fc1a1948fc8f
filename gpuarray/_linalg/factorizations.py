# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Factorizations of Cholesky and by orthogonal matrices."""

from typing import Any, NamedTuple

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._creation.matrices import triu
from gpuarray._linalg.matrices import (
    NOT_DEFINITE,
    common_dtype,
    empty,
    eye_like,
    goes_alone,
    in_rows,
    on_cpu,
    require_matrix,
    require_square,
)
from gpuarray._linalg.small import as_small
from gpuarray._runtime.streams import takes_stream

__all__ = ["QRResult", "cholesky", "qr"]


class QRResult(NamedTuple):
    """The factors of A = Q R."""

    Q: GPUArray
    R: GPUArray


@takes_stream
def cholesky(a: GPUArray, /, *, upper: bool = False) -> GPUArray:
    """Return the lower triangular L with L @ L.mH = a, or the `upper` U with U.mH @ U = a.

    `a` are hermitian, positive definite matrices of shape (..., n, n), of which only that triangle
    is read. Queued without waiting: what is not positive definite is a LinAlgError at the next wait
    on a CUDA device, and at once on the cpu device; its result is NaN.
    """
    return cholesky_factor("cholesky", a, upper)


def cholesky_factor(what: str, a: GPUArray, upper: bool) -> GPUArray:
    """Return cholesky(a), for a function that errors are to name."""
    require_square(what, a)
    if a.device.kind == "cpu":
        return on_cpu(_cholesky_of_numpy, a, upper=bool(upper))  # type: ignore[no-any-return]
    dtype = common_dtype(a)
    if a.size == 0:
        return empty(a, a.shape, dtype)
    small = as_small(a, dtype)
    if small is not None:
        return _core._small_cholesky(small, bool(upper), what)
    # The library takes half as long for lower factors of matrices that lie by columns.
    turned = not upper and goes_alone(a)
    factor = in_rows(a.mT if turned else a, dtype)
    info = _core._cholesky(factor, turned or bool(upper), what)
    _core._note_failures(info, NOT_DEFINITE, (factor,), what)
    return factor.mT if turned else factor


def _cholesky_of_numpy(a: Any, upper: bool) -> Any:
    if not upper:
        return np.linalg.cholesky(a)
    # Before NumPy 2.4 `upper` read the lower triangle of complex matrices.
    lower = np.linalg.cholesky(np.conjugate(a.mT))
    return np.conjugate(lower.mT)


@takes_stream
def qr(a: GPUArray, mode: str = "reduced") -> Any:
    """Return QRResult(Q, R) with a = Q @ R, for matrices of shape (..., m, n).

    `mode` is 'reduced' (Q of min(m, n) columns), 'complete' (m columns), 'r' (R alone) or 'raw'
    ((h, tau), LAPACK's reflectors transposed, and their factors). Queued without waiting.
    """
    require_matrix("qr", a)
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    if a.device.kind == "cpu":
        made = on_cpu(np.linalg.qr, a, mode=mode)
    else:
        made = _factors(a, mode, common_dtype(a))
    return QRResult(*made) if mode in ("reduced", "complete") else made


def _factors(a: GPUArray, mode: str, dtype: str) -> Any:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    least = min(m, n)
    if a.size == 0:
        return _factors_of_nothing(a, mode, dtype)
    small = as_small(a, dtype)
    if small is not None:
        q, r = _core._small_qr(small, mode)
        return r if mode == "r" else (q.mT, r) if mode == "raw" else (q, r)
    work = in_rows(a.mT, dtype)
    tau = _core._qr(work, "qr")
    if mode == "raw":
        return work, tau
    columns = m if mode == "complete" else least
    r = triu(work.mT[..., :columns, :])
    if mode == "r":
        return r
    q = work
    if columns > n:
        q = _core.zeros((*batch, m, m), dtype, device=a.device)
        q[..., :n, :] = work
    elif n > columns:
        q = work[..., :columns, :].copy()
    _core._form_q(q, tau, "qr")
    return q.mT, r


def _factors_of_nothing(a: GPUArray, mode: str, dtype: str) -> Any:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    least = min(m, n)
    columns = m if mode == "complete" else least
    if mode == "raw":
        return empty(a, (*batch, n, m), dtype), empty(a, (*batch, least), dtype)
    r = empty(a, (*batch, columns, n), dtype)
    if mode == "r":
        return r
    if columns == m:
        return eye_like(a, batch, m, dtype), r
    return empty(a, (*batch, m, columns), dtype), r
