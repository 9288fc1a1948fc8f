# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Polynomials that linear algebra makes: fits, roots, and polynomials of roots."""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._creation.matrices import diag
from gpuarray._linalg.least_squares import lstsq
from gpuarray._linalg.matrices import common_dtype, empty
from gpuarray._linalg.solving import inverse
from gpuarray._linalg.spectra import eigvals
from gpuarray._math.polynomials import vander
from gpuarray._math.signal import convolve
from gpuarray._runtime.streams import takes_stream

__all__ = ["poly", "polydiv", "polyfit", "roots"]


@takes_stream
def roots(p: GPUArray) -> GPUArray:
    """Return the roots of a polynomial of 1-d coefficients, the highest power first.

    Those of real coefficients are real if all are. Waits for the device, to leave out zeros at both
    ends, and as eigvals() does.
    """
    if require_array("roots", p).ndim > 1:
        raise ValueError("Input must be a rank-1 array.")
    p = p.reshape(-1).astype(common_dtype(p), copy=False)
    filled = np.flatnonzero(_core.not_equal(p, 0).get())
    if filled.size == 0:
        return empty(p, (0,), "float64")
    at_zero = p.size - int(filled[-1]) - 1
    p = p[int(filled[0]) : int(filled[-1]) + 1]
    if p.size == 1:
        return empty(p, (at_zero,), "float64")
    companion = diag(_core.ones(p.size - 2, p._dtype_name, device=p.device), -1).copy()
    companion[0] = -p[1:] / p[0]
    found = _real_if_all_are(eigvals(companion), p)
    made = _core.zeros(p.size - 1 + at_zero, found._dtype_name, device=p.device)
    made[: p.size - 1] = found
    return made


def _real_if_all_are(values: GPUArray, of: GPUArray) -> GPUArray:
    """Return eigenvalues of real numbers without their imaginary parts if these are all 0."""
    is_real = dtype_kind(of._dtype_name) != "c" and not bool(_core.any(values.imag))
    return values.real if is_real else values


@takes_stream
def poly(seq_of_zeros: GPUArray) -> GPUArray:
    """Return the coefficients of the polynomial with these roots, or of a matrix's eigenvalues.

    Complex roots in conjugate pairs give real coefficients, but for those in an array of one
    dimension on a CUDA device, where nothing waits. Waits for a matrix as eigvals() does.
    """
    x = require_array("poly", seq_of_zeros)
    is_matrix = x.ndim == 2 and x.shape[0] == x.shape[1] and x.shape[0] != 0
    if is_matrix:
        x = _real_if_all_are(eigvals(x), x)
    elif x.ndim > 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    x = x.reshape(-1).astype(common_dtype(x), copy=False)
    made = _core.ones(1, x._dtype_name, device=x.device)
    for k in range(x.size):
        factor = _core.ones(2, x._dtype_name, device=x.device)
        factor[1] = -x[k]
        made = convolve(made, factor)
    if dtype_kind(x._dtype_name) == "c" and (is_matrix or x.device.kind == "cpu"):
        values = x.get()
        if (np.sort(values) == np.sort(values.conj())).all():
            made = made.real.copy()
    return made


@takes_stream
def polydiv(u: GPUArray, v: GPUArray) -> tuple[GPUArray, GPUArray]:
    """Return the quotient and the remainder of polynomials of 1-d coefficients.

    Waits for the device, because the length of the remainder depends on its coefficients.
    """
    first, second = require_array("polydiv", u), require_array("polydiv", v)
    dtype = common_dtype(first, second)
    quotient, remainder = np.polydiv(
        np.atleast_1d(first.get()).astype(dtype), np.atleast_1d(second.get()).astype(dtype)
    )
    return (
        _core.to_device(np.asarray(quotient), device=first.device),
        _core.to_device(np.asarray(remainder), device=first.device),
    )


@takes_stream
def polyfit(
    x: GPUArray,
    y: GPUArray,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: GPUArray | None = None,
    cov: bool | str = False,
) -> Any:
    """Return the coefficients of the polynomial of degree `deg` that is closest to y(x).

    `x` is 1-d, `y` 1-d or of columns, `w` weights of the residuals. With `full` it is
    (coefficients, residuals, rank, singular values, rcond), with `cov` (coefficients, their
    covariances, not scaled for 'unscaled'). Waits as lstsq() does.
    """
    require_array("polyfit", x), require_array("polyfit", y)
    order = int(deg) + 1
    dtype = common_dtype(x, y)
    x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = x.size * float(np.finfo(dtype).eps)
    left, right = vander(x, order), y
    if w is not None:
        left, right = _weighted(left, right, require_array("polyfit", w))
    scale = _core.sqrt(_core.sum(_core.square(_core.absolute(left)), axis=0))
    coefficients, residuals, rank, s = lstsq(left / scale, right, rcond)
    coefficients = (coefficients.T / scale).T
    if rank != order and not full:
        import warnings

        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, 2)
    if full:
        return coefficients, residuals, rank, s, rcond
    if not cov:
        return coefficients
    scaled = left / scale
    base = inverse("polyfit", scaled.T @ scaled) / (scale[:, None] * scale)
    return coefficients, _covariance(base, residuals, len(x) - order, cov, y.ndim)


def _weighted(left: GPUArray, right: GPUArray, w: GPUArray) -> tuple[GPUArray, GPUArray]:
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w.shape[0] != right.shape[0]:
        raise TypeError("expected w and y to have the same length")
    return left * w[:, None], right * (w[:, None] if right.ndim == 2 else w)


def _covariance(base: GPUArray, residuals: GPUArray, excess: int, cov: Any, ndim: int) -> GPUArray:
    factor: Any = 1
    if cov != "unscaled":
        if excess <= 0:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        if residuals.size == 0:
            raise LinAlgError("polyfit: the matrix is singular")
        factor = residuals / excess
    made: GPUArray = base * factor if ndim == 1 else base[:, :, None] * factor
    return made
