# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Parameter lists of users' kernels, such as 'T x, raw float32 y' or 'float *x'."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import CTYPES, dtype_kind, dtype_of_cpp

__all__ = [
    "Argument",
    "Parameter",
    "TypeNames",
    "describe",
    "dtype_of_type",
    "joined",
    "parse_parameters",
]

# An argument in a signature is ("array", dtype), ("scalar", dtype) or ("weak", "int").
Argument = tuple[Any, ...]

# The generated kernel uses these names itself, so that no parameter can have them.
RESERVED = ("i", "n")
PARAMETER = re.compile(
    r"(?P<raw>raw\s+)?(?P<const>const\s+)?(?P<type>[A-Za-z_][\w ]*?(?:<\s*\w+\s*>)?)"
    r"(?:\s*(?P<pointer>\*)\s*(?:__restrict__\s+)?|\s+)(?P<name>[A-Za-z_]\w*)"
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a user's kernel, of a dtype or of the generic type that `type_name` names."""

    name: str
    type_name: str
    dtype: str | None  # The dtype, or None for a generic type.
    raw: bool = False
    pointer: bool = False
    const: bool = False


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Return the parameters of a list such as 'T x, raw float32 y'; ValueError if malformed."""
    if not isinstance(text, str):
        raise TypeError(f"parameters: expected a str, got {type(text).__name__}")
    parts = [part.strip() for part in text.split(",")]
    if not parts[-1]:
        parts.pop()
    parameters = tuple(map(_parse, parts))
    names = [parameter.name for parameter in parameters]
    for name in names:
        if names.count(name) > 1 or name in RESERVED:
            why = "is reserved" if name in RESERVED else "stands twice"
            raise ValueError(f"parameters {text!r}: the name {name!r} {why}")
    return parameters


def joined(*lists: str) -> str:
    """Return several parameter lists joined by commas, without the empty ones."""
    return ", ".join(text for text in lists if text.strip())


def _parse(text: str) -> Parameter:
    found = PARAMETER.fullmatch(text)
    if found is None:
        raise ValueError(
            f"parameter {text!r}: expected a type and a name, as 'float32 x', 'T x', 'raw T x' or "
            "'float *x'"
        )
    type_name = re.sub(r"\s*([<>])\s*", r"\1", " ".join(found["type"].split()))
    dtype = type_name if type_name in CTYPES else dtype_of_cpp(type_name)
    if dtype is None and not re.fullmatch(r"[A-Z]", type_name):
        raise ValueError(
            f"parameter {text!r}: {type_name!r} is neither a dtype nor a generic type, which is "
            "one capital letter"
        )
    return Parameter(
        found["name"],
        type_name,
        dtype,
        raw=found["raw"] is not None,
        pointer=found["pointer"] is not None,
        const=found["const"] is not None,
    )


def dtype_of_type(cpp_type: str) -> str:
    """Return the dtype of a number's C++ type; TypeError for others."""
    dtype = dtype_of_cpp(cpp_type)
    if dtype is None:
        raise TypeError(f"functions of Python take and return numbers, not {cpp_type}")
    return dtype


def describe(argument: Argument) -> str:
    """Return a description of an argument for error messages."""
    kind, dtype = argument[:2]
    return {"array": f"an array of {dtype}", "scalar": f"a scalar of {dtype}"}.get(
        kind, f"a Python {dtype}"
    )


class TypeNames(dict[str, str]):
    """The dtypes that generic types stand for in a call."""

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.binders: dict[str, str] = {}

    def bind(self, parameters: Sequence[Parameter], arguments: Sequence[Argument]) -> None:
        """Bind each generic type to its arrays' dtype, else to what its scalars promote to."""
        pairs = list(zip(parameters, arguments, strict=True))
        for parameter, argument in pairs:
            if parameter.dtype is None and argument[0] == "array":
                self._bind_array(parameter, argument[1])
        scalars: dict[str, list[Any]] = {}
        for parameter, argument in pairs:
            if parameter.dtype is None and parameter.type_name not in self:
                scalars.setdefault(parameter.type_name, []).append(_operand(argument))
        for type_name, operands in scalars.items():
            self[type_name] = np.result_type(*operands).name

    def _bind_array(self, parameter: Parameter, dtype: str) -> None:
        known = self.setdefault(parameter.type_name, dtype)
        binder = self.binders.setdefault(parameter.type_name, parameter.name)
        if known != dtype:
            raise TypeError(
                f"{self.kernel}: {parameter.type_name} is {known} by {binder}, but "
                f"{parameter.name} is {dtype}"
            )

    def dtype_of(self, parameter: Parameter) -> str:
        """Return the parameter's dtype; TypeError for a generic type that nothing binds."""
        if parameter.dtype is not None:
            return parameter.dtype
        if parameter.type_name not in self:
            raise TypeError(
                f"{self.kernel}: no argument says which dtype {parameter.type_name} of "
                f"{parameter.name} is"
            )
        return self[parameter.type_name]

    def check_input(self, parameter: Parameter, argument: Argument) -> None:
        """Raise TypeError unless the argument converts to the parameter with casting same_kind."""
        dtype = self.dtype_of(parameter)
        kind, given = argument[:2]
        whole = parameter.raw or parameter.pointer
        if whole and (kind != "array" or given != dtype):
            raise TypeError(
                f"{self.kernel}: {parameter.name}: expected an array of {dtype}, got "
                f"{describe(argument)}"
            )
        if kind == "weak":
            fits = {"int": "biufc", "float": "fc", "complex": "c"}[given]
            is_fit = dtype_kind(dtype) in fits
        else:
            is_fit = _core._can_cast(given, dtype)
        if not is_fit:
            raise TypeError(
                f"{self.kernel}: {parameter.name}: expected {dtype}, got {describe(argument)}, "
                "which does not convert to it with casting 'same_kind'"
            )

    def check_output(self, parameter: Parameter, argument: Argument) -> None:
        """Raise TypeError unless the argument is an array that takes the parameter's dtype."""
        dtype = self.dtype_of(parameter)
        if argument[0] != "array":
            raise TypeError(
                f"{self.kernel}: {parameter.name}: expected an array, got {describe(argument)}"
            )
        exact = parameter.raw or parameter.pointer
        if argument[1] != dtype if exact else not _core._can_cast(dtype, argument[1]):
            raise TypeError(
                f"{self.kernel}: {parameter.name}: expected an array of {dtype}, got "
                f"{describe(argument)}"
            )


def _operand(argument: Argument) -> Any:
    kind, dtype = argument[:2]
    return {"int": 0, "float": 0.0, "complex": 0j}[dtype] if kind == "weak" else np.dtype(dtype)
