# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Pickling of kernels by the arguments that made them, and of functions by name or by value."""

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

__all__ = ["keeps_arguments", "portable_function", "rebuild", "reduce_by_arguments"]

Init = TypeVar("Init", bound=Callable[..., None])


def keeps_arguments(init: Init) -> Init:
    """Decorate `__init__`, so that `reduce_by_arguments` can pickle its objects."""

    @functools.wraps(init)
    def keeping(self: Any, *args: Any, **kwargs: Any) -> None:
        # The `__init__` of a subclass comes first, if it is decorated too.
        vars(self).setdefault("_arguments", (keeping, args, kwargs))
        init(self, *args, **kwargs)

    return keeping  # type: ignore[return-value]


def reduce_by_arguments(self: Any) -> tuple[Any, ...]:
    """Implement `__reduce__` of a class whose `__init__` keeps its arguments."""
    return rebuild, (type(self), *self._arguments)


def rebuild(
    kind: Any, init: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Make a pickled object again: of class `kind`, by the `__init__` that kept its arguments."""
    made: Any = kind.__new__(kind)
    init(made, *args, **kwargs)
    return made


def portable_function(owner: Any, function: Any) -> Any:
    """Return what to pickle for the function that `owner` wraps.

    A decorated function is not found under its own name, which is that of `owner`. It is found as
    the attribute `__wrapped__` of `owner`, so a copy of that name takes its place there. pickle
    then stores the name, and cloudpickle stores functions of ``__main__`` by value.
    """
    if not isinstance(function, FunctionType) or named_object(function) is not owner:
        return function
    if owner.__wrapped__.__qualname__ != f"{function.__qualname__}.__wrapped__":
        owner.__wrapped__ = _renamed(function, f"{function.__qualname__}.__wrapped__")
    return owner.__wrapped__


def named_object(function: Any) -> Any:
    """Return the object that has the name of a function in its module; None if there is none."""
    found: Any = sys.modules.get(getattr(function, "__module__", None) or "")
    for name in function.__qualname__.removesuffix(".__wrapped__").split("."):
        found = getattr(found, name, None)
    return found


def _renamed(function: FunctionType, qualname: str) -> FunctionType:
    copied = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    functools.update_wrapper(copied, function)
    del copied.__wrapped__  # type: ignore[attr-defined]
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__qualname__ = qualname
    return copied
