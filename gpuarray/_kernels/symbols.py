# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Translation between the names of kernels in sources and the mangled names of compilers."""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence

from gpuarray import _core
from gpuarray._kernels.suggestions import unknown_name
from gpuarray.errors import DeviceError

ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", re.MULTILINE)
# Numbers of ELF, and CUDA's bit of st_other for symbols that are kernels.
SHT_SYMTAB, STT_FUNC, STO_CUDA_ENTRY = 2, 2, 0x10


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


def kernel_names(image: bytes) -> list[str]:
    """Return the symbols of the kernels in a cubin or in PTX; DeviceError for a fatbin."""
    kind = _core._image_kind(image, "image")
    if kind == "ptx":
        return sorted(set(ENTRY.findall(image.decode())))
    if kind == "cubin":
        return sorted(_kernel_symbols(image))
    raise DeviceError(f"the names of the kernels in a {kind} are known once a device has loaded it")


def _kernel_symbols(cubin: bytes) -> Iterator[str]:
    """Yield the names of the kernels in the symbol table of a cubin, whose sections are whole."""
    begin, entry_bytes, count = (
        struct.unpack_from("<Q", cubin, 40)[0],
        *struct.unpack_from("<HH", cubin, 58),
    )
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", cubin, begin + k * entry_bytes) for k in range(count)
    ]
    for _, kind, _, _, offset, nbytes, link, *_ in sections:
        if kind != SHT_SYMTAB:
            continue
        texts = sections[link][4]
        for at in range(offset, offset + nbytes, 24):
            name, info, other = struct.unpack_from("<IBB", cubin, at)
            if info & 0xF == STT_FUNC and other & STO_CUDA_ENTRY:
                yield cubin[texts + name : cubin.index(b"\0", texts + name)].decode()


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
