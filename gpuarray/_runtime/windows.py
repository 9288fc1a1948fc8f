# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How element-wise operations are run together, and how often they were."""

from types import TracebackType
from typing import Literal, NamedTuple

from gpuarray import _core

__all__ = ["FusionStats", "fusion", "fusion_stats"]


class fusion:  # noqa: N801, a function that also is a context manager
    """Choose whether element-wise operations wait for the next ones and run together with them.

    ``fusion(mode)`` sets the mode for the process, ``with fusion(mode):`` for a block, for all
    threads. ``"auto"`` lets operations wait where that saves time, ``"always"`` wherever it is
    possible, ``"off"`` never. What waits runs first. The variable ``GPUARRAY_FUSION`` has the mode
    of a new process.

    The results are the same to the bit in all modes, and so are the errors, which are raised where
    the operation is called. Operations run together a block of elements at a time, so that what
    only they use stays in the caches; what nothing uses is not computed. All that could tell the
    difference runs what waits: reading an array, a reduction, a wait, an export, the address of an
    array. ValueError for another mode.
    """

    def __init__(self, mode: Literal["auto", "off", "always"]) -> None:
        self._before = _core._set_fusion(mode)

    def __enter__(self) -> None:
        """Leave the mode as it was set."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Set the mode of before."""
        _core._set_fusion(self._before)


class FusionStats(NamedTuple):
    """What ran together since the process began."""

    windows: int
    """Groups of operations."""
    operations: int
    """Operations in them."""
    unneeded: int
    """Operations that were not computed, because nothing used their results."""
    temporary: int
    """Operations whose results were not stored, because only their group used them."""
    reductions: int
    """Reductions that computed what they reduce by operations that waited."""


def fusion_stats() -> FusionStats:
    """Return how many operations ran together so far; runs those that wait."""
    return FusionStats(*_core._fusion_stats())
