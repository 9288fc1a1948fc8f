# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Numbers of Python and NumPy written as C++ expressions in the element types of the dtypes."""

import math
import struct
from typing import Any

import numpy as np

from gpuarray._common.dtype_table import CTYPES, dtype_kind

__all__ = ["converted", "kind_of", "literal"]


def kind_of(number: Any) -> str | None:
    """Return the dtype of a NumPy scalar or bool, "int", "float" or "complex", None of others."""
    if isinstance(number, np.generic):
        return number.dtype.name if number.dtype.name in CTYPES else None
    if isinstance(number, bool):
        return "bool"
    for type_ in (int, float, complex):
        if isinstance(number, type_):
            return type_.__name__
    return None


def converted(text: str, dtype: str) -> str:
    """Return the C++ text of a value, converted to this dtype."""
    return f"gpuarray::cast<{CTYPES[dtype]}>({text})"


def literal(number: Any, dtype: str) -> str:
    """Return the C++ text of a scalar, converted to a dtype as operands of arrays are.

    OverflowError for a Python int that an integer dtype does not hold.
    """
    if kind_of(number) == "int" and dtype_kind(dtype) in ("i", "u"):
        limits = np.iinfo(dtype)
        if not limits.min <= number <= limits.max:
            raise OverflowError(f"Python integer {number} out of bounds for {dtype}")
    if isinstance(number, np.generic):
        number = number.item() if number.dtype.kind != "V" else float(number)
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
    return f"gpuarray::bit_cast<double>(uint64_t({bits:#x}ULL))"
