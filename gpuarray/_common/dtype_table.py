# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The table of dtypes (kernels/dtypes.def) as Python reads it, with the C++ types of each dtype."""

from typing import NamedTuple

from gpuarray import _core

__all__ = [
    "CTYPES",
    "FUNDAMENTAL",
    "NAMES",
    "ROWS",
    "DTypeRow",
    "dtype_kind",
    "dtype_of_cpp",
    "is_half",
    "names_of",
    "wider",
]


class DTypeRow(NamedTuple):
    """A dtype: NumPy's name, kind and type string, and the C++ type of kernels."""

    name: str
    kind: str
    itemsize: int
    typestr: str
    cpp_type: str


ROWS = tuple(DTypeRow(*row) for row in _core._dtype_table())
NAMES = tuple(row.name for row in ROWS)
_ITEMSIZES = {row.name: row.itemsize for row in ROWS}
CTYPES = {row.name: row.cpp_type for row in ROWS}
# The kind of each dtype, and of Python's own numbers, whose dtypes are weak in promotion.
_KINDS = {row.name: row.kind for row in ROWS} | {"int": "i", "float": "f", "complex": "c"}

_BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}
# FUNDAMENTAL gives the fundamental C++ type of each integer dtype.
FUNDAMENTAL = {
    f"{sign}int{8 * size}": text
    for size, base in ((1, "char"), (2, "short"), (4, "int"), (8, "long long"))
    for sign, text in (("", base if size > 1 else "signed char"), ("u", f"unsigned {base}"))
}


def dtype_kind(name: str) -> str:
    """Return NumPy's kind of a dtype, or of Python's int, float or complex; "" for other names."""
    return _KINDS.get(name, "")


def is_half(name: str) -> bool:
    """Return whether a dtype is a floating-point one of 16 bits."""
    return dtype_kind(name) == "f" and _ITEMSIZES.get(name) == 2


def wider(name: str) -> str:
    """Return the inexact dtype of twice the size, in which sums are rounded less; else the same."""
    wanted = (dtype_kind(name), 2 * _ITEMSIZES[name])
    if wanted[0] not in "fc":
        return name
    return next((row.name for row in ROWS if (row.kind, row.itemsize) == wanted), name)


def names_of(kinds: str) -> tuple[str, ...]:
    """Return the names of the dtypes of these kinds, in the table's order."""
    return tuple(row.name for row in ROWS if row.kind in kinds)


def _integers() -> dict[str, str]:
    """Return the integer dtypes by C++ spelling, the words sorted, such as 'int short unsigned'."""
    found = {"signed": "int32", "unsigned": "uint32"}
    for base, bits in _BITS.items():
        for sign in ("", "signed", "unsigned"):
            words = [*base.split(), *sign.split()]
            dtype = f"{'u' * (sign == 'unsigned')}int{bits}"
            found[" ".join(sorted(words))] = dtype
            if base not in ("char", "int"):
                found[" ".join(sorted([*words, "int"]))] = dtype
    return found


_CPP = {row.cpp_type: row.name for row in ROWS} | _integers()
_CPP |= {"size_t": "uint64", "ptrdiff_t": "int64", "intptr_t": "int64", "uintptr_t": "uint64"}


def dtype_of_cpp(text: str) -> str | None:
    """Return the dtype of a C++ type, its words in any order; None for one that is not known."""
    return _CPP.get(text) or _CPP.get(" ".join(sorted(text.split())))
