# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
# ruff: noqa: F821
# A part of core_stub_template.pyi, which names its types.
from collections.abc import Sequence

def _fft(
    kind: int,
    a: GPUArray,
    lengths: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    out: GPUArray | None = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _fft_plan_cache_info(device: _DeviceLike, /) -> tuple[int, int, int, int]: ...
def _clear_fft_plan_cache(device: _DeviceLike, /) -> None: ...
