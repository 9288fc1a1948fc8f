# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PTX, cubins, fatbins, objects, archives and LTO-IR, as far as their headers are read here."""

import struct

from fuzzing.choices import Choices
from fuzzing.outcomes import outcome

from gpuarray import _core
from gpuarray.kernels import LinkableCode

KINDS = ["source", "cubin", "ptx", "ltoir", "fatbin", "object", "archive"]
SIZES = [0, 1, 16, 24, 40, 63, 64, 65, 128, 2**16 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]


def size(choices, most):
    return choices.choice(SIZES) % (most + 1) if choices.flag() else choices.byte()


def elf(choices):
    """Return an ELF file whose numbers are of any size."""
    head = b"\x7fELF\x02\x01\x01" + bytes([choices.choice([0x33, 0x41]), 7]) + bytes(7)
    section = choices.choice([64, 64, 64, choices.byte()])
    numbers = struct.pack(
        "<HHIQQQI", 2, 190, 1, 0, 0, size(choices, 2**64 - 1), choices.byte() << 8
    )
    counts = struct.pack("<6H", 64, 56, 0, section, size(choices, 2**16 - 1), choices.byte())
    return head + numbers + counts + choices.rest()


def fatbin(choices):
    content = struct.pack("<IHHQ", 0xBA55ED50, 1, size(choices, 2**16 - 1), choices.byte())
    for _ in range(choices.number(0, 3)):
        lengths = size(choices, 2**32 - 1), size(choices, 2**64 - 1)
        content += struct.pack("<HHIQ", choices.byte() % 4, 1, *lengths)
        content += bytes(choices.number(0, 40))
    return content + choices.rest()


def ptx(choices):
    words = [" ", "\n", "//", "/*", "*/", "/", "*", ".version 9.0", ".version", "\0", "a", "#"]
    return "".join(choices.several(30, lambda: choices.choice(words))).encode()


def run(data):
    choices = Choices(data)
    make = choices.choice([elf, fatbin, ptx, Choices.rest])
    content = make(choices)
    kind, error = outcome(_core._image_kind, content, "fuzz")
    code, refused = outcome(LinkableCode, content)
    assert (error is None) == (refused is None), (content, error, refused)
    assert 0 <= _core._cubin_architecture(content) < 256
    outcome(_core._loadable, content)
    if error is None:
        assert kind in KINDS and code.kind == kind
