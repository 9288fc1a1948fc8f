# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Indices of diagonals and triangles, filling of diagonals, and grids written as slices."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import host_value, require_array, require_callable, require_integers
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import Target
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._creation.matrices import diagonal_view, tri
from gpuarray._creation.ranges import arange, linspace
from gpuarray._indexing.grids import filled_grid, meshgrid
from gpuarray._indexing.indexing import nonzero
from gpuarray._manipulation.rearranging import resize
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "fill_diagonal",
    "mask_indices",
    "mgrid",
    "ogrid",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]


@takes_stream
def diag_indices(n: int, ndim: int = 2, *, device: Any = None) -> tuple[GPUArray, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of length n."""
    return (arange(n, device=device),) * operator.index(ndim)


@takes_stream
def diag_indices_from(arr: GPUArray) -> tuple[GPUArray, ...]:
    """Return the indices of the main diagonal of an array whose axes have one length."""
    if require_array("diag_indices_from", arr).ndim < 2:
        raise ValueError("diag_indices_from: input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError(
            f"diag_indices_from: all dimensions of input must be of equal length, got {arr.shape}"
        )
    return diag_indices(arr.shape[0], arr.ndim, device=arr.device)


@takes_stream
def tril_indices(
    n: int, k: int = 0, m: int | None = None, *, device: Any = None
) -> tuple[GPUArray, ...]:
    """Return the indices of the lower triangle of an n x m matrix, up to diagonal `k`."""
    return nonzero(tri(n, m, k, bool, device=device))


@takes_stream
def triu_indices(
    n: int, k: int = 0, m: int | None = None, *, device: Any = None
) -> tuple[GPUArray, ...]:
    """Return the indices of the upper triangle of an n x m matrix, from diagonal `k` on."""
    (k,) = require_integers("triu_indices", k=k)
    return nonzero(_core.logical_not(tri(n, m, k - 1, bool, device=device)))


@takes_stream
def tril_indices_from(arr: GPUArray, k: int = 0) -> tuple[GPUArray, ...]:
    """Return the indices of the lower triangle of a matrix, up to diagonal `k`."""
    return tril_indices(*_sides("tril_indices_from", arr, k), device=arr.device)


@takes_stream
def triu_indices_from(arr: GPUArray, k: int = 0) -> tuple[GPUArray, ...]:
    """Return the indices of the upper triangle of a matrix, from diagonal `k` on."""
    return triu_indices(*_sides("triu_indices_from", arr, k), device=arr.device)


def _sides(what: str, arr: Any, k: int) -> tuple[int, int, int]:
    if require_array(what, arr).ndim != 2:
        raise ValueError(f"{what}: input array must be 2-d, got {arr.ndim} dimensions")
    return arr.shape[0], k, arr.shape[1]


@takes_stream
@numpys_on_cpu(np.fill_diagonal)
def fill_diagonal(a: Target, val: Any, wrap: bool = False) -> None:
    """Assign a scalar, array or list to the main diagonal, in place, as numpy.fill_diagonal does.

    `wrap` continues it below in tall matrices. ValueError unless the array has two dimensions, or
    more of one extent.
    """
    require_array("fill_diagonal", a)
    if a.ndim < 2:
        raise ValueError(f"fill_diagonal: array must be at least 2-d, got shape {a.shape}")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError(
            f"fill_diagonal: all dimensions must be of equal length, got shape {a.shape}"
        )
    val = host_value("fill_diagonal", val, a, a._dtype_name)
    if isinstance(val, GPUArray) and val.size == 0:
        return None
    step = sum(a.strides)
    if wrap and a.ndim == 2:
        return _fill_wrapped(a, val)
    target = _core._as_strided(a, (min(a.shape),), (step,), 0, a.flags.writeable)
    target[...] = _cycled(val, target.size)
    return None


def _fill_wrapped(a: GPUArray, val: Any) -> None:
    """Fill the main diagonal, and start it anew in column 0 after every columns + 1 rows."""
    rows, columns = a.shape
    done, period = 0, columns + 1
    total = -(-rows * columns // period) if columns else 0
    values = _cycled(val, total)
    for top in range(0, rows, period):
        part = diagonal_view(a[top:], 0, 0, 1, a.flags.writeable)
        whole = isinstance(values, GPUArray) and values.ndim
        part[...] = values[done : done + part.size] if whole else values
        done += part.size


def _cycled(val: Any, count: int) -> Any:
    """Return a scalar as it is; flatten an array and repeat it to `count` elements."""
    if not isinstance(val, GPUArray) or val.size == 1:
        return val.reshape(()) if isinstance(val, GPUArray) else val
    return resize(val, count)


@takes_stream
def mask_indices(
    n: int, mask_func: Callable[..., GPUArray], k: Any = 0, *, device: Any = None
) -> tuple[GPUArray, ...]:
    """Return where mask_func(m, k) of an n x n matrix m of ones is not zero, as for triu()."""
    require_callable("mask_indices", mask_func=mask_func)
    return nonzero(_core.not_equal(mask_func(_core.ones((n, n), int, device=device), k), 0))


class _Grid:
    """The class of mgrid and ogrid, which make a grid when they are indexed with slices."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return _steps(key)
        parts = [_steps(part) for part in key]
        dtypes = [part.dtype for part in parts]
        parts = [part.astype(np.result_type(*dtypes), copy=False) for part in parts]
        grids = meshgrid(*parts, indexing="ij", sparse=True)
        if self._sparse:
            return grids
        return filled_grid(grids) if grids else asarray([])


def _steps(part: slice) -> GPUArray:
    """Return start, start + step, ...; an imaginary step is the number of elements instead."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, (complex, np.complexfloating)):
        made: GPUArray = linspace(start, part.stop, int(abs(complex(step))))
        return made
    return arange(start, part.stop, step)


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)
