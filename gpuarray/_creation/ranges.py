# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sequences of evenly spaced numbers, on linear and logarithmic scales."""

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.arguments import normalize_axis, number
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.one_pass import made_at_once
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name, dtype_of, result_name
from gpuarray._runtime.streams import takes_stream

__all__ = ["arange", "geomspace", "linspace", "logspace"]

# Up to here NumPy's number of elements, which it computes in float64, is that of integers.
_EXACT = 2**52
# The dtypes whose elements the kernel of arange rounds as the operations do of which it consists.
_WIDE = ("float32", "float64", "complex64", "complex128")


@takes_stream
def arange(
    start: Any = None,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Any = None,
) -> GPUArray:
    """Return start, start + step, ... up to but without `stop`, as numpy.arange does.

    With one argument it is the stop; arrays of no dimensions are waited for. The dtype is by
    default that of the arguments promoted with int64; the number of elements is
    ceil((stop - start) / step).
    """
    if start is None or stop is None:
        start, stop = 0, stop if start is None else start
    is_counting = type(start) is type(stop) is type(step) is int and dtype is None
    if is_counting and step > 0 and max(-start, stop) < _EXACT:
        length = max(-((start - stop) // step), 0)
        return _core._arange(length, start, step if length > 1 else 1, "int64", device)
    start, stop, step = map(number, (start, stop, 1 if step is None else step))
    for value in (start, stop, step):
        if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
            raise TypeError(f"arange: expected real numbers, got {type(value).__name__}")
    if step == 0:
        raise ZeroDivisionError("arange: step is zero")
    if dtype is None:
        dtype = np.result_type(int, *(np.asarray(value).dtype for value in (start, stop, step)))
    dtype = dtype_name(dtype)
    try:
        length = length_of_range(start, stop, step)
        step = _arange_step(start, step, dtype) if length > 1 else 1
    except OverflowError as error:
        # NumPy raises this where an unsigned scalar meets a negative Python number.
        raise ValueError(f"arange: {error}") from None
    if length > 2 and dtype == "bool":
        raise TypeError(f"arange: bool has no more than 2 elements to count, got {length}")
    return _core._arange(length, start, step, dtype, device)


def length_of_range(start: Any, stop: Any, step: Any) -> int:
    """Return the number of elements; differences of unsigned scalars wrap around, as in NumPy."""
    with np.errstate(over="ignore"):
        span = stop - start
    return _count("arange", span / step)


def _count(what: str, number: float) -> int:
    if not math.isfinite(number) or number >= 2**63:
        raise ValueError(f"{what}: expected fewer than 2**63 elements, got {number}")
    return max(math.ceil(number), 0)


def _arange_step(start: Any, step: Any, dtype: str) -> Any:
    """Return the step in `dtype`: NumPy takes the second element's difference from the first."""
    if dtype == "bfloat16":
        return step
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return kind.type(start + step) - kind.type(start)
    delta = int(start + step) - int(start)
    return delta % 2 ** (8 * kind.itemsize) if kind.kind == "u" else delta


def _require_ends(what: str, **ends: Any) -> None:
    for name, end in ends.items():
        if not isinstance(end, (int, float, complex, np.generic, np.ndarray, GPUArray)):
            kind = type(end).__name__
            raise TypeError(f"{what}: {name}: expected a number or a GPUArray, got {kind}")


@takes_stream
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`, like NumPy's.

    Both are scalars, arrays or lists that broadcast, whose numbers run along the new axis `axis`.
    `endpoint` False leaves `stop` out; `retstep` True returns the array and the step.
    """
    start, stop = _ends(device, start, stop)
    _require_ends("linspace", start=start, stop=stop)
    dtype = None if dtype is None else dtype_name(dtype)
    num = _samples("linspace", num)
    intervals = num - 1 if endpoint else num
    computed = result_name(start, stop, 1.0)
    start, stop = _as_kind(start, computed), _as_kind(stop, computed)
    delta = stop - start
    ndim, device = np.ndim(delta), _device_of(delta, device)
    step = delta / intervals if intervals > 0 else math.nan
    ends = endpoint and num > 1
    is_cast = dtype is None
    if intervals > 0 and not isinstance(step, GPUArray) and step != 0 and computed in _WIDE:
        last, wide = stop if ends else None, computed == "float64"
        made = _cast_spaced(num, start, step, last, dtype, device) if wide else None
        is_cast |= made is not None
        if made is None:
            made = _core._arange(num, start, step, computed, device, last)
    else:
        index = _core._arange(num, 0, 1, computed, device).reshape((num,) + (1,) * ndim)
        if intervals <= 0:
            made = index * delta
        elif isinstance(step, GPUArray):
            # Where the step underflows to 0, the index is divided in the place of the difference.
            made = _core.where(_core.equal(step, 0), index / intervals * delta, index * step)
        else:
            made = index * step if step != 0 else index / intervals * delta
        made += start
        if ends:
            made[-1] = stop
    if not is_cast:
        whole = dtype_kind(dtype) in ("i", "u")
        made = (_core.floor(made) if whole else made).astype(dtype, copy=False)
    made = _along(made, axis)
    return (made, step) if retstep else made


@takes_stream
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> GPUArray:
    """Return `num` numbers from base**start to base**stop, evenly spaced on a logarithmic scale.

    `start`, `stop` and `base` are scalars, arrays or lists that broadcast; see `linspace` for the
    rest.
    """
    start, stop, base = _ends(device, start, stop, base)
    ndim = max(np.ndim(start), np.ndim(stop), np.ndim(base))
    if isinstance(base, GPUArray) and base.ndim:
        start, stop = (_of_dimensions(ndim, end, base) for end in (start, stop))
        base = base.reshape((1,) * (1 + ndim - base.ndim) + base.shape)
    made = _core.power(base, linspace(start, stop, num, endpoint, device=device))
    return _along(made if dtype is None else made.astype(dtype, copy=False), axis)


@takes_stream
def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> GPUArray:
    """Return `num` numbers from `start` to `stop` of which each is a constant multiple of the last.

    Both are scalars, arrays or lists that broadcast, of any sign or complex, and the result is
    float64 or complex128 but for `dtype`; see `linspace` for the rest. ValueError for zeros among
    scalars.
    """
    start, stop = _ends(device, start, stop)
    _require_ends("geomspace", start=start, stop=stop)
    for value in (start, stop):
        if not isinstance(value, GPUArray) and np.any(np.equal(value, 0)):
            raise ValueError("geomspace: a geometric sequence cannot include zero")
    num = _samples("geomspace", num)
    kinds = [_kind_of(start), _kind_of(stop), *([] if dtype is None else [dtype])]
    wide = (
        "complex128" if any(dtype_kind(dtype_of(kind).name) == "c" for kind in kinds) else "float64"
    )
    start, stop = (
        end.astype(wide) if isinstance(end, GPUArray) else np.dtype(wide).type(end)
        for end in (start, stop)
    )
    # The numbers are divided by this sign or phase, which makes the first one positive.
    turn = np.sign(start)
    first, last = start / turn, stop / turn
    if not isinstance(turn, GPUArray):
        turn, first = turn.item(), first.item()
    if not isinstance(last, GPUArray):
        last = last.item()
    made = logspace(np.log10(first), np.log10(last), num, endpoint, device=device)
    if num > 0:
        made[0] = first
    if num > 1 and endpoint:
        made[-1] = last
    if isinstance(turn, GPUArray) or turn != 1:
        made = made * turn
    return _along(made if dtype is None else made.astype(dtype, copy=False), axis)


def _cast_spaced(
    num: int, start: Any, step: Any, last: Any, dtype: Any, device: Any
) -> GPUArray | None:
    """Return float64 numbers cast in the kernel that makes them, None where that serves not."""
    if dtype is None or dtype in _WIDE[1:]:
        return None
    is_whole = dtype_kind(dtype) in ("i", "u")
    steps, end = (num, 0.0) if last is None else (num - 1, last)
    kernel = functools.partial(_spacing, is_whole)
    return made_at_once(kernel, (num,), dtype, device, start, step, steps, end)


@functools.cache
def _spacing(is_whole: bool) -> Callable[..., GPUArray]:
    value = "math::floor(value)" if is_whole else "value"
    return package.module.ElementwiseKernel(  # type: ignore[no-any-return]
        "float64 start, float64 step, int64 steps, float64 last",
        "T y",
        f"const double value = i < steps ? start + double(i) * step : last; y = cast<T>({value});",
        "linspace",
        options=["--fmad=false"],
    )


def _samples(what: str, num: int) -> int:
    num = operator.index(number(num))
    if num < 0:
        raise ValueError(f"{what}: number of samples, {num}, must be non-negative")
    return _count(what, num)


def _ends(device: Any, *given: Any) -> list[Any]:
    """Return the values with lists as arrays, on the device of the GPUArrays or on `device`."""
    like = next((value for value in given if isinstance(value, GPUArray)), None)
    where = device if device is not None or like is None else like.device
    return [
        _core.to_device(value, device=where)
        if isinstance(value, list | tuple)
        else value
        if isinstance(value, GPUArray)
        else number(value)
        for value in given
    ]


def _kind_of(value: Any) -> Any:
    return value._dtype_name if isinstance(value, GPUArray) else np.asarray(value).dtype


def _as_kind(value: Any, kind: str) -> Any:
    """Return a number or an array in this dtype; a number for bfloat16 is returned unchanged."""
    if isinstance(value, GPUArray):
        return value.astype(kind, copy=False)
    return value if kind == "bfloat16" else np.asarray(value).astype(kind)[()]


def _of_dimensions(ndim: int, end: Any, like: GPUArray) -> GPUArray:
    """Return a number or an array with `ndim` dimensions, new axes of extent 1 coming first."""
    made = end if isinstance(end, GPUArray) else _core.full((), end, device=like.device)
    return made.reshape((1,) * (ndim - made.ndim) + made.shape)


def _device_of(value: Any, device: Any) -> Any:
    return value.device if isinstance(value, GPUArray) and device is None else device


def _along(made: GPUArray, axis: int) -> GPUArray:
    """Return a view with the first axis moved to position `axis`."""
    where = normalize_axis(axis, made.ndim)
    return made.transpose([*range(1, where + 1), 0, *range(where + 1, made.ndim)])
