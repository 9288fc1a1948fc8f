# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The plans of cuFFT that each device keeps."""

from typing import NamedTuple

from gpuarray import _core
from gpuarray._core import Device

__all__ = ["PlanCacheInfo", "clear_plan_cache", "plan_cache_info"]


class PlanCacheInfo(NamedTuple):
    """The plans that a device keeps; ``misses`` counts those that were made."""

    hits: int
    misses: int
    plans: int
    limit: int


def plan_cache_info(device: Device | str | None = None) -> PlanCacheInfo:
    """Return how many plans a device keeps, by default the default one, and how they were found.

    The last recently used plan beyond the limit is destroyed. Plans keep no work area. All numbers
    are 0 for the cpu device, which has no plans. Does not wait.
    """
    return PlanCacheInfo(*_core._fft_plan_cache_info(device))


def clear_plan_cache(device: Device | str | None = None) -> None:
    """Destroy the plans that a device keeps, by default the default one, and forget the counts.

    Waits for the device if there are any. Plans of captured graphs live as long as these.
    """
    _core._clear_fft_plan_cache(device)
