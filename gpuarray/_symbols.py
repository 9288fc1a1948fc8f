# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Names of kernels as sources spell them, and as compilers do."""

import re
from collections.abc import Callable, Mapping, Sequence

from gpuarray._suggestions import unknown_name

LENGTH = re.compile(r"\d+")


def source_name(symbol: str) -> str:
    """The name in the source, "ns::f" of "_ZN2ns1fEPf"; others are returned as they are."""
    if not symbol.startswith("_Z"):
        return symbol
    nested = symbol.startswith("_ZN")
    at, parts = 3 if nested else 2, []
    while match := LENGTH.match(symbol, at):
        at = match.end() + int(match[0])
        parts.append(symbol[match.end() : at])
        if not nested:
            break
    return "::".join(parts) or symbol


def find_symbol(
    name: str, expressions: Mapping[str, str], all_symbols: Callable[[], Sequence[str]]
) -> str:
    """The symbol of the kernel that `name` means. LookupError if there is none, or several."""
    if name in expressions:
        return expressions[name]
    symbols = all_symbols()
    if name in symbols:
        return name
    found = [symbol for symbol in symbols if source_name(symbol) == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise LookupError(f"several kernels are called {name!r}: {', '.join(found)}")
    hint = "; templates are named in name_expressions=" if "<" in name else ""
    known = [*expressions, *map(source_name, symbols)]
    raise LookupError(unknown_name("kernel", name, known) + hint)
