# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sliding windows, and convolution and correlation, which are composed from them."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import is_complex, normalize_axis, require_array, require_integers
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = ["convolve", "correlate", "sliding_window_view"]

# The matrix product may copy the windows, so it is given at most so many elements at a time.
_CHUNK = 2**24


@takes_lists
def sliding_window_view(
    x: GPUArray, window_shape: Any, axis: Any = None, *, writeable: bool = False
) -> GPUArray:
    """Return a view of all windows of this shape, as numpy.lib.stride_tricks has it.

    `window_shape` is an int or a tuple, for each of `axis` one, for all axes by default. These
    axes shrink by the windows' length less 1, and the windows' axes come last. Read-only unless
    `writeable`: windows overlap.
    """
    require_array("sliding_window_view", x)
    lengths = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    lengths = tuple(
        require_integers("sliding_window_view", window_shape=length)[0] for length in lengths
    )
    if any(length < 0 for length in lengths):
        raise ValueError(
            f"sliding_window_view: window_shape cannot contain negative values, got {lengths}"
        )
    given = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = [normalize_axis(one, x.ndim) for one in given]
    if len(axes) != len(lengths):
        raise ValueError(
            f"sliding_window_view: window_shape {lengths} and axes {tuple(axes)} differ in length"
        )
    shape = list(x.shape)
    for one, length in zip(axes, lengths, strict=True):
        shape[one] -= max(length - 1, -1)
        if shape[one] <= 0:
            raise ValueError(
                f"sliding_window_view: window of {length} is larger than axis {one} of {x.shape}"
            )
    strides = (*x.strides, *(x.strides[one] for one in axes))
    return _core._as_strided(x, (*shape, *lengths), strides, 0, writeable and x.flags.writeable)


@takes_stream
@numpys_on_cpu(np.correlate, strings=True)
def correlate(a: GPUArray, v: GPUArray, mode: str = "valid") -> GPUArray:
    """Return the cross-correlation of two 1-d arrays, c[k] = sum(a[n + k] * conj(v[n])).

    `mode` is "valid" (where they overlap in full), "same" (as long as the longer one) or "full".
    Computed directly, in the promoted dtype. Queued on the current stream.
    """
    a, v = (_one_dimensional("correlate", x) for x in (a, v))
    if 0 in (a.ndim, v.ndim):
        raise ValueError("correlate: expected arrays of one dimension, got one of none")
    made = _correlated(a, _core.conjugate(v) if is_complex(v) else v, mode)
    return made[::-1].copy() if v.size > a.size else made


@takes_stream
@numpys_on_cpu(np.convolve, strings=True)
def convolve(a: GPUArray, v: GPUArray, mode: str = "full") -> GPUArray:
    """Return the discrete convolution of two 1-d arrays, c[k] = sum(a[n] * v[k - n]).

    `mode` is "full", "same" (as long as the longer one) or "valid". Computed directly, in the
    promoted dtype. Queued on the current stream.
    """
    a, v = (_one_dimensional("convolve", x).reshape(-1) for x in (a, v))
    if v.size > a.size:
        a, v = v, a
    return _correlated(a, v[::-1], mode)


def _one_dimensional(what: str, x: Any) -> GPUArray:
    if require_array(what, x).ndim > 1:
        raise ValueError(f"{what}: object too deep for desired array: {x.ndim} dimensions, not 1")
    if x.size == 0:
        raise ValueError(f"{what}: got an empty array")
    return x  # type: ignore[no-any-return]


def _correlated(a: GPUArray, v: GPUArray, mode: str) -> GPUArray:
    """Return the sums of products without conjugation, in the order of the longer array."""
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"mode must be 'valid', 'same' or 'full', got {mode!r}")
    if v.size > a.size:
        a, v = v, a
    taps = v.size
    before = {"valid": 0, "same": taps // 2, "full": taps - 1}[mode]
    after = {"valid": 0, "same": taps - 1 - taps // 2, "full": taps - 1}[mode]
    dtype = _core.multiply(a[:0], v[:0])._dtype_name
    padded = _core.zeros(a.size + before + after, dtype, device=a.device)
    padded[before : before + a.size] = a
    windows = sliding_window_view(padded, taps)
    v = v.astype(dtype, copy=False)
    count = windows.shape[0]
    made = _core.empty(count, dtype, device=a.device)
    for rows in _chunks(before, count - after, taps):
        made[rows] = windows[rows] @ v
    # At the ends, products with the zeros of the padding are left out, since 0 * inf would be NaN.
    inside = _core.zeros(padded.size, bool, device=a.device)
    inside[before : before + a.size] = True
    inside = sliding_window_view(inside, taps)
    for rows in (*_chunks(0, before, taps), *_chunks(count - after, count, taps)):
        made[rows] = _core.where(inside[rows], windows[rows] * v, False).sum(-1, dtype=dtype)
    return made


def _chunks(start: int, stop: int, taps: int) -> list[slice]:
    """Return slices of rows, each of which is computed at one time."""
    step = max(_CHUNK // taps, 1)
    return [slice(first, min(first + step, stop)) for first in range(start, stop, step)]
