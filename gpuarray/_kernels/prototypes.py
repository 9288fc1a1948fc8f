# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Compares the declared prototype of a device function with the prototypes in linked code."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpuarray._common.dtype_table import dtype_kind
from gpuarray._kernels.linkables import LinkableCode
from gpuarray._kernels.signature import (
    ATTRIBUTE,
    ITEMSIZES,
    NOT_CODE,
    Row,
    from_declaration,
    from_declarations,
    parameter_list,
)

__all__ = ["require_prototype"]

# Words of a declaration that are not its type.
SPECIFIERS = {"extern", "inline", "static", "constexpr", "const", "__forceinline__", "__noinline__"}
PTX_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.([bfsu])(\d+)\s+[\w$]+(?:\[(\d+)\])?")
VOID = Row("void", "u")


class Prototype(NamedTuple):
    """The text of a function's declaration, its result and its parameters."""

    text: str
    result: Row
    parameters: tuple[Row, ...]


def require_prototype(
    name: str, result: str, types: tuple[str, ...], abi: str, link: Iterable[LinkableCode]
) -> None:
    """Raise TypeError if code in `link` defines the function with another prototype."""
    declared = {
        "c": _prototype(result, name, types),
        "numba": _prototype("int", name, ("void*" if result == "void" else f"{result}*", *types)),
    }
    defined = [(code, found) for code in link for found in _defined(code, name)]
    if not defined or any(_agree(found, declared[abi]) for _, found in defined):
        return
    code, found = defined[0]
    other = next((one for one in declared if _agree(found, declared[one])), None)
    way = f"give abi={other!r}" if other else "correct the signature"
    raise TypeError(
        f"declare_device: with abi={abi!r}, {name} is called as '{declared[abi].text}', but "
        f"{code.name} defines '{found.text}': {way}"
    )


def _prototype(result: str, name: str, types: tuple[str, ...]) -> Prototype:
    text = ", ".join(types)
    return Prototype(
        f"{result} {name}({text})", _result(result), tuple(map(from_declaration, types))
    )


def _result(text: str) -> Row:
    row = from_declaration(text)
    return VOID if text == "void" else row


def _defined(code: LinkableCode, name: str) -> Iterator[Prototype]:
    """Yield the prototypes of a function that a code declares, as far as its text tells them."""
    if code.kind == "source":
        yield from _in_source(code.text, name)
    elif code.kind == "ptx":
        yield from _in_ptx(code.text, name)


def _in_source(source: str, name: str) -> Iterator[Prototype]:
    text = NOT_CODE.sub(" ", source)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", " ", text, flags=re.MULTILINE)
    text = re.sub(ATTRIBUTE, " ", text)
    for match in re.finditer(rf"([\w\s:*&<>,]*?)\b{re.escape(name)}\s*\(", text):
        start = max(text.rfind(mark, 0, match.end(1)) for mark in ";{}") + 1
        words = re.findall(r"\w+|[^\s\w]", text[start : match.end(1)])
        parameters = parameter_list(text, match.end() - 1)
        if "__device__" not in words or "template" in words or parameters is None:
            continue
        left = " ".join(w for w in words if w not in SPECIFIERS and not w.startswith("__"))
        left = re.sub(r"\s*\*", "*", left)
        if not left or not re.fullmatch(r"[\w ]+\**", left):
            continue
        listed = ", ".join(" ".join(part.split()) for part in parameters.split(","))
        yield Prototype(f"{left} {name}({listed})", _result(left), from_declarations(parameters))


def _in_ptx(text: str, name: str) -> Iterator[Prototype]:
    text = NOT_CODE.sub(" ", text)
    pattern = rf"\.func\s*(?:\(([^()]*)\))?\s*{re.escape(name)}\s*(?:\(([^()]*)\))?"
    for match in re.finditer(pattern, text):
        results, parameters = (
            tuple(map(_ptx_row, PTX_PARAMETER.finditer(part or ""))) for part in match.groups()
        )
        listed = ", ".join(row.text for row in parameters)
        result = results[0] if results else VOID
        yield Prototype(f"{result.text} {name}({listed})", result, parameters)


def _ptx_row(match: re.Match[str]) -> Row:
    kind, bits, count = match.groups()
    nbytes = int(bits) // 8 * int(count or 1)
    return Row(f".{kind}{bits}" + (f"[{count}]" if count else ""), "u", nbytes=nbytes)


def _agree(found: Prototype, declared: Prototype) -> bool:
    """Return whether calls of the declared function may be calls of the one that is found."""
    if len(found.parameters) != len(declared.parameters):
        return False
    if (found.result == VOID) != (declared.result == VOID):
        return False
    rows = [(found.result, declared.result), *zip(found.parameters, declared.parameters)]  # noqa: B905
    return all(_rows_agree(*pair) for pair in rows)


def _rows_agree(found: Row, declared: Row) -> bool:
    if found.kind == "u":  # PTX widens integers to 4 bytes
        return not found.nbytes or not declared.nbytes or found.nbytes == max(declared.nbytes, 4)
    if found.kind != declared.kind:
        return declared.kind == "u"
    if found.kind == "p":
        both = {*found.dtypes}, {*declared.dtypes}
        return not all(both) or any(_same(a, b) for a in both[0] for b in both[1])
    return _same(found.dtypes[0], declared.dtypes[0])


def _same(a: str, b: str) -> bool:
    """Return whether two dtypes are passed alike: signs of integers make no difference."""
    kinds = {dtype_kind(a), dtype_kind(b)}
    return ITEMSIZES[a] == ITEMSIZES[b] and (len(kinds) == 1 or kinds <= {"i", "u", "b"})
