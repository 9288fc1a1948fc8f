# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Matrices of few rows and columns, which kernels of our own take in registers."""

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = ["as_small"]


def as_small(a: GPUArray, dtype: str, most: int = 32) -> GPUArray | None:
    """Return matrices in the dtype for the _small_ functions of _core, or None if they are large.

    These take 1 to `most` rows and columns, of any layout, and do not wait.
    """
    is_small = _core._has_small_matrices(a) or 32 < max(a.shape[-2:]) <= most
    return a.astype(dtype, copy=False) if is_small else None
