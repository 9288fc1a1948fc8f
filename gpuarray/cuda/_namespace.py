# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's names of its main namespace that gpuarray itself has no other name for."""

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import gpuarray
from gpuarray.cuda import _pools, pinned_memory
from gpuarray.cuda._blocks import from_pointer as from_pointer

__all__ = [
    "clear_memo",
    "from_pointer",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "memoize",
]

F = TypeVar("F", bound=Callable[..., Any])

_memos: list[dict[Any, Any]] = []


def get_default_memory_pool() -> Any:
    """Return the pool that new arrays get memory from where no other was chosen.

    It has `used_bytes`, `free_bytes`, `total_bytes`, `n_free_blocks`, `free_all_blocks`,
    `set_limit`, `get_limit` and `malloc`, all of the current device.
    """
    return _pools.default_pool


def get_default_pinned_memory_pool() -> pinned_memory.PinnedMemoryPool:
    """Return the pool of page-locked memory, which is one for the process."""
    return pinned_memory.default_pool


def get_array_module(*args: Any) -> Any:
    """Return the package gpuarray if one of the arguments is a GPUArray, else numpy."""
    is_ours = any(isinstance(arg, gpuarray.GPUArray) for arg in args)
    return sys.modules["gpuarray"] if is_ours else np


def memoize(for_each_device: bool = False) -> Callable[[F], F]:
    """Return a decorator for functions of hashable arguments that keeps what they returned.

    With `for_each_device` results are kept for each current device. clear_memo() forgets all.
    """
    if callable(for_each_device):
        raise TypeError("memoize: expected a bool; write @gpuarray.memoize() above the function")

    def decorate(function: F) -> F:
        memo: dict[Any, Any] = {}
        _memos.append(memo)

        @functools.wraps(function)
        def remembered(*args: Any, **kwargs: Any) -> Any:
            device = gpuarray.default_device() if for_each_device else None
            key = (device, args, frozenset(kwargs.items()))
            if key not in memo:
                memo[key] = function(*args, **kwargs)
            return memo[key]

        return remembered  # type: ignore[return-value]

    return decorate


def clear_memo() -> None:
    """Forget the results of all functions that memoize() decorated."""
    for memo in _memos:
        memo.clear()
