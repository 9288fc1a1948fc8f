# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Matrices of few rows and columns, which kernels of our own take in registers."""

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = ["as_small"]


def as_small(a: GPUArray, dtype: str, is_system: bool = False) -> GPUArray | None:
    """Return matrices in the dtype for the _small_ functions of _core, or None if they are large.

    `is_system` says that they are for _small_solve. These take any layout, and do not wait.
    """
    is_small = _core._has_small_systems(a, dtype) if is_system else _core._has_small_matrices(a)
    return a.astype(dtype, copy=False) if is_small else None
