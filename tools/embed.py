# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes a C++ source that holds the kernels and headers that the package embeds.

embed.py OUTPUT.cpp FILE...  writes gpuarray::embedded_modules() with the .fatbin files, and
gpuarray::embedded_headers() with all others, of which embedded_headers_digest() is a digest.
"""

import hashlib
import re
import sys
from pathlib import Path

HEADER = '#include "runtime/code/embedded.hpp"\n'

# Depfiles do not know of the embedded data, so its digest makes the source change with it.
DATA = """\
// sha256 {digest}
asm(R"(
    .pushsection .rodata
    .balign 64
{symbol}_begin:
    .incbin "{path}"
{symbol}_end:
    .byte 0
    .popsection
)");
extern "C" {{
__attribute__((visibility("hidden"))) extern const {type} {symbol}_begin[];
__attribute__((visibility("hidden"))) extern const {type} {symbol}_end[];
}}
"""

TABLE = """\
namespace gpuarray {{

std::span<const {row}> {function}() {{
{body}
}}

}}  // namespace gpuarray
"""


DIGEST = """\
namespace gpuarray {{

const char* embedded_headers_digest() {{ return "{digest}"; }}

}}  // namespace gpuarray
"""


def is_module(path):
    return path.suffix == ".fatbin"


def include_name(path):
    """Return the path by which kernels include a header: from the folder that holds kernels/."""
    parts = path.parts
    return "/".join(parts[len(parts) - parts[::-1].index("kernels") - 1 :])


def symbol(path):
    name = path.name if is_module(path) else include_name(path)
    return "gpuarray_" + re.sub(r"\W", "_", name)


def data(path):
    return DATA.format(
        digest=hashlib.sha256(path.read_bytes()).hexdigest(),
        symbol=symbol(path),
        path=path.as_posix(),
        type="unsigned char" if is_module(path) else "char",
    )


def table(row, function, named):
    if not named:
        return TABLE.format(row=row, function=function, body="  return {};")
    rows = [
        f'      {{"{name}", {symbol(path)}_begin, {symbol(path)}_end}},' for name, path in named
    ]
    body = [f"  static const {row} table[] = {{", *rows, "  };", "  return table;"]
    return TABLE.format(row=row, function=function, body="\n".join(body))


def digest(headers):
    found = hashlib.sha256()
    for name, path in headers:
        text = path.read_bytes()
        found.update(f"{name}\0{len(text)}\0".encode() + text)
    return DIGEST.format(digest=found.hexdigest())


def main(output, *inputs):
    paths = [Path(name) for name in inputs]
    modules = [(path.stem, path) for path in paths if is_module(path)]
    headers = [(include_name(path), path) for path in paths if not is_module(path)]
    tables = [
        table("EmbeddedModule", "embedded_modules", modules),
        table("EmbeddedText", "embedded_headers", headers),
        digest(headers),
    ]
    Path(output).write_text("\n".join([HEADER, *map(data, paths), *tables]))


if __name__ == "__main__":
    main(*sys.argv[1:])
