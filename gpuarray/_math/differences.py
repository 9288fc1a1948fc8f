# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Differences of neighbouring elements, and functions composed from them."""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    host_values,
    is_inexact,
    normalize_axis,
    number,
    or_default,
    plain,
    require_array,
    require_integers,
)
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import result_name
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._manipulation.manipulation import concatenate
from gpuarray._runtime.streams import takes_stream

__all__ = ["diff", "ediff1d", "trapezoid", "unwrap"]


@takes_stream
@numpys_on_cpu(np.diff)
def diff(
    a: GPUArray,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
) -> GPUArray:
    """Return the differences a[i + 1] - a[i] along the axis, taken `n` times; of bools whether
    they differ.

    `prepend` and `append`, arrays, scalars or lists, come before and after `a` first. The result is
    shorter by `n`. Queued on the current stream.
    """
    require_array("diff", a)
    (n,) = require_integers("diff", n=n)
    if n < 0:
        raise ValueError(f"diff: order must be non-negative but got {n}")
    if a.ndim == 0:
        raise ValueError("diff: requires input that is at least one dimensional")
    if n == 0:
        return a
    axis = normalize_axis(axis, a.ndim)
    ends = [_end(a, end, axis) for end in (prepend, append)]
    if any(end is not None for end in ends):
        a = concatenate([part for part in (ends[0], a, ends[1]) if part is not None], axis)
    subtract = _core.not_equal if a._dtype_name == "bool" else _core.subtract
    for _ in range(n):
        a = subtract(along(a, axis, slice(1, None)), along(a, axis, slice(None, -1)))
    return a


def along(a: GPUArray, axis: int, part: Any) -> GPUArray:
    """Return the part of an array along one axis, a[..., part, ...] with `part` at that axis."""
    return a[(slice(None),) * axis + (part,)]


def _end(a: GPUArray, end: Any, axis: int) -> GPUArray | None:
    """Return what to join before or after `a`, or None; a scalar gets extent 1 along the axis."""
    if or_default(end) is None:
        return None
    made: GPUArray = host_values("diff", end, a)
    if made.ndim:
        return made
    return broadcast_to(made, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))


@takes_stream
def ediff1d(ary: GPUArray, to_end: Any = None, to_begin: Any = None) -> GPUArray:
    """Return the differences of neighbours of the flattened array.

    `to_begin` and `to_end`, arrays, scalars or lists, come before and after them; they must cast to
    the array's dtype with casting 'same_kind'.
    """
    flat = require_array("ediff1d", ary).ravel()
    differences = _core.subtract(flat[1:], flat[:-1])
    parts = [_flat_end("to_begin", to_begin, ary), differences, _flat_end("to_end", to_end, ary)]
    kept = [part for part in parts if part is not None]
    return differences if len(kept) == 1 else concatenate(kept, dtype=ary._dtype_name)


def _flat_end(name: str, end: Any, ary: GPUArray) -> GPUArray | None:
    if end is None:
        return None
    made: GPUArray = host_values(f"ediff1d: {name}", end, ary)
    dtype = made._dtype_name
    if not _core._can_cast(dtype, ary._dtype_name):
        raise TypeError(
            f"ediff1d: dtype of `{name}` must be compatible with the input: {dtype} and "
            f"{ary._dtype_name}, under the 'same_kind' rule"
        )
    return made.ravel()


@takes_stream
def trapezoid(y: GPUArray, x: Any = None, dx: Any = 1.0, axis: int = -1) -> GPUArray:
    """Return the integral of `y` along the axis by the trapezoidal rule.

    `x` are the points, of the shape of `y` or one-dimensional; without it they are `dx` apart.
    """
    require_array("trapezoid", y)
    axis = normalize_axis(axis, y.ndim)
    step = dx
    if x is not None:
        x = host_values("trapezoid: x", x, y)
        step = diff(x, axis=axis if x.ndim > 1 else -1)
        if x.ndim == 1:
            step = step.reshape((-1,) + (1,) * (y.ndim - 1 - axis))
    pairs = _core.add(along(y, axis, slice(1, None)), along(y, axis, slice(None, -1)))
    return (_core.multiply(step, pairs) / 2.0).sum(axis)


@takes_stream
def unwrap(
    p: GPUArray, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> GPUArray:
    """Return `p` with multiples of `period` added, so that neighbours differ by half of it at most.

    Differences of less than `discont` in magnitude stay; it is half the period at least.
    """
    require_array("unwrap", p)
    axis = normalize_axis(axis, p.ndim)
    period = number(period)
    dtype = result_name(p, period)
    period = plain(period)
    differences = diff(p, axis=axis).astype(dtype, copy=False)
    discont = period / 2 if discont is None else discont
    whole = isinstance(period, int) and not is_inexact(differences)
    half = period // 2 if whole else period / 2
    wrapped = _core.remainder(differences + half, period) - half
    # Both half a period and minus that are possible here; the sign of the difference chooses.
    if not whole or period % 2 == 0:
        upper = _core.logical_and(_core.equal(wrapped, -half), _core.greater(differences, 0))
        wrapped = _core.where(upper, half, wrapped)
    correction = _core.subtract(wrapped, differences)
    correction = _core.where(_core.absolute(differences) < discont, 0, correction)
    made = p.astype(dtype)
    tail = along(made, axis, slice(1, None))
    tail += correction.cumsum(axis)
    return made
