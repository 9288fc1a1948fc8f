# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Norms of vectors and matrices, and condition numbers."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._common.arguments import as_integer, normalize_axes, normalize_axis, require_array
from gpuarray._common.dtype_table import dtype_kind, is_half
from gpuarray._core import GPUArray
from gpuarray._linalg.matrices import common_dtype, empty, real_of, require_matrix, require_square
from gpuarray._linalg.solving import inverse_and_status
from gpuarray._linalg.spectra import decomposed
from gpuarray._manipulation.manipulation import moveaxis
from gpuarray._runtime.streams import takes_stream

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

# From so many elements on, a norm is one kernel that is compiled for it.
_FUSED_SIZE = 1 << 16


@takes_stream
def norm(x: GPUArray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """Return the norm of vectors, along one axis, or of matrices, in two, as numpy.linalg.norm.

    `ord` is None (2-norm, of the raveled array without `axis`), a number, inf, -inf, 0 for vectors;
    'fro', 'nuc', 1, -1, 2, -2, inf or -inf for matrices. Sums of float32 are accumulated in
    float64. Queued without waiting, but for 2, -2 and 'nuc' of matrices, which wait as svd() does.
    """
    x = _inexact(require_array("norm", x))
    if axis is None:
        if ord is None or _is_norm_of_all(ord, x.ndim):
            made = _euclidean(x, None, False)
            return made.reshape((1,) * x.ndim) if keepdims else made
        axes = tuple(range(x.ndim))
    else:
        axes = tuple(normalize_axis(one, x.ndim) for one in _axes(axis))
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return _matrix_norm(x, ord, axes, keepdims)


def _is_norm_of_all(ord: Any, ndim: int) -> bool:
    frobenius = isinstance(ord, str) and ord in ("f", "fro")
    return (frobenius and ndim == 2) or (not isinstance(ord, str) and ord == 2 and ndim == 1)


def _axes(axis: Any) -> tuple[int, ...]:
    if isinstance(axis, tuple):
        return axis
    try:
        return (as_integer(axis),)
    except TypeError as error:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from error


def _inexact(x: GPUArray) -> GPUArray:
    return x if dtype_kind(x._dtype_name) in "fc" else x.astype("float64")


def _vector_norm(x: GPUArray, ord: Any, axis: Any, keepdims: bool) -> GPUArray:
    if ord is None or (not isinstance(ord, str) and ord == 2):
        return _euclidean(x, axis, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == np.inf:
        return _core.max(_core.absolute(x), axis=axis, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return _core.min(_core.absolute(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        nonzero = _core.not_equal(x, 0)
        return _core.sum(nonzero, axis=axis, keepdims=keepdims).astype(real_of(x._dtype_name))
    if ord == 1:
        return _reduced("absolute", x, axis, keepdims)
    powers = _core.power(_core.absolute(x), ord)
    return _core.power(_core.sum(powers, axis=axis, keepdims=keepdims), 1 / ord)


def _euclidean(x: GPUArray, axis: Any, keepdims: bool) -> GPUArray:
    made = _norms_of_rows(x, axis)
    if made is not None:
        kept = len(made.shape)
        return made.reshape(made.shape + (1,) * (x.ndim - kept)) if keepdims else made
    return _core.sqrt(_reduced("square", x, axis, keepdims))


def _norms_of_rows(x: GPUArray, axis: Any) -> GPUArray | None:
    """Return norms over the last axes of what lies in rows on a CUDA device; None otherwise."""
    if x.device.kind != "cuda" or x.size == 0 or is_half(x._dtype_name):
        return None
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    first = x.ndim - len(axes)
    if sorted(one % x.ndim for one in axes) != [*range(first, x.ndim)]:
        return None
    if first == 0 and x.flags.f_contiguous:
        x = x.T
    return _core._row_norms(x.reshape((*x.shape[:first], -1))) if x.flags.c_contiguous else None


# What norms sum, written once for eager calls and for kernels.
_TERMS: dict[str, Callable[[Any], Any]] = {
    "absolute": lambda x: _core.absolute(x),
    "square": lambda x: _core.square(x),
    "square of complex": lambda x: _core.square(x.real) + _core.square(x.imag),
}


def _reduced(terms: str, x: GPUArray, axis: Any, keepdims: bool) -> GPUArray:
    if terms == "square" and dtype_kind(x._dtype_name) == "c":
        terms = "square of complex"
    if x.device.kind == "cuda" and x.size >= _FUSED_SIZE:
        return _fused(terms, axis, bool(keepdims))(x)
    return _core.sum(_TERMS[terms](x), axis=axis, keepdims=keepdims)


@functools.cache
def _fused(terms: str, axis: Any, keepdims: bool) -> Callable[[GPUArray], GPUArray]:
    # The compiler is loaded when a large array asks for a norm, and not with this module.
    from gpuarray._fusion.fusion import fuse

    def total(x: Any) -> Any:
        return _core.sum(_TERMS[terms](x), axis=axis, keepdims=keepdims)

    made: Callable[[GPUArray], GPUArray] = fuse(kernel_name="norm")(total)
    return made


def _matrix_norm(x: GPUArray, ord: Any, axes: tuple[int, ...], keepdims: bool) -> GPUArray:
    row, column = axes
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord is None or ord in ("fro", "f"):
        return _euclidean(x, axes, keepdims)
    if ord in (2, -2, "nuc"):
        made = _norm_of_values(moveaxis(x, axes, (-2, -1)), ord)
    elif ord in (1, -1, np.inf, -np.inf):
        first, second = (row, column) if abs(ord) == 1 else (column, row)
        sums = _core.sum(_core.absolute(x), axis=first, keepdims=True)
        made = (
            _core.max(sums, axis=second, keepdims=True, initial=0)
            if ord > 0
            else _core.min(sums, axis=second, keepdims=True)
        )
        made = made.reshape(_without(x.shape, axes))
    else:
        raise ValueError("Invalid norm order for matrices.")
    if not keepdims:
        return made
    return made.reshape([1 if k in axes else n for k, n in enumerate(x.shape)])


def _without(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for k, extent in enumerate(shape) if k not in axes)


def _norm_of_values(x: GPUArray, ord: Any) -> GPUArray:
    values = decomposed("norm", x, compute_uv=False)
    if ord == "nuc":
        return _core.sum(values, axis=-1)
    return _core.max(values, axis=-1, initial=0) if ord == 2 else _core.min(values, axis=-1)


@takes_stream
def vector_norm(
    x: GPUArray, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> GPUArray:
    """Return the norm of vectors over one axis, several or all; `ord` as for norm()."""
    x = _inexact(require_array("vector_norm", x))
    axes: tuple[int, ...] | None = normalize_axes("vector_norm", axis, x.ndim)
    if axis is None and x.ndim == 0:
        axes = None
    return _vector_norm(x, ord, axes, bool(keepdims))


@takes_stream
def matrix_norm(x: GPUArray, /, *, keepdims: bool = False, ord: Any = "fro") -> GPUArray:
    """Return the norm of the matrices in the last two axes; `ord` as for norm()."""
    require_array("matrix_norm", x)
    if x.ndim < 2:
        raise np.exceptions.AxisError(-2, x.ndim)
    return norm(x, axis=(-2, -1), keepdims=keepdims, ord=ord)


@takes_stream
def cond(x: GPUArray, p: Any = None) -> GPUArray:
    """Return the condition numbers of matrices (..., m, n), inf for singular ones.

    `p` is an `ord` of matrices; None is 2. It waits as svd() does for None, 2 and -2.
    """
    require_matrix("cond", x)
    if x.size == 0 and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        # The decomposition refuses what is not finite.
        finite = _core.all(_core.isfinite(x), axis=(-2, -1))
        kept = _core.where(finite[..., None, None], x, 1)
        values = decomposed("cond", kept, compute_uv=False)
        least, most = values[..., -1], values[..., 0]
        ratio = _core.divide(least, most) if p == -2 else _core.divide(most, least)
        ratio = _core.where(finite, ratio, np.nan)
    else:
        require_square("cond", x)
        if x.size == 0:
            return empty(x, x.shape[:-2], real_of(common_dtype(x)))
        ratio = _cond_by_inverse(x, p)
    has_nan = _core.any(_core.isnan(x), axis=(-2, -1))
    unknown = _core.logical_and(_core.isnan(ratio), _core.logical_not(has_nan))
    return _core.where(unknown, np.inf, ratio)


def _cond_by_inverse(x: GPUArray, p: Any) -> GPUArray:
    if x.device.kind == "cpu":
        return _core.to_device(np.linalg.cond(x.get(), p), device="cpu")
    inverse, info = inverse_and_status(x, "cond")
    ratio = norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1))
    return _core.where(_core.greater(info, 0), np.inf, ratio)
