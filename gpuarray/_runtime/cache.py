# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Inspection and clearing of the disk cache of compiled kernels."""

from typing import NamedTuple

from gpuarray import _core

__all__ = ["CacheInfo", "ClearedCache", "cache_info", "clear_cache"]


class CacheInfo(NamedTuple):
    """State of the disk cache; ``hits`` and ``stores`` count those of this process."""

    folder: str
    entries: int
    bytes: int
    limit: int
    hits: int
    stores: int


class ClearedCache(NamedTuple):
    """What clearing removed."""

    entries: int
    bytes: int


def cache_info() -> CacheInfo:
    """Return the state of the disk cache of compiled kernels.

    ``folder`` is where it lies, an empty str if neither ``GPUARRAY_CACHE_DIR``, ``XDG_CACHE_HOME``
    nor ``HOME`` says so; ``entries`` and ``bytes`` is what all processes have left there; ``limit``
    is ``GPUARRAY_CACHE_BYTES``, 0 if the cache is off. Touches no device. Raises ValueError if that
    variable is not a whole number of at least 0.
    """
    return CacheInfo(*_core.cache_info())


def clear_cache() -> ClearedCache:
    """Remove all kernels from the disk cache, those of other processes too.

    Returns the number of entries removed and their bytes. Files of another name stay, and so do
    kernels already loaded. Touches no device; raises as `cache_info` does.
    """
    return ClearedCache(*_core.clear_cache())
