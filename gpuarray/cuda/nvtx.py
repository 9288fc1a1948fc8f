# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Marks and ranges in a timeline of NVIDIA's Nsight Systems.

They are made by NVIDIA's package nvtx (``pip install nvtx``). Where it is not installed, these
functions do nothing: the program's results are the same, and a timeline is the only thing lost.
"""

from typing import Any

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC"]

_COLORS = (0x4E79A7, 0xF28E2B, 0xE15759, 0x76B7B2, 0x59A14F, 0xEDC948, 0xB07AA1, 0x9C755F)


def _library() -> Any:
    try:
        import nvtx
    except ImportError:
        return None
    return nvtx


def Mark(message: str, id_color: int = -1) -> None:  # noqa: N802
    """Mark this moment. `id_color` is a number of a color; -1 is the first."""
    MarkC(message, _COLORS[max(id_color, 0) % len(_COLORS)])


def MarkC(message: str, color: int = 0) -> None:  # noqa: N802
    """Mark this moment; `color` is 0xRRGGBB."""
    if library := _library():
        library.mark(message, color=color)


def RangePush(message: str, id_color: int = -1) -> None:  # noqa: N802
    """Begin a range, to RangePop, within the one that is open. `id_color` is as in Mark."""
    RangePushC(message, _COLORS[max(id_color, 0) % len(_COLORS)])


def RangePushC(message: str, color: int = 0) -> None:  # noqa: N802
    """Begin a range, to RangePop, within the one that is open; `color` is 0xRRGGBB."""
    if library := _library():
        library.push_range(message, color=color)


def RangePop() -> None:  # noqa: N802
    """End the range that was begun last."""
    if library := _library():
        library.pop_range()
