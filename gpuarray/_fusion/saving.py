# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the files of fused functions that saved.py reads."""

import os
import re
import zlib
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from gpuarray import _core
from gpuarray._fusion.function_parameters import FunctionParameters
from gpuarray._fusion.saved import MAGIC, VERSION
from gpuarray._fusion.trace import Signature
from gpuarray._kernels.building import architecture_text, require_known_architecture

__all__ = ["write"]


def write(
    path: str | PathLike[str],
    name: str,
    parameters: FunctionParameters,
    programs: Sequence[tuple[Signature, str, dict[str, Any]]],
    sources: Sequence[str],
    architectures: Sequence[Any] | None,
) -> None:
    """Write a file: what runs for each signature, and the images of the kernels' sources."""
    wanted = _wanted(architectures)
    images = [
        (_core._saved_digest(source), architecture, _core._kernel_image(source, architecture))
        for source in sources
        for architecture in wanted
    ]
    head = {
        "version": VERSION,
        "name": name,
        "names": parameters.names,
        **parameters.options(),
        "defaults": [  # inf and nan are no literals
            (index, repr(value) if isinstance(value, float) else value)
            for index, value in parameters.defaults
        ],
        "programs": programs,
        "images": [[digest, architecture, len(image)] for digest, architecture, image in images],
    }
    text = repr(head).encode()
    rest = b"".join([text, *(image for *_, image in images)])
    # A rename replaces the file at once, so that other processes never read half of it.
    written = Path(f"{os.fspath(path)}.{os.getpid()}.part")
    try:
        written.write_bytes(MAGIC + b"%d %d\n" % (len(text), zlib.crc32(rest)) + rest)
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def _wanted(architectures: Sequence[Any] | None) -> list[str]:
    if architectures is None:
        found = {*filter(None, (device.compute_capability for device in _core.devices()))}
        if not found:
            raise ValueError(
                "save: there is no CUDA device here; name the architectures, as ['sm_90', "
                "'compute_90']"
            )
        return [architecture_text(capability) for capability in sorted(found)]
    if isinstance(architectures, str | bytes) or not isinstance(architectures, Iterable):
        raise TypeError(
            f"save: architectures: expected a list, as ['sm_90'], got {architectures!r}"
        )
    wanted = [*dict.fromkeys(map(_architecture, architectures))]
    if not wanted:
        raise ValueError("save: architectures: expected one at least, as ['sm_90']; got none")
    return wanted


def _architecture(given: Any) -> str:
    try:
        text = architecture_text(given)
        require_known_architecture(text)
    except (TypeError, ValueError) as error:
        raise type(error)(f"save: architectures: {error}") from None
    if re.fullmatch("(sm|compute)_[0-9]+", text) is None:
        raise ValueError(
            f"save: architectures: expected such as sm_90 or compute_90, got {given!r}"
        )
    return text
