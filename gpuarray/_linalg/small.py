# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Matrices of few rows and columns, which kernels of our own take in registers."""

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = ["as_small"]


def as_small(a: GPUArray, dtype: str) -> GPUArray | None:
    """Return matrices in the dtype for the _small_ functions of _core, or None if they are large.

    These take 1 to 32 rows and columns, of any layout, and do not wait.
    """
    return a.astype(dtype, copy=False) if _core._has_small_matrices(a) else None
