# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The parameters of a Python function, and the row of arguments that a dispatcher passes to it."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _core

__all__ = ["FunctionParameters"]

_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class FunctionParameters:
    """The parameters of a function, whose arguments are passed in one row.

    A row holds the positional arguments, the keyword-only ones and then those of *arrays. `names`
    are those of the positional and then of the keyword-only parameters, `positional` is the number
    of the former, `defaults` are pairs (index, value), and `variadic` is whether there is *arrays.
    Those of a ufunc are its operands alone. The constructor raises TypeError for a function that
    takes ``**keywords``, or has no signature.
    """

    def __init__(self, maker: str, function: Callable[..., Any]) -> None:
        parameters = _parameters(maker, function)
        for parameter in parameters:
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                raise TypeError(f"{maker}: {parameter}: arguments of any name cannot be fused")
        placed = [one for one in parameters if one.kind in _PLACED]
        keywords = [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
        named = [*placed, *keywords]
        self.names = [one.name for one in named]
        self.positional = len(placed)
        self.variadic = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
        self.defaults = [
            (k, one.default) for k, one in enumerate(named) if one.default is not one.empty
        ]

    def options(self) -> dict[str, Any]:
        """Return what _Dispatcher has to know of the parameters beside their names."""
        return {
            "positional": self.positional,
            "defaults": self.defaults,
            "variadic": self.variadic,
        }

    def call(self, function: Callable[..., Any], row: Sequence[Any]) -> Any:
        """Call the function with a row of arguments."""
        count = len(self.names)
        keywords = dict(zip(self.names[self.positional :], row[self.positional :], strict=False))
        return function(*row[: self.positional], *row[count:], **keywords)


def _parameters(maker: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    if isinstance(function, np.ufunc | _core.ufunc):
        place = inspect.Parameter.POSITIONAL_ONLY
        return [inspect.Parameter(f"x{k + 1}", place) for k in range(function.nin)]
    try:
        return [*inspect.signature(function).parameters.values()]
    except ValueError as error:
        raise TypeError(f"{maker}: expected a function of Python: {error}") from None
