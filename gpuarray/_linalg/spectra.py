# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Eigenvalues, singular values and their vectors."""

from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._creation.matrices import tril, triu
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._linalg.factorizations import qr
from gpuarray._linalg.matrices import (
    NOT_CONVERGED,
    adjoint,
    common_dtype,
    empty,
    eye_like,
    in_rows,
    is_finite,
    on_cpu,
    real_of,
    require_matrix,
    require_square,
)
from gpuarray._linalg.small import as_small
from gpuarray._manipulation.rearranging import roll
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.assignment import copyto

__all__ = [
    "EigResult",
    "EighResult",
    "SVDResult",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "svd",
    "svdvals",
]

# eig() takes matrices of at most so many rows to the host, where LAPACK is quicker.
_EIG_ON_HOST = 64
# svd() begins with a factorization Q R where one extent is so many times the other.
_TALL = 1.6


class EighResult(NamedTuple):
    """Eigenvalues in ascending order, and eigenvectors as columns."""

    eigenvalues: GPUArray
    eigenvectors: GPUArray


class EigResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: GPUArray
    eigenvectors: GPUArray


class SVDResult(NamedTuple):
    """The factors of A = U diag(S) Vh."""

    U: GPUArray
    S: GPUArray
    Vh: GPUArray


@takes_stream
def eigh(a: GPUArray, UPLO: str = "L") -> EighResult:
    """Return eigenvalues, ascending, and eigenvectors of hermitian matrices (..., n, n).

    The lower triangle is read, or with `UPLO` 'U' the upper one. Eigenvectors of different devices
    differ by factors of magnitude 1. Queued on the current stream; for matrices of more than 512
    rows on a CUDA device it waits for the device, though not while the stream captures. LinAlgError
    where the iteration does not converge: at the next wait, with NaN as result, or on the cpu
    device at once.
    """
    require_square("eigh", a)
    upper = _is_upper(UPLO)
    if a.device.kind == "cpu":
        return EighResult(*on_cpu(np.linalg.eigh, a, UPLO="U" if upper else "L"))
    values, vectors = _hermitian(a, upper, True, "eigh")
    return EighResult(values, vectors)


@takes_stream
def eigvalsh(a: GPUArray, UPLO: str = "L") -> GPUArray:
    """Return the eigenvalues of eigh() alone."""
    require_square("eigvalsh", a)
    upper = _is_upper(UPLO)
    if a.device.kind == "cpu":
        letter = "U" if upper else "L"
        return on_cpu(np.linalg.eigvalsh, a, UPLO=letter)  # type: ignore[no-any-return]
    return _hermitian(a, upper, False, "eigvalsh")[0]


def _is_upper(triangle: Any) -> bool:
    letter = triangle.upper() if isinstance(triangle, str) else ""
    if letter not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return letter == "U"


def _hermitian(a: GPUArray, upper: bool, vectors: bool, what: str) -> tuple[GPUArray, GPUArray]:
    dtype = common_dtype(a)
    if a.size == 0:
        return empty(a, a.shape[:-1], real_of(dtype)), empty(a, a.shape, dtype)
    small = as_small(a, dtype)
    if small is not None:
        return _core._small_eigh(small, upper, vectors, what)
    finite = _are_finite(triu(a) if upper else tril(a))
    work = _finite_alone(in_rows(a, dtype), finite)
    values, info = _core._eigh(work, upper, vectors, what)
    _note(info, finite, (values, work) if vectors else (values,), what)
    # The library has seen the transposes, which are the conjugates: so are their vectors.
    return values, adjoint(work)


def _are_finite(a: GPUArray) -> GPUArray:
    return _core.all(_core.isfinite(a), axis=(-2, -1))


def _finite_alone(work: GPUArray, finite: GPUArray) -> GPUArray:
    """Return new matrices with zeros in place of those that are not finite.

    Of these the library might say nothing, or never end.
    """
    copyto(work, 0, where=_core.logical_not(finite)[..., None, None])
    return work


def _note(info: GPUArray, finite: GPUArray, results: tuple[GPUArray, ...], what: str) -> None:
    """Note matrices that did not converge, or whose elements are not all finite."""
    info = _core.where(finite, info, 1).astype("int32", copy=False)
    _core._note_failures(info, NOT_CONVERGED, results, what)


@takes_stream
def svd(
    a: GPUArray, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return SVDResult(U, S, Vh), or S alone unless `compute_uv`, of matrices (..., m, n).

    S is in descending order. U has m columns and Vh n rows with `full_matrices`, else both
    min(m, n). `hermitian` matrices are taken by eigh(). On a CUDA device it waits unless both
    extents are at most 32, or the smaller one is and the other more than 1.6 times as large, and
    without full_matrices: CaptureError while a stream captures. LinAlgError as eigh() raises it.
    """
    return decomposed("svd", a, full_matrices, compute_uv, hermitian)


def decomposed(
    what: str,
    a: GPUArray,
    full_matrices: bool = False,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:
    """Return svd(a), for a function that errors are to name."""
    require_matrix(what, a)
    if hermitian:
        require_square(what, a)
    if a.device.kind == "cpu":
        if compute_uv and not is_finite(a):
            raise LinAlgError("SVD did not converge")
        options = {"full_matrices": full_matrices, "compute_uv": compute_uv}
        made = on_cpu(np.linalg.svd, a, hermitian=hermitian, **options)
        return SVDResult(*made) if compute_uv else made
    if hermitian:
        return _svd_of_hermitian(a, compute_uv, what)
    if compute_uv:
        return SVDResult(*_singular(a, full_matrices, True, what))
    return _singular(a, False, False, what)[1]


@takes_stream
def svdvals(x: GPUArray, /) -> GPUArray:
    """Return the singular values of matrices (..., m, n), descending; waits as svd() does."""
    return decomposed("svdvals", x, compute_uv=False)  # type: ignore[no-any-return]


def _svd_of_hermitian(a: GPUArray, compute_uv: bool, what: str) -> Any:
    values, vectors = _hermitian(a, False, compute_uv, what)
    order = _core._argsort_rows(_core.absolute(values), -1, True, True)
    values = take_along_axis(values, order, -1)
    magnitudes = _core.absolute(values)
    if not compute_uv:
        return magnitudes
    vectors = take_along_axis(vectors, order[..., None, :], -1)
    signs = _core.where(_core.less(values, 0), -1.0, 1.0).astype(values.dtype, copy=False)
    return SVDResult(vectors, magnitudes, adjoint(vectors * signs[..., None, :]))


def _singular(a: GPUArray, full: bool, vectors: bool, what: str) -> tuple[Any, GPUArray, Any]:
    """Return (U, S, Vh), without vectors (None, S, None)."""
    dtype, (m, n) = common_dtype(a), a.shape[-2:]
    if a.size == 0:
        return _singular_of_nothing(a, full, vectors, dtype)
    least = min(m, n)
    small = as_small(a, dtype)
    if small is not None:
        return _core._small_svd(small, full, vectors, what)
    if m < n and n >= _TALL * m and not full:
        u, s, vh = _singular(adjoint(a), full, vectors, what)
        return (adjoint(vh), s, adjoint(u)) if vectors else (None, s, None)
    if m >= _TALL * n and not full:
        return _singular_of_tall(a, vectors, what)
    wide = m < n
    finite = _are_finite(a)
    work = _finite_alone(in_rows(a if wide else a.mT, dtype), finite)
    columns = 0 if not vectors else max(m, n) if full else least
    u, s, vt, info = _core._svd(work, columns, what)
    _note(info, finite, (s, u, vt) if vectors else (s,), what)
    if not vectors:
        return None, s, None
    # The library has seen A^T if it is wide: what it takes for U lies in rows as Vh.
    return (vt, s, u) if wide else (u.mT, s, vt.mT)


def _singular_of_tall(a: GPUArray, vectors: bool, what: str) -> tuple[Any, GPUArray, Any]:
    if not vectors:
        return _singular(qr(a, "r"), False, False, what)
    q, r = qr(a)
    u, s, vh = _singular(r, False, True, what)
    return q @ u, s, vh


def _singular_of_nothing(
    a: GPUArray, full: bool, vectors: bool, dtype: str
) -> tuple[Any, GPUArray, Any]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    least = min(m, n)
    s = empty(a, (*batch, least), real_of(dtype))
    if not vectors:
        return None, s, None
    if full:
        return eye_like(a, batch, m, dtype), s, eye_like(a, batch, n, dtype)
    return empty(a, (*batch, m, least), dtype), s, empty(a, (*batch, least, n), dtype)


@takes_stream
def eig(a: GPUArray) -> EigResult:
    """Return the eigenvalues and right eigenvectors of square matrices, always complex.

    Waits for the device: CaptureError while a stream captures. LinAlgError at once for elements
    that are not finite, and as eigh() raises it where the iteration does not converge.
    """
    values, vectors = _general(require_square("eig", a), True, "eig")
    return EigResult(values, vectors)


@takes_stream
def eigvals(a: GPUArray) -> GPUArray:
    """Return the eigenvalues of square matrices, always complex. Waits as eig() does."""
    return _general(require_square("eigvals", a), False, "eigvals")[0]


def _general(a: GPUArray, vectors: bool, what: str) -> tuple[GPUArray, Any]:
    dtype = common_dtype(a)
    result = {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)
    numpys = _eig_of_numpy if vectors else _eigvals_of_numpy
    if a.device.kind == "cpu":
        made = on_cpu(numpys, a, dtype=result)
        return made if vectors else (made, None)
    if a.size == 0:
        return empty(a, a.shape[:-1], result), empty(a, a.shape, result)
    if a.shape[-1] <= _EIG_ON_HOST:
        found = numpys(a.get(), result)
        on_device = [_core.to_device(x, device=a.device) for x in (found if vectors else [found])]
        return on_device[0], on_device[-1]
    if not bool(_core.all(_core.isfinite(a))):
        raise LinAlgError("Array must not contain infs or NaNs")
    values, rows, info = _core._eig(in_rows(a.mT, dtype), vectors, what)
    if vectors and dtype != result:
        rows = _pairs(values, rows)
    results = (values, rows) if vectors else (values,)
    _core._note_failures(info, NOT_CONVERGED, results, what)
    return values, rows.mT if vectors else None


def _pairs(values: GPUArray, rows: GPUArray) -> GPUArray:
    """Return the eigenvectors of real matrices, in rows, as LAPACK packs them.

    Of a pair of conjugate eigenvalues, the first of which has the positive imaginary part, the
    first row has the real parts of the eigenvectors and the second one the imaginary parts.
    """
    sides = values.imag[..., None]
    is_first, is_second = _core.greater(sides, 0), _core.less(sides, 0)
    made = _core.zeros(rows.shape, values.dtype, device=rows.device)
    made.real[...] = _core.where(is_second, roll(rows, 1, -2), rows)
    imaginary = _core.where(is_second, -rows, 0)
    made.imag[...] = _core.where(is_first, roll(rows, -1, -2), imaginary)
    return made


def _eig_of_numpy(a: Any, dtype: str) -> Any:
    values, vectors = np.linalg.eig(a)
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)


def _eigvals_of_numpy(a: Any, dtype: str) -> Any:
    return np.linalg.eigvals(a).astype(dtype, copy=False)
