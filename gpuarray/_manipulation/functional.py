# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions applied along axes, and choices between arrays by numbers and conditions."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    cast_value,
    host_value,
    host_values,
    normalize_axis,
    require_array,
    require_callable,
    require_iterable,
    require_out,
)
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.one_pass import one_pass
from gpuarray._common.operands import Operand
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import result_name
from gpuarray._manipulation.manipulation import expand_dims, moveaxis, stack
from gpuarray._runtime.streams import takes_stream

__all__ = ["apply_along_axis", "apply_over_axes", "choose", "piecewise", "select"]


@takes_stream
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: GPUArray, *args: Any, **kwargs: Any
) -> GPUArray:
    """Return func1d(slice, *args, **kwargs) for all 1-d slices along the axis.

    The function is called in Python for each slice; its results, arrays of one shape, scalars or
    lists of them, stand in the place of the axis. An operation along an axis is far quicker where
    there is one.
    """
    require_callable("apply_along_axis", func1d=func1d)
    require_array("apply_along_axis", arr)
    axis = normalize_axis(axis, arr.ndim)
    rows = moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    if 0 in outer:
        raise ValueError("apply_along_axis: cannot apply when any iteration dimensions are 0")
    flat = rows.reshape(prod(outer), arr.shape[axis])
    made: GPUArray | None = None
    for number in range(flat.shape[0]):
        result = _joined(func1d(flat[number], *args, **kwargs))
        if made is None:
            first = host_values("apply_along_axis", result, arr)
            made = _core.empty((flat.shape[0], *first.shape), first._dtype_name, device=arr.device)
        made[number] = result
    assert made is not None
    inner = made.shape[1:]
    whole = made.reshape((*outer, *inner))
    positions = range(len(outer), whole.ndim)
    return moveaxis(whole, tuple(positions), tuple(range(axis, axis + len(inner))))


def _joined(result: Any) -> Any:
    """Return a list that holds GPUArrays as one array, and anything else unchanged."""
    if not isinstance(result, list | tuple) or not any(isinstance(x, GPUArray) for x in result):
        return result
    like = next(x for x in result if isinstance(x, GPUArray))
    return stack([host_values("apply_along_axis", x, like) for x in result])


@takes_stream
def apply_over_axes(func: Callable[..., Any], a: GPUArray, axes: Any) -> GPUArray:
    """Return func(...func(a, axes[0])..., axes[-1]), each result with as many dimensions as `a`."""
    require_callable("apply_over_axes", func=func)
    made = require_array("apply_over_axes", a)
    for axis in np.atleast_1d(axes.get() if isinstance(axes, GPUArray) else axes).tolist():
        axis = normalize_axis(axis, a.ndim)
        result = func(made, axis)
        if result.ndim != a.ndim:
            result = expand_dims(result, axis)
            if result.ndim != a.ndim:
                raise ValueError(
                    "apply_over_axes: function is not returning an array of the correct shape"
                )
        made = result
    return made


@takes_stream
def choose(
    a: Any, choices: Sequence[Any] | GPUArray, out: GPUArray | None = None, mode: str = "raise"
) -> GPUArray:
    """Return for each integer in `a` the element at its place in the choice of that number.

    `a` and the choices, arrays, scalars or lists, broadcast together. IndexError for an integer
    that means no choice, at the next wait for the device, unless `mode` is "wrap" or "clip".
    TypeError for `a` that does not cast to int64 safely. Returns a new array, or `out`.
    """
    choices = list(require_iterable("choose", choices))
    like = next((one for one in (a, *choices) if isinstance(one, GPUArray)), None)
    index = cast_value("choose", host_values("choose", a, like), "int64", "safe")
    values = [host_value("choose", one, like) for one in choices]
    dtype = result_name(*values)
    parts = [
        host_values("choose", one, index, None if _wraps(one, dtype) else dtype).astype(
            dtype, copy=False
        )
        for one in values
    ]
    if mode == "raise":
        # A negative index becomes a number for which there is no choice.
        index = _core.where(_core.less(index, 0), len(parts), index)
    narrow = "int16" if len(parts) < 1 << 15 else "int64"
    numbers = _core._arange(len(parts), 0, 1, narrow, index.device)
    index = _core._take("choose", numbers, index, 0, mode)
    made = parts[0]
    for first in range(min(1, len(parts) - 1), len(parts), _CHOICES_AT_ONCE):
        made = _chosen(index, made, first, *parts[first : first + _CHOICES_AT_ONCE])
    if out is None:
        return made
    require_out("choose", out, made.shape, made._dtype_name)[...] = made
    return out


# fuse() takes 32 arguments.
_CHOICES_AT_ONCE = 24


@one_pass
def _chosen(index: GPUArray, made: GPUArray, first: int, *parts: GPUArray) -> GPUArray:
    for number, part in enumerate(parts):
        made = _core.where(_core.equal(index, first + number), part, made)
    return made


@takes_stream
def select(
    condlist: Sequence[GPUArray], choicelist: Sequence[Operand], default: Operand = 0
) -> GPUArray:
    """Return elements of the first of the choices whose condition is true, else `default`.

    Conditions are arrays or lists of bool; choices arrays, scalars or lists. All broadcast.
    """
    condlist = list(require_iterable("select", condlist))
    choicelist = list(require_iterable("select", choicelist))
    if len(condlist) != len(choicelist):
        raise ValueError(
            "select: list of cases must be same length as list of conditions, got "
            f"{len(choicelist)} and {len(condlist)}"
        )
    if not condlist:
        raise ValueError("select: with an empty condition list is not possible")
    for number, condition in enumerate(condlist):
        if require_array("select", condition)._dtype_name != "bool":
            raise TypeError(
                f"select: invalid entry {number} in condlist: should be boolean ndarray, got "
                f"{condition._dtype_name}"
            )
    device = condlist[0].device
    dtype = result_name(*choicelist, default)
    *choices, made = (_as_dtype(one, dtype, device) for one in (*choicelist, default))
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        made = _core.where(condition, choice, made)
    return made


def _as_dtype(value: Any, dtype: Any, device: Any) -> GPUArray:
    if isinstance(value, GPUArray):
        return value.astype(dtype, copy=False)
    if _wraps(value, dtype):
        return _core.full((), value, device=device).astype(dtype)
    return _core.full((), value, dtype, device=device)


def _wraps(value: Any, dtype: str) -> bool:
    """Return whether NumPy converts a choice as an array, so that what does not fit wraps."""
    return type(value) is int and dtype_kind(dtype) in "iu"


@takes_stream
def piecewise(
    x: GPUArray, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any
) -> GPUArray:
    """Return the values of the functions whose conditions are true, 0 where none is.

    Where several are true the last one counts. One function more than conditions is for the rest. A
    function is a scalar, or called with the whole of `x` (NumPy gives it the elements that it is
    for), so that nothing waits for the device; the result has the dtype of `x`.
    """
    require_array("piecewise", x)
    conditions = _conditions(x, condlist)
    funclist = list(require_iterable("piecewise", funclist, "functions"))
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"piecewise: with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected, got {len(funclist)}"
        )
    made = _core.zeros(x.shape, x._dtype_name, device=x.device)
    if len(funclist) > len(conditions):
        made[...] = _value_of(funclist[-1], x, args, kw)
    for condition, function in zip(conditions, funclist, strict=False):
        chosen = _core.where(condition, _value_of(function, x, args, kw), made)
        made = chosen.astype(x._dtype_name, copy=False)
    return made


def _conditions(x: GPUArray, condlist: Any) -> list[Any]:
    """Return the conditions as arrays and scalars, with lists as masks of the first axes of `x`."""
    if isinstance(condlist, GPUArray):
        condlist = [condlist] if condlist.ndim <= 1 else list(condlist)
    if isinstance(condlist, bool | np.bool_):
        return [condlist]
    given = list(require_iterable("piecewise", condlist, "conditions"))
    if given and x.ndim and np.isscalar(given[0]):
        # The list is a single mask.
        given = [given]
    return [_condition(x, one) for one in given]


def _condition(x: GPUArray, given: Any) -> Any:
    if not isinstance(given, list | tuple | GPUArray):
        return given
    mask = host_values("piecewise", given, x, "bool")
    if mask.shape != x.shape[: mask.ndim]:
        raise IndexError(f"piecewise: got a mask of shape {mask.shape} for shape {x.shape}")
    return mask.reshape(mask.shape + (1,) * (x.ndim - mask.ndim))


def _value_of(function: Any, x: GPUArray, args: Any, kw: Any) -> Any:
    return function(x, *args, **kw) if callable(function) else function
