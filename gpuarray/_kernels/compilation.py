# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The options and linked functions with which C++ of users and of traced functions is compiled."""

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from gpuarray import _core
from gpuarray._core import Device
from gpuarray._kernels.module import Module

__all__ = ["compilation", "definitions", "located"]


def _glued(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options with each value of -D, -U and -I joined to its option, as in -DNAME."""
    found, rest = [], iter(options)
    for option in rest:
        found.append(option + next(rest, "") if option in ("-D", "-U", "-I") else option)
    return tuple(found)


def compilation(options: tuple[str, ...], functions: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments of _core._Program that say how a user's text is compiled."""
    others = tuple(option for option in _glued(options) if not option.startswith(("-D", "-U")))
    for option in others:
        if option.startswith(("-arch", "--gpu-architecture")):
            raise ValueError(f"options: the architecture is that of the device, got {option!r}")
    return {
        "build": partial(_build, others, tuple(functions)),
        "host_options": tuple(option for option in others if option.startswith("-I")),
        "cuda_only": bool(functions),
    }


def located(name: str, text: str) -> str:
    """Return a text whose lines the compilers count as those of a file of this name."""
    if not text.strip():
        return text
    file = re.sub(r"[^\w .:<>-]", "_", name)
    return f'\n#line 1 "{file}"\n{text}\n#line 1 "generated"\n'


def definitions(options: tuple[str, ...]) -> str:
    """Return -DNAME=VALUE and -UNAME as preprocessor lines.

    They stand before the user's text, so that they do not apply to the headers included before it.
    """
    lines = []
    for option in _glued(options):
        name, _, value = option[2:].partition("=")
        if option.startswith("-D"):
            lines.append(f"#define {name} {value if '=' in option else 1}\n")
        elif option.startswith("-U"):
            lines.append(f"#undef {name}\n")
    return "".join(lines)


@cache
def _build(
    options: tuple[str, ...], functions: Sequence[Any], source: str, device: Device
) -> _core.Kernel:
    """Return the kernel of a source: compiled and loaded once, and kept until the process ends."""
    module = Module(source, options=options, link=functions, device=device)
    kernel: _core.Kernel = module.get_function("gpuarray_kernel")
    return kernel
