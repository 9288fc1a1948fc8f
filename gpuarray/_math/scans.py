# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Cumulative sums and products as the array API has them, composed from those of _core."""

from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import normalize_axis, require_array, require_out
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = ["cumulative_prod", "cumulative_sum"]


@takes_stream
def cumulative_sum(
    x: GPUArray,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    include_initial: bool = False,
) -> GPUArray:
    """Return the sums of the elements up to each one along the axis, as the array API has it.

    `axis` may be left out for one dimension only. With `include_initial` the result begins with 0
    and is longer by one along the axis. Dtypes are those of `cumsum`. Returns a new array or `out`.
    Queued on the current stream.
    """
    return _cumulative("cumulative_sum", "add", 0, x, axis, dtype, out, include_initial)


@takes_stream
def cumulative_prod(
    x: GPUArray,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    include_initial: bool = False,
) -> GPUArray:
    """Return the products of the elements up to each one along the axis, as `cumulative_sum`.

    With `include_initial` the result begins with 1.
    """
    return _cumulative("cumulative_prod", "multiply", 1, x, axis, dtype, out, include_initial)


def _cumulative(
    name: str,
    op: str,
    initial: int,
    x: GPUArray,
    axis: int | None,
    dtype: Any,
    out: GPUArray | None,
    include_initial: bool,
) -> GPUArray:
    require_array(name, x)
    # NumPy takes an array of no dimensions for a row of one element.
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name}: axis is required for an array of {x.ndim} dimensions")
    along = normalize_axis(0 if axis is None else axis, x.ndim)
    if not include_initial:
        return _core.accumulate(op, x, along, dtype, out)
    shape = (*x.shape[:along], x.shape[along] + 1, *x.shape[along + 1 :])
    if out is None:
        kind = _core.accumulate(op, x[:0], along, dtype)._dtype_name
        made = _core.empty(shape, kind, device=x.device)
    else:
        made = require_out(name, out, shape, out._dtype_name)
    before = (slice(None),) * along
    tail = made[(*before, slice(1, None))]
    _core.accumulate(op, x, along, dtype, tail)
    made[(*before, slice(0, 1))] = initial
    return made
