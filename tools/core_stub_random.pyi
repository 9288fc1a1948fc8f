# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
# ruff: noqa: F821
# A part of core_stub_template.pyi, which names its types.
from collections.abc import Sequence
from typing import Any

def _random_distribution(
    name: str, key: int | GPUArray, out: GPUArray, parameters: Sequence[float | GPUArray]
) -> None: ...
def _random_order(key: int | GPUArray, shape: int | tuple[int, ...], axis: int) -> GPUArray: ...
def _random_draw(
    generator: str,
    state: GPUArray,
    draw: str,
    size: Any,
    out: GPUArray | None = None,
    loc: float | None = None,
    scale: float | None = None,
) -> GPUArray: ...
def _random_integers(
    generator: str, state: GPUArray, dtype: Any, low: int, span: int, size: Any
) -> GPUArray: ...
def _refuse_capture(what: str, device: _DeviceLike) -> None: ...
