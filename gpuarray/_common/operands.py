# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Lists, tuples and numbers in the place of arrays."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._core import GPUArray, default_device

__all__ = [
    "Operand",
    "Target",
    "as_array",
    "device_of",
    "lists_as_arrays",
    "takes_lists",
    "with_arrays",
]

R = TypeVar("R")

# The annotation of a parameter that is an array or a scalar, which is weak in promotion.
Operand = Annotated[Any, "an array, a scalar or a list"]
# The annotation of a parameter that the function writes to, which no list may stand for.
Target = Annotated[GPUArray, "written"]

# What may stand for an array.
_TAKEN = (list, tuple, int, float, complex, np.number, np.bool_)
_MOST_NESTED = 64  # dimensions of an array


def _is_taken(value: Any) -> bool:
    return isinstance(value, _TAKEN) or (isinstance(value, np.ndarray) and value.ndim == 0)


def as_array(what: str, value: Any, device: Any) -> GPUArray:
    """Return a list, tuple or number as a new array of the dtype that NumPy gives it.

    Lists of arrays are stacked, which copies nothing from the host but the numbers beside them.
    TypeError for lists of anything else, as ndarrays.
    """
    if not _is_taken(value):
        kind = type(value).__name__
        raise TypeError(f"{what}: expected GPUArrays and scalars in a list, got {kind}")
    if not isinstance(value, list | tuple):
        return _core.full((), value, device=device)
    if not _holds_array(value):
        try:
            return _core._value(what, value, device)  # type: ignore[no-any-return]
        except (TypeError, ValueError, OverflowError) as error:
            raise error from None  # not in the course of the error that the list made first
    items = [x if isinstance(x, GPUArray) else as_array(what, x, device) for x in value]
    return package.module.stack(items)  # type: ignore[no-any-return]


def _holds_array(value: Any, depth: int = 1) -> bool:
    if isinstance(value, list | tuple) and depth <= _MOST_NESTED:
        return any(_holds_array(item, depth + 1) for item in value)
    return isinstance(value, GPUArray)


def lists_as_arrays(what: str, values: tuple[Any, ...], *others: Any) -> tuple[Any, ...]:
    """Return the values with arrays for lists, on the device of the first array among all."""
    if not any(isinstance(value, list | tuple) for value in values):
        return values
    device = device_of((*values, *others), {})
    return tuple(_of_operand(what, value, device) for value in values)


def with_arrays(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return the arguments with arrays for lists, tuples and numbers; None where nothing changes.

    Converts the parameters that are annotated as arrays or as sequences of arrays, and the lists
    among the operands. The arrays are on the device of the other arguments.
    """
    if any(hasattr(value, "__gpuarray_function__") for value in (*args, *kwargs.values())):
        return None  # The error of a trace says why it cannot be fused.
    by_place, by_name, rest = _converters(function)
    what = function.__name__
    device = device_of(args, kwargs)
    every = [*by_place, *(rest for _ in args[len(by_place) :])]
    new_args = tuple(
        convert(what, value, device) if convert else value
        for convert, value in zip(every, args, strict=False)
    )
    new_kwargs = {
        name: convert(what, value, device) if (convert := by_name.get(name)) else value
        for name, value in kwargs.items()
    }
    pairs = [*zip(args, new_args, strict=True)]
    pairs += [(kwargs[name], value) for name, value in new_kwargs.items()]
    return (new_args, new_kwargs) if any(old is not new for old, new in pairs) else None


_Converter = Callable[[str, Any, Any], Any]


@functools.cache
def _converters(
    function: Callable[..., Any],
) -> tuple[list[_Converter | None], dict[str, _Converter | None], _Converter | None]:
    """Return what converts the parameters of a function: by place, by name, and those of *args."""
    by_place, by_name, rest = [], {}, None
    for name, parameter in inspect.signature(function).parameters.items():
        convert = _CONVERTERS.get(parameter.annotation) if name != "out" else None
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = convert
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            by_place.append(convert)
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            by_name[name] = convert
    return by_place, by_name, rest


def _of_array(what: str, value: Any, device: Any) -> Any:
    return as_array(what, value, device) if _is_taken(value) else value


def _of_operand(what: str, value: Any, device: Any) -> Any:
    return as_array(what, value, device) if isinstance(value, list | tuple) else value


def _of_sequence(what: str, value: Any, device: Any, convert: _Converter = _of_array) -> Any:
    if not isinstance(value, list | tuple):
        return value
    items = [convert(what, item, device) for item in value]
    return items if any(a is not b for a, b in zip(items, value, strict=True)) else value


def _of_operands(what: str, value: Any, device: Any) -> Any:
    return _of_sequence(what, value, device, _of_operand)


def _of_either(what: str, value: Any, device: Any) -> Any:
    is_flat = isinstance(value, list | tuple) and not any(
        isinstance(item, list | tuple | GPUArray) for item in value
    )
    return (_of_operand if is_flat else _of_sequence)(what, value, device)


_CONVERTERS: dict[Any, _Converter] = {
    GPUArray: _of_array,
    GPUArray | None: _of_operand,
    Operand: _of_operand,
    Sequence[GPUArray]: _of_sequence,
    Sequence[Operand]: _of_operands,
    GPUArray | Sequence[GPUArray]: _of_either,
}


def device_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the device of the first array among the arguments, else the default device."""
    for value in (*args, *kwargs.values()):
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, GPUArray):
                return item.device
    return kwargs.get("device") or default_device()


def takes_lists(function: Callable[..., R]) -> Callable[..., R]:
    """Let lists, tuples and numbers stand for arrays in calls of a function.

    The function is called as it is, and again where it raises TypeError for an argument that
    with_arrays() converts. So calls with arrays look at no argument.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            converted = with_arrays(function, args, kwargs)
            if converted is None:
                raise
        return wrapper(*converted[0], **converted[1])

    return wrapper
