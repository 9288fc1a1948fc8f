# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""embed.py OUTPUT.cpp [NAME.fatbin ...]: writes the C++ source of gpuarray::embedded_modules()."""

import hashlib
import sys
from pathlib import Path

HEADER = '#include "runtime/embedded.hpp"\n'

# The digest makes the source change with the data, which no depfile knows of.
DATA = """\
// sha256 {digest}
asm(R"(
    .pushsection .rodata
    .balign 64
gpuarray_{name}_begin:
    .incbin "{path}"
gpuarray_{name}_end:
    .popsection
)");
extern "C" {{
__attribute__((visibility("hidden"))) extern const unsigned char gpuarray_{name}_begin[];
__attribute__((visibility("hidden"))) extern const unsigned char gpuarray_{name}_end[];
}}
"""

TABLE = """\
namespace gpuarray {{

std::span<const EmbeddedModule> embedded_modules() {{
{body}
}}

}}  // namespace gpuarray
"""


def data(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return DATA.format(digest=digest, name=path.stem, path=path.as_posix())


def table(paths):
    if not paths:
        return TABLE.format(body="  return {};")
    rows = [
        f'      {{"{path.stem}", gpuarray_{path.stem}_begin, gpuarray_{path.stem}_end}},'
        for path in paths
    ]
    body = ["  static const EmbeddedModule modules[] = {", *rows, "  };", "  return modules;"]
    return TABLE.format(body="\n".join(body))


def main(output, *inputs):
    paths = [Path(name) for name in inputs]
    Path(output).write_text("\n".join([HEADER, *map(data, paths), table(paths)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
