# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Translation between the names of kernels in sources and the mangled names of compilers."""

from collections.abc import Iterable, Sequence

from gpuarray import _core
from gpuarray._kernels.suggestions import unknown_name


def source_name(symbol: str) -> str:
    """Return a symbol's name in the source: "ns::f<float>" for its mangled name, "f" for "f"."""
    declaration = _core._demangle(symbol)
    depth, begin = 0, 0
    for at, letter in enumerate(declaration):
        depth += (letter == "<") - (letter == ">")
        # The text before the space is the return type, which instances of templates have.
        if depth == 0 and letter == " ":
            begin = at + 1
        if depth == 0 and letter == "(":
            return declaration[begin:at] or symbol
    return symbol


def find_symbol(name: str, expressions: Iterable[str], symbols: Sequence[str]) -> str:
    """Return the symbol of the kernel that `name` means; LookupError for none or several."""
    names = {symbol: source_name(symbol) for symbol in symbols}
    found = [symbol for symbol in symbols if names[symbol] == name]
    if not found:
        found = [symbol for symbol in symbols if names[symbol].partition("<")[0] == name]
    if len(found) == 1:
        return found[0]
    if found:
        meant = ", ".join(map(_core._demangle, found))
        raise LookupError(f"several kernels are called {name!r}: {meant}")
    hint = "; instances of templates are named in name_expressions=" if "<" in name else ""
    raise LookupError(unknown_name("kernel", name, [*expressions, *names.values()]) + hint)
