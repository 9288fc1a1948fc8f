# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's descriptions of the parameters of kernels, and names of C for dtypes."""

from typing import Any, NamedTuple

import numpy as np

__all__ = ["ScalarArg", "VectorArg", "as_text", "dtype_to_ctype", "without_namespace"]

_NAMES = {
    "?": "bool",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "l": "long",
    "L": "unsigned long",
    "q": "long long",
    "Q": "unsigned long long",
    "f": "float",
    "d": "double",
    "F": "complex<float>",
    "D": "complex<double>",
}


def dtype_to_ctype(dtype: Any) -> str:
    """Return the name of a dtype in C, as "unsigned int". ValueError for dtypes without one."""
    dtype = np.dtype(dtype)
    if dtype.char not in _NAMES:
        raise ValueError(f"dtype_to_ctype: {dtype} has no name in C")
    return _NAMES[dtype.char]


class VectorArg(NamedTuple):
    """A pointer to the elements of an array."""

    dtype: Any
    name: str

    def declarator(self) -> str:
        """Return the declaration in C."""
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(NamedTuple):
    """A number."""

    dtype: Any
    name: str

    def declarator(self) -> str:
        """Return the declaration in C."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


def as_text(arguments: Any) -> Any:
    """Return parameters as one text, without PyCUDA's namespace; anything else as it is."""
    if isinstance(arguments, list | tuple):
        arguments = ", ".join(argument.declarator() for argument in arguments)
    return without_namespace(arguments)


def without_namespace(text: Any) -> Any:
    """Return a text in which PyCUDA's complex numbers are those that kernels have here."""
    return text.replace("pycuda::complex", "complex") if isinstance(text, str) else text
