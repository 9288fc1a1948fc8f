# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions composed of operations that run as one kernel on large arrays of CUDA devices."""

import contextlib
import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._core import GPUArray
from gpuarray.errors import CompileError, DeviceError

__all__ = ["is_large", "made_at_once", "one_pass"]

# A compilation, once for each signature of dtypes, is worth it from so many elements on.
LEAST_SIZE = 1 << 20
_NUMBERS = (int, float, complex, np.generic)

R = TypeVar("R")


def is_large(*operands: Any) -> bool:
    """Return whether an operand is an array of a CUDA device that is worth a kernel of its own."""
    for a in operands:
        if issubclass(type(a), GPUArray) and a.size >= LEAST_SIZE and a.device.kind == "cuda":
            # Stand-ins of arrays that are traced are part of a kernel already; what else is
            # neither array nor number is an error, which the operations raise.
            return all(issubclass(type(b), GPUArray) or isinstance(b, _NUMBERS) for b in operands)
    return False


def one_pass(function: Callable[..., R]) -> Callable[..., R]:
    """Let fuse() make one kernel of a function of arrays and scalars where an array is large.

    The function gives the same bits by itself, and serves all other calls: those of small arrays,
    of the cpu device, within a function that is traced, and where there is no compiler.
    """
    fused = functools.cache(lambda: package.module.fuse(function))

    @functools.wraps(function)
    def served(*args: Any) -> R:
        if is_large(*args):
            # Without a compiler that works the operations serve; others' errors are theirs.
            with contextlib.suppress(CompileError, DeviceError):
                return fused()(*args)  # type: ignore[no-any-return]
        return function(*args)

    return served


def made_at_once(
    kernel: Callable[[], Callable[..., GPUArray]],
    shape: tuple[int, ...],
    dtype: Any,
    device: Any,
    *values: Any,
) -> GPUArray | None:
    """Return a large array of a CUDA device, which a kernel makes of numbers; None for others."""
    if math.prod(shape) < LEAST_SIZE or _core.empty(0, device=device).device.kind != "cuda":
        return None
    with contextlib.suppress(CompileError, DeviceError):
        return kernel()(*values, _core.empty(shape, dtype, device=device))
    return None
