# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Numbers of Python and NumPy as texts of C++ in the element types of kernels/dtypes.def."""

import math
import struct
from typing import Any

import numpy as np

__all__ = ["CTYPES", "PREAMBLE", "converted", "kind_of", "literal"]

# Of the sources that traced functions become.
PREAMBLE = "".join(f'#include "kernels/{name}.cuh"\n' for name in ("cast", "functors", "opaque"))

_BITS = {f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
CTYPES = _BITS | {
    "bool": "bool",
    "float16": "half",
    "bfloat16": "bfloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}


def kind_of(number: Any) -> str | None:
    """Return the dtype of a NumPy scalar or bool, "int", "float" or "complex", None of others."""
    if isinstance(number, np.generic):
        return number.dtype.name if number.dtype.name in CTYPES else None
    if isinstance(number, bool):
        return "bool"
    for kind in (int, float, complex):
        if isinstance(number, kind):
            return kind.__name__
    return None


def converted(text: str, dtype: str) -> str:
    """Return the text of a value in this dtype."""
    return f"gpuarray::cast<{CTYPES[dtype]}>({text})"


def literal(number: Any, dtype: str) -> str:
    """Return the text of a scalar, converted to a dtype as operands of arrays are.

    OverflowError for a Python int that an integer dtype does not hold.
    """
    kind = kind_of(number)
    if kind == "int" and dtype in _BITS:
        limits = np.iinfo(dtype)
        if not limits.min <= number <= limits.max:
            raise OverflowError(f"Python integer {number} out of bounds for {dtype}")
    if isinstance(number, np.generic):
        number = number.item() if kind != "bfloat16" else float(number)
    if isinstance(number, bool):
        text = "true" if number else "false"
    elif isinstance(number, int):
        text = _integer(number)
    elif isinstance(number, float):
        text = _double(number)
    else:
        text = f"complex<double>{{{_double(number.real)}, {_double(number.imag)}}}"
    return converted(text, dtype)


def _integer(number: int) -> str:
    if -(2**63) < number < 2**63:
        return f"int64_t({number}LL)"
    if number == -(2**63):
        return "int64_t(-9223372036854775807LL - 1)"
    return f"uint64_t({number}ULL)" if 0 < number < 2**64 else _double(float(number))


def _double(number: float) -> str:
    if math.isfinite(number):
        return number.hex()
    bits = struct.unpack("<Q", struct.pack("<d", number))[0]
    return f"__builtin_bit_cast(double, uint64_t({bits:#x}ULL))"
