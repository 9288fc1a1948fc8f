# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the functions share: checks, dtypes, copies for libraries, calls of NumPy."""

import math
from collections.abc import Callable
from typing import Any

from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import require_array
from gpuarray._common.dtype_table import dtype_kind, is_half
from gpuarray._common.host_products import silently
from gpuarray._core import GPUArray
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray.errors import DeviceError

__all__ = [
    "NOT_CONVERGED",
    "NOT_DEFINITE",
    "SINGULAR",
    "adjoint",
    "common_dtype",
    "empty",
    "eye_like",
    "goes_alone",
    "in_rows",
    "is_finite",
    "lu_in_place",
    "on_cpu",
    "real_of",
    "require_matrix",
    "require_one_device",
    "require_square",
]

# Matrices of more rows go to the libraries one by one: kLuBatchedRows in kernels/tuning.hpp.
_BATCHED_ROWS = 256
# The kinds of errors that _core._note_failures notes.
SINGULAR, NOT_DEFINITE, NOT_CONVERGED = 1, 2, 3


def on_cpu(numpys: Callable[..., Any], *arrays: GPUArray, **options: Any) -> Any:
    """Return NumPy's results for arrays of the cpu device; what it raises is raised.

    Several results come as a tuple.
    """
    raised: list[Exception] = []

    def called(*given: Any) -> Any:
        try:
            made = silently(numpys, *given, **options)
        except Exception as error:
            raised.append(error)
            raise
        return tuple(made) if isinstance(made, tuple) else made

    result = _core._call_numpy(called, arrays, {}, True, True, True)
    if raised:
        raise raised[0]
    if result is NotImplemented:
        raise TypeError(f"{numpys.__name__}: arguments of these types are not supported")
    return result


def is_finite(a: GPUArray) -> bool:
    """Return whether all elements of an array of the cpu device are finite.

    NumPy's singular values of others may take for ever.
    """
    return bool(_core.all(_core.isfinite(a)))


def require_matrix(what: str, a: Any) -> GPUArray:
    """Return `a` if it is a GPUArray of two dimensions or more; TypeError or LinAlgError."""
    if require_array(what, a).ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    common_dtype(a)
    return a  # type: ignore[no-any-return]


def require_square(what: str, a: Any) -> GPUArray:
    """Return `a` if it is a GPUArray of square matrices; TypeError or LinAlgError."""
    if require_matrix(what, a).shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a  # type: ignore[no-any-return]


def require_one_device(what: str, a: GPUArray, b: GPUArray) -> None:
    """Raise DeviceError unless both arrays are on one device."""
    if a.device != b.device:
        raise DeviceError(
            f"{what}: expected arrays of one device, got {a.device} and {b.device}; "
            "copy one with a.to_device(device)"
        )


def common_dtype(*arrays: GPUArray) -> str:
    """Return the dtype in which LAPACK computes: integers and bools are as float64.

    TypeError for floats of 16 bits, which NumPy refuses too.
    """
    names = []
    for a in arrays:
        name = a._dtype_name
        if is_half(name):
            raise TypeError(f"array type {name} is unsupported in linalg")
        names.append(name if dtype_kind(name) in "fc" else "float64")
    return names[0] if len({*names}) == 1 else _core._promote(*names)


def real_of(dtype: str) -> str:
    """Return the dtype of the real parts of an inexact dtype."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def in_rows(a: GPUArray, dtype: str, batch: tuple[int, ...] | None = None) -> GPUArray:
    """Return a new C-contiguous array of the matrices, broadcast to the batch's shape."""
    if batch is not None and a.shape[:-2] != batch:
        a = broadcast_to(a, (*batch, *a.shape[-2:]))
    return a.astype(dtype, "C", copy=True)


def lu_in_place(work: GPUArray, what: str) -> tuple[GPUArray, GPUArray]:
    """Factorize matrices of a CUDA device in place, and return their pivots and their info.

    The info is positive for a singular matrix, and -1 for one with NaN: for such a matrix the
    library may find finite numbers, or say that it is singular.
    """
    unknown = _core.isnan(_core.max(work, axis=(-2, -1)))
    pivots, info = _core._lu(work, what)
    return pivots, _core.where(unknown, -1, info).astype("int32", copy=False)


def goes_alone(a: GPUArray, batch: tuple[int, ...] | None = None) -> bool:
    """Return whether the square matrices are factorized one by one, and not as a batch."""
    count = math.prod(a.shape[:-2] if batch is None else batch)
    return count == 1 or a.shape[-1] > _BATCHED_ROWS


def empty(a: GPUArray, shape: tuple[int, ...], dtype: Any) -> GPUArray:
    """Return zeros on the device of `a`, for results of empty matrices."""
    return _core.zeros(shape, dtype, device=a.device)


def eye_like(a: GPUArray, batch: tuple[int, ...], n: int, dtype: str) -> GPUArray:
    """Return new identity matrices on the device of `a`."""
    made = _core.zeros((*batch, n, n), dtype, device=a.device)
    if made.size:
        steps = tuple(step * made.itemsize for step in _steps(batch, n * n))
        diagonal = _core._as_strided(made, (*batch, n), (*steps, (n + 1) * made.itemsize), 0, True)
        diagonal[...] = 1
    return made


def _steps(batch: tuple[int, ...], step: int) -> list[int]:
    steps = []
    for extent in reversed(batch):
        steps.append(step)
        step *= extent
    return steps[::-1]


def adjoint(a: GPUArray) -> GPUArray:
    """Return the conjugate transposes; of real matrices a view."""
    return _core.conjugate(a.mT) if dtype_kind(a._dtype_name) == "c" else a.mT
