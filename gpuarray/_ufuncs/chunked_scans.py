# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Scans that convert their results, or replace NaN, by chunks."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import is_inexact, normalize_axis, require_array, require_out
from gpuarray._common.dtype_table import wider
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name, promoted
from gpuarray._dtypes.inspection import may_share_memory
from gpuarray._ufuncs.chunks import Mapped, chunk_shape, chunks, is_chunked
from gpuarray._ufuncs.composed_reductions import filled, replaced
from gpuarray._ufuncs.ufunc_call import counterpart

__all__ = ["accumulate", "nan_scan"]


def accumulate(a: GPUArray, op: str, axis: int | None, loop: str, out: GPUArray) -> GPUArray:
    """Write the scan, computed in the dtype `loop`, into `out` of another dtype."""
    if axis is None:
        a, axis = a.reshape(-1), 0
    if not is_chunked(a) or _disturbs(out, a):
        out[...] = _core.accumulate(op, a, axis, loop)
        return out
    return _by_chunks(a, op, normalize_axis(axis, a.ndim), loop, out)


def nan_scan(
    name: str,
    op: str,
    a: GPUArray,
    value: int,
    axis: int | None,
    dtype: Any,
    out: GPUArray | None,
) -> GPUArray:
    """Return the scan of the elements with `value` in the place of NaN."""
    is_small = not is_inexact(require_array(name, a)) or not is_chunked(a)
    if is_small or (out is not None and _disturbs(out, a)):
        return _core.accumulate(op, replaced(name, a, value), axis, dtype, out)
    loop = dtype_name(dtype) if dtype is not None else a._dtype_name
    if out is None:
        out = _core.empty(a.shape if axis is not None else (a.size,), loop, device=a.device)
    elif dtype is None:
        loop = promoted(loop, out._dtype_name)
    require_out(name, out, a.shape if axis is not None else (a.size,), loop)
    if out._dtype_name != loop:
        if axis is None:
            a, axis = a.reshape(-1), 0
        return _by_chunks(filled(name, a, value), op, normalize_axis(axis, a.ndim), loop, out)
    target = out.reshape(a.shape)
    for key in chunks(a.shape, chunk_shape(a, ())):
        target[key] = replaced(name, a[key], value)
    return _core.accumulate(op, out, axis, loop, out)


def _disturbs(out: GPUArray, a: GPUArray) -> bool:
    """Return whether a chunk of `out` may share memory with elements of other chunks of `a`."""
    is_in_place = (out.ptr, out.shape, out.strides) == (a.ptr, a.shape, a.strides)
    return may_share_memory(out, a) and not is_in_place


def _by_chunks(a: GPUArray | Mapped, op: str, axis: int, loop: str, out: GPUArray) -> GPUArray:
    function, extents = counterpart(getattr(np, op)), chunk_shape(a, (axis,))
    is_split = extents[axis] < a.shape[axis]
    # The last results of chunks are carried on in the dtype that the scans of kernels compute in.
    wide = wider(loop) if op in ("add", "multiply") and is_split else loop
    before: tuple[slice, ...] = (slice(None),) * axis
    kept = (*out.shape[:axis], 1, *out.shape[axis + 1 :])
    carried = _core.empty(kept if is_split else 0, wide, device=out.device)
    for key in chunks(a.shape, extents):
        if not is_split:
            out[key] = _core.accumulate(op, a[key], axis, loop)
            continue
        made = a[key].astype(loop, copy=False).astype(wide, copy=True)
        last = carried[(*key[:axis], slice(None), *key[axis + 1 :])]
        if key[axis].start > 0:
            first = made[(*before, slice(1))]
            first[...] = function(last, first)
        _core.accumulate(op, made, axis, wide, made)
        last[...] = made[(*before, slice(-1, None))]
        out[key] = made.astype(loop, copy=False)
    return out
