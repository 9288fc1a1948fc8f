# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Checks and conversions of arguments for the functions that are written in Python."""

import operator
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray

__all__ = [
    "as_extents",
    "as_integer",
    "assigned",
    "broadcast_shapes",
    "cast_value",
    "host_value",
    "host_values",
    "is_complex",
    "is_inexact",
    "normalize_axes",
    "normalize_axis",
    "normalize_order",
    "number",
    "or_default",
    "parameter_array",
    "plain",
    "require_array",
    "require_callable",
    "require_castable",
    "require_casting",
    "require_copy_of",
    "require_function",
    "require_integers",
    "require_iterable",
    "require_out",
    "require_text",
    "require_writable",
]


def is_complex(a: GPUArray) -> bool:
    """Return whether the elements are complex numbers."""
    return dtype_kind(a._dtype_name) == "c"


def is_inexact(a: GPUArray) -> bool:
    """Return whether the elements are floating-point numbers, real or complex."""
    return dtype_kind(a._dtype_name) in ("f", "c")


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Return the shape that these shapes broadcast to; ValueError where they do not."""
    made = []
    for extents in zip_longest(*(reversed(as_extents(shape)) for shape in shapes), fillvalue=1):
        others = {*extents} - {1}
        if len(others) > 1:
            raise ValueError(
                f"shape mismatch: objects cannot be broadcast to a single shape, got {shapes}"
            )
        made.append(others.pop() if others else 1)
    return tuple(reversed(made))


def number(value: Any) -> Any:
    """Return a parameter as a scalar of NumPy's if it is an array of no dimensions.

    Waits for the device of a GPUArray.
    """
    if not isinstance(value, GPUArray | np.ndarray) or value.ndim:
        return value
    return (value.get() if isinstance(value, GPUArray) else value)[()]


def plain(value: Any) -> Any:
    """Return a NumPy scalar, whose arithmetic wraps around, as a Python number."""
    return value.item() if isinstance(value, np.generic) else value


def or_default(value: Any, default: Any = None) -> Any:
    """Return `value`, or the default if it is numpy._NoValue, the mark of an absent argument."""
    return default if value is np._NoValue else value


def require_array(what: str, a: Any) -> GPUArray:
    """Return `a` if it is a GPUArray; TypeError naming what was got for anything else."""
    if not isinstance(a, GPUArray):
        kind = type(a)
        module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
        raise TypeError(
            f"{what}: expected a GPUArray, got {module}{kind.__name__}; "
            "convert with gpuarray.to_device(x)"
        )
    return a


def host_value(what: str, value: Any, like: GPUArray | None, dtype: Any = None) -> Any:
    """Return a value to write into arrays: a GPUArray or scalar unchanged, a list as an array.

    A list or tuple of scalars, nested or not, is copied to the device of `like`, or the default
    device for None; converted to `dtype` as NumPy's assignment does, else of the dtype that NumPy
    gives it. TypeError naming to_device for anything else, as an ndarray.
    """
    return _core._value(what, value, None if like is None else like.device, dtype)


def host_values(what: str, value: Any, like: GPUArray | None, dtype: Any = None) -> GPUArray:
    """Return host_value as an array: a scalar has no dimensions, and the dtype NumPy gives it."""
    value = host_value(what, value, like, dtype)
    if isinstance(value, GPUArray):
        return value
    return _core.full((), value, dtype, device=None if like is None else like.device)


def parameter_array(what: str, value: Any, like: GPUArray | None) -> GPUArray:
    """Return a parameter as an array: lists, tuples, ndarrays and scalars go to `like`'s device."""
    if isinstance(value, np.ndarray):
        return _core.to_device(value, device=None if like is None else like.device)
    return host_values(what, value, like)


def cast_value(what: str, value: GPUArray, dtype: str, casting: str) -> GPUArray:
    """Return the array as this dtype; TypeError unless NumPy's rule `casting` allows it."""
    try:
        return value.astype(dtype, casting=casting, copy=False)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None


def require_text(what: str, **texts: Any) -> None:
    """Raise TypeError naming the argument for one that is no str."""
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"{what}: {name}: expected a str, got {type(text).__name__}")


def require_casting(what: str, casting: Any) -> None:
    """Raise TypeError or ValueError unless `casting` is one of NumPy's rules."""
    require_text(what, casting=casting)
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(
            f"{what}: casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', "
            f"got {casting!r}"
        )


def require_callable(what: str, **functions: Any) -> None:
    """Raise TypeError naming the argument for one that cannot be called."""
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{what}: {name}: expected a function, got {type(function).__name__}")


def require_function(what: str, **functions: Any) -> None:
    """Raise TypeError naming the argument for one that is neither a function nor None."""
    require_callable(what, **{name: f for name, f in functions.items() if f is not None})


def require_integers(what: str, **numbers: Any) -> tuple[int, ...]:
    """Return the arguments as Python's ints; TypeError naming one that is no integer.

    They are converted because NumPy's scalars wrap around in arithmetic, and arrays would make
    devices compute.
    """
    return tuple(_integer(what, name, value) for name, value in numbers.items())


def _integer(what: str, name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        got = type(value).__name__
        raise TypeError(f"{what}: {name}: expected an int, got {got}") from None


def require_iterable(what: str, items: Any, of: str = "arrays") -> Any:
    """Return `items` if it is a sequence; TypeError naming what was got, as generators, if not."""
    sequence = isinstance(items, Iterable) and hasattr(items, "__getitem__")
    if not sequence or getattr(items, "ndim", 1) == 0:
        raise TypeError(f"{what}: expected a sequence of {of}, got {type(items).__name__}")
    return items


def require_castable(what: str, source: Any, target: Any) -> None:
    """Raise TypeError unless the one dtype casts to the other with casting 'same_kind'."""
    if not _core._can_cast(source, target):
        raise TypeError(
            f"{what}: cannot write a result of dtype {source} into an array of dtype {target} "
            "with casting 'same_kind'"
        )


def require_out(what: str, out: Any, shape: tuple[int, ...], dtype: str) -> GPUArray:
    """Return `out` if it is a writable GPUArray that a result of this shape and dtype fits."""
    require_writable(what, out, shape)
    require_castable(what, dtype, out._dtype_name)
    return out  # type: ignore[no-any-return]


def require_copy_of(what: str, out: Any, shape: tuple[int, ...], dtype: str) -> GPUArray:
    """Return `out` as require_out does, if its dtype casts safely to the result's, as NumPy asks.

    Functions that move elements without computing any require this of `out`.
    """
    require_out(what, out, shape, dtype)
    cast_value(f"{what}: out", _core.empty(0, out._dtype_name, device="cpu"), dtype, "safe")
    return out  # type: ignore[no-any-return]


def require_writable(what: str, out: Any, shape: tuple[int, ...]) -> None:
    """Raise TypeError or ValueError unless `out` is a writable GPUArray of this shape."""
    require_array(f"{what}: out", out)
    if out.shape != shape:
        raise ValueError(f"{what}: out has shape {out.shape}, expected {shape}")
    if not out.flags.writeable:
        raise ValueError(f"{what}: the array is read-only")


def assigned(what: str, out: GPUArray | None, value: GPUArray) -> GPUArray:
    """Return `value`, or `out` with its elements."""
    if out is None:
        return value
    require_out(what, out, value.shape, value._dtype_name)[...] = value
    return out


def as_integer(value: Any, name: str = "") -> int:
    """Return an integer; TypeError, by `name`, for all else, bools among them."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        name += ": " if name else ""
        raise TypeError(f"{name}expected an int, got {type(value).__name__}")
    return operator.index(value)


def as_extents(shape: Any) -> tuple[int, ...]:
    """Return a shape that is given as an integer or a sequence of them."""
    is_one = type(shape) is not tuple and (isinstance(shape, str) or not np.iterable(shape))
    return tuple([as_integer(extent, "shape") for extent in ((shape,) if is_one else shape)])


def normalize_order(what: str, order: Any, allowed: str = "CFAK", default: str = "K") -> str:
    """Return the order as a capital letter, `default` for None; ValueError for another."""
    letter = default if order is None else order.upper() if isinstance(order, str) else ""
    if len(letter) != 1 or letter not in allowed:
        names = ", ".join(f"'{one}'" for one in allowed)
        raise ValueError(f"{what}: order must be one of {names} or None, got {order!r}")
    return letter


def normalize_axis(axis: Any, ndim: int) -> int:
    """Return the axis in [0, ndim); AxisError when there is no such axis."""
    index = as_integer(axis, "axis")
    if not -ndim <= index < ndim:
        raise np.exceptions.AxisError(index, ndim)
    return index % ndim


def normalize_axes(what: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes in [0, ndim) that an int or a sequence names, all of them for None.

    AxisError where there is no such axis, ValueError for one that is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(normalize_axis(one, ndim) for one in (axis if np.iterable(axis) else (axis,)))
    if len({*axes}) < len(axes):
        raise ValueError(f"{what}: repeated axis in {axis}")
    return axes
