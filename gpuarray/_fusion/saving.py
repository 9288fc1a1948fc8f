# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the files of fused functions that saved.py reads."""

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from gpuarray import _core
from gpuarray._fusion.function_parameters import FunctionParameters
from gpuarray._fusion.saved import MAGIC
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
        "version": _core._saved_digest(""),
        "name": name,
        "names": parameters.names,
        **parameters.options(),
        "programs": programs,
        "images": [[digest, architecture, len(image)] for digest, architecture, image in images],
    }
    text = json.dumps(head).encode()
    content = [MAGIC, b"%d\n" % len(text), text, *(image for *_, image in images)]
    Path(path).write_bytes(b"".join(content))


def _wanted(architectures: Sequence[Any] | None) -> list[str]:
    if architectures is None:
        found = {*filter(None, (device.compute_capability for device in _core.devices()))}
        if not found:
            raise ValueError(
                "save: there is no CUDA device here; name the architectures, as ['sm_90', "
                "'compute_90']"
            )
        return [architecture_text(capability) for capability in sorted(found)]
    if isinstance(architectures, str):
        raise TypeError(f"save: architectures: expected a list of str, got {architectures!r}")
    wanted = [architecture_text(one) for one in architectures]
    for one in wanted:
        require_known_architecture(one)
        if not one[-1].isdigit():
            raise ValueError(f"save: {one} is for one device alone; take {one[:-1]}")
    return wanted
