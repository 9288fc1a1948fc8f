# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Types of a kernel's parameters, read from a signature, from CUDA C++ or from a mangled name."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import CTYPES, ROWS, dtype_of_cpp

POINTER_BYTES = 8
# The types that CUDA's headers define, and their dtypes.
CUDA_TYPES = {
    "__half": "float16",
    "nv_bfloat16": "bfloat16",
    "__nv_bfloat16": "bfloat16",
    "cuComplex": "complex64",
    "cuFloatComplex": "complex64",
    "cuDoubleComplex": "complex128",
}
ITEMSIZES = {row.name: row.itemsize for row in ROWS}
BUILT_IN = {"bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "void"}
BYTES = ("int8", "uint8", "bool")  # A pointer to char may point to elements of any of these dtypes.
IGNORED = {"__restrict__", "__restrict", "restrict", "volatile", "__grid_constant__", "struct"}
NAMESPACES = {"std", "cuda", "thrust"}
# The codes of the struct module, which PyCUDA's Function.prepare takes.
CODES = {"c": "int8"} | {code: np.dtype(code).name for code in "?bBhHiIlLqQefdFD"}

TOKEN = re.compile(r"\w+|::|[^\s\w]")
# A comment that nothing closes goes on to the end, so that no text is read again for each.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# An attribute such as __launch_bounds__(max(64, 2 * (N + 1))), with parentheses in each other. A
# text matches in one way only, so that the time for it is in proportion to its length.
NESTED = r"\([^(){};]*\)"
NESTED = rf"\((?:[^(){{}};]|{NESTED})*\)"
ATTRIBUTE = rf"__\w+__\s*\((?:[^(){{}};]|{NESTED})*\)"


class Row(NamedTuple):
    """A parameter; `kind` is "p" for a pointer, "v" for a value, "u" where that is not known."""

    text: str
    kind: str
    dtypes: tuple[str, ...] = ()  # of the value or of the elements pointed to; () accepts any
    is_const: bool = False
    nbytes: int = 0  # bytes of a value, 0 if not known


def parse_signature(signature: Any) -> tuple[Row, ...]:
    """Return the parameters of C text, of codes of the struct module, or of a sequence of dtypes.

    Raises TypeError or ValueError for a signature that is none of these.
    """
    if isinstance(signature, str):
        if signature and set(signature) <= {*CODES, "P"}:
            return tuple(map(from_code, signature))
        return from_declarations(signature)
    if not isinstance(signature, Iterable):
        name = type(signature).__name__
        raise TypeError(f"signature: expected a str or a sequence of dtypes, got {name}")
    return tuple(map(from_item, signature))


def infer(name: str, source: str | None = None) -> tuple[Row, ...] | None:
    """Return the parameters that a kernel's symbol or source shows; None if neither does."""
    if name.startswith("_Z"):
        spelled = _core._demangle(name).replace("(anonymous namespace)", "anonymous")
        declared = parameter_list(spelled, 0)
        return None if declared is None else from_declarations(declared)
    return None if source is None else from_source(source, name)


def from_source(source: str, name: str) -> tuple[Row, ...] | None:
    """Return the parameters of the kernel `name` in CUDA C++; None if the text leaves doubt."""
    code = NOT_CODE.sub(" ", source)
    start = rf"__global__\s+(?:\w+\s+|{ATTRIBUTE}\s*)*?{re.escape(name)}\s*\("
    lists = {parameter_list(code, match.end() - 1) for match in re.finditer(start, code)}
    found = {from_declarations(declared) for declared in lists if declared is not None}
    # A declaration and the definition may name the parameters differently, so names are not
    # compared.
    types = {tuple(row[1:] for row in rows) for rows in found}
    return found.pop() if len(types) == 1 else None


def parameter_list(text: str, start: int) -> str | None:
    """Return the text between the first parenthesis from `start` and the one that closes it."""
    begin = text.find("(", start)
    depth = 0
    for at in range(begin, len(text)) if begin >= 0 else ():
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin + 1 : at]
    return None


def from_declarations(text: str) -> tuple[Row, ...]:
    """Return the parameters of "const float* x, float a, int n"; names may be left out."""
    rows = tuple(map(from_declaration, split(text)))
    return () if rows == (Row("void", "u"),) else rows


def split(text: str) -> list[str]:
    """Return the parts of the text between commas that are in no bracket."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    last = text[begin:]
    return [*parts, last] if parts or last.strip() else []


def from_declaration(text: str) -> Row:
    text = " ".join(text.split())
    words = [word for word in TOKEN.findall(text) if word not in IGNORED]
    if not words:
        raise ValueError("signature: expected a type, got nothing between two commas")
    if "&" in words or "(" in words or "=" in words:
        return Row(text, "u")
    stars = [at for at, word in enumerate(words) if word == "*"]
    # An array parameter is a pointer.
    if "[" in words:
        stars.append(words.index("["))
    dtype, known = element_type(words[: stars[0]] if stars else words)
    if not stars:
        return Row(
            text, "v" if known else "u", (dtype,) if known else (), False, ITEMSIZES.get(dtype, 0)
        )
    before = words[stars[-2] + 1 : stars[-1]] if len(stars) > 1 else words[: stars[0]]
    dtypes: tuple[str, ...] = () if len(stars) > 1 or not known else (dtype,)
    if dtypes and "char" in words:
        dtypes = BYTES
    return Row(text, "p", dtypes, "const" in before, POINTER_BYTES)


def element_type(words: list[str]) -> tuple[str, bool]:
    """Return the dtype of a type, which a parameter's name may follow, and whether it is known."""
    left = [word for word in words if word != "const"]
    if left[0] == "::":
        left = left[1:]
    while left[1:2] == ["::"] and left[0] in NAMESPACES:
        left = left[2:]
    built_in = sorted(word for word in left if word in BUILT_IN)
    if left[0] in BUILT_IN:
        name = " ".join(built_in)
    elif left[1:2] == ["<"] and ">" in left:
        name = "".join(left[: left.index(">") + 1])
    else:
        name = left[0]
    dtype = name if name in CTYPES else dtype_of_cpp(name) or CUDA_TYPES.get(name, "")
    return dtype, dtype != ""


def from_code(code: str) -> Row:
    if code == "P":
        return Row("pointer", "p", (), False, POINTER_BYTES)
    return Row(CODES[code], "v", (CODES[code],), False, ITEMSIZES[CODES[code]])


def from_item(item: Any) -> Row:
    """Return the parameter that a dtype, a declaration, a code, or None for any type describes."""
    if item is None:
        return Row("", "u")
    if isinstance(item, str):
        if item in CODES or item == "P":
            return from_code(item)
        row = from_declaration(item)
        if row.kind != "u":
            return row
    dtype = _core.empty(0, item, device="cpu").dtype.name
    return Row(dtype, "v", (dtype,), False, ITEMSIZES.get(dtype, 0))
