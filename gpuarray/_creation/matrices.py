# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Identity matrices, diagonals and triangles of matrices."""

import functools
from collections.abc import Callable
from typing import Any

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.arguments import (
    as_extents,
    normalize_axis,
    require_array,
    require_integers,
)
from gpuarray._common.one_pass import made_at_once
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "diag",
    "diagflat",
    "diagonal",
    "eye",
    "identity",
    "trace",
    "tri",
    "tril",
    "triu",
]


@takes_stream
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
) -> GPUArray:
    """Return N x M zeros with ones on diagonal `k`: 0 the main one, above it positive."""
    M = N if M is None else M
    *_, k = require_integers("eye", N=N, M=M, k=k)
    N, M = as_extents((N, M))
    if N < 0 or M < 0:
        raise ValueError(f"eye: negative dimensions are not allowed: got shape {(N, M)}")
    made = _core.zeros((N, M), float if dtype is None else dtype, order, device=device)
    diagonal_view(made, min(max(k, -N), M), 0, 1, True)[...] = 1
    return made


@takes_stream
def identity(n: int, dtype: Any = float, *, device: Any = None) -> GPUArray:
    """Return the n x n identity matrix."""
    return eye(n, dtype=dtype, device=device)


@takes_stream
def tri(
    N: int, M: int | None = None, k: int = 0, dtype: Any = float, *, device: Any = None
) -> GPUArray:
    """Return N x M zeros with ones at and below diagonal `k`."""
    M = N if M is None else M
    N, M, k = require_integers("tri", N=N, M=M, k=k)
    N, M = max(N, 0), max(M, 0)
    k = min(max(k, -N), M)
    if N * M < 1 << 32:
        made = made_at_once(_tri_kernel, (N, M), dtype, device, M, k)
        if made is not None:
            return made
    return _at_or_below(N, M, k, device).astype(dtype, copy=False)


@functools.cache
def _tri_kernel() -> Callable[..., GPUArray]:
    return package.module.ElementwiseKernel(  # type: ignore[no-any-return]
        "uint32 columns, int64 k",
        "T y",
        "const uint32_t row = uint32_t(i) / columns, column = uint32_t(i) - row * columns;"
        "y = cast<T>(int64_t(column) <= row + k);",
        "tri",
    )


def _at_or_below(rows: int, columns: int, k: int, device: Any) -> GPUArray:
    """Return a bool matrix that is True where column <= row + k, and k is in [-rows, columns]."""
    row = _core._arange(rows, k, 1, "int64", device).reshape(rows, 1)
    return _core.greater_equal(row, _core._arange(columns, 0, 1, "int64", device))


@takes_stream
def tril(m: GPUArray, k: int = 0) -> GPUArray:
    """Return a copy with zeros above diagonal `k` of the matrices in the last two axes."""
    return _triangle("tril", m, k, False)


@takes_stream
def triu(m: GPUArray, k: int = 0) -> GPUArray:
    """Return a copy with zeros below diagonal `k` of the matrices in the last two axes."""
    return _triangle("triu", m, k, True)


def _triangle(what: str, m: Any, k: int, upper: bool) -> GPUArray:
    require_array(what, m)
    (k,) = require_integers(what, k=k)
    if m.ndim == 0:
        raise ValueError(f"{what}: expected at least one dimension, got an array of none")
    rows, columns = m.shape[-2] if m.ndim > 1 else m.shape[0], m.shape[-1]
    offset = min(max(k - upper, -rows), columns)
    made: GPUArray | None = (
        _core._triangle(m, offset, upper) if issubclass(type(m), GPUArray) else None
    )
    if made is not None:
        return made
    lower = _at_or_below(rows, columns, offset, m.device)
    return _core.where(lower, False, m) if upper else _core.where(lower, m, False)


@takes_lists
def diagonal(a: GPUArray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> GPUArray:
    """Return a read-only view of diagonal `offset` of the planes of two axes, as the last axis."""
    return diagonal_view(require_array("diagonal", a), offset, axis1, axis2, False)


def diagonal_view(a: GPUArray, offset: int, axis1: int, axis2: int, writeable: bool) -> GPUArray:
    """Return `diagonal`, a view of which may be written to where `writeable`."""
    if a.ndim < 2:
        raise ValueError(f"diagonal: expected at least two dimensions, got shape {a.shape}")
    first, second = normalize_axis(axis1, a.ndim), normalize_axis(axis2, a.ndim)
    if first == second:
        raise ValueError(f"diagonal: axis1 and axis2 cannot be the same, got {axis1} and {axis2}")
    (offset,) = require_integers("diagonal", offset=offset)
    down, right = max(-offset, 0), max(offset, 0)
    extent = max(min(a.shape[first] - down, a.shape[second] - right), 0)
    start = down * a.strides[first] + right * a.strides[second] if extent else 0
    kept = [axis for axis in range(a.ndim) if axis not in (first, second)]
    shape = (*(a.shape[axis] for axis in kept), extent)
    strides = (*(a.strides[axis] for axis in kept), a.strides[first] + a.strides[second])
    return _core._as_strided(a, shape, strides, start, writeable)


@takes_stream
def trace(
    a: GPUArray,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return the sums of diagonal `offset` of the planes of two axes: a new array, or `out`."""
    return _core.sum(diagonal(require_array("trace", a), offset, axis1, axis2), -1, dtype, out)


@takes_stream
def diag(v: GPUArray, k: int = 0) -> GPUArray:
    """Return a matrix with `v` on diagonal `k`, or for a matrix a view of that diagonal."""
    require_array("diag", v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError(f"diag: expected one or two dimensions, got shape {v.shape}")
    (k,) = require_integers("diag", k=k)
    side = v.size + abs(k)
    made = _core.zeros((side, side), v._dtype_name, device=v.device)
    diagonal_view(made, k, 0, 1, True)[...] = v
    return made


@takes_stream
def diagflat(v: GPUArray, k: int = 0) -> GPUArray:
    """Return a matrix with the elements of `v` on diagonal `k`."""
    return diag(require_array("diagflat", v).ravel(), k)
