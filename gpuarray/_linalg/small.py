# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Matrices of few rows and columns, which kernels of our own take in registers."""

from typing import Any

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._manipulation.broadcasting import broadcast_to

__all__ = ["is_small", "small"]

# The most rows and columns of such a matrix (kMostSmall of kernels/linalg).
MOST_SMALL = 32


def is_small(*extents: int) -> bool:
    """Return whether the kernels take matrices of so many rows and columns."""
    return max(extents) <= MOST_SMALL and hasattr(_core, "_small_matrices")


def small(
    operation: str,
    a: GPUArray,
    b: GPUArray | None = None,
    *,
    dtype: str,
    batch: tuple[int, ...] | None = None,
    k: int = 0,
    upper: bool = False,
    what: str | None = None,
    vectors: bool = True,
) -> tuple[Any, Any, Any]:
    """Return the results x, y and z of an operation, which SmallMatrixOp of kernels/linalg names.

    `k` is its number of columns, `what` the public function if that has another name. Without
    `vectors` only y is made.
    """
    if a._dtype_name != dtype:
        a = a.astype(dtype)
    if b is not None and b._dtype_name != dtype:
        b = b.astype(dtype)
    if batch is not None:
        a = broadcast_to(a, (*batch, *a.shape[-2:]))
        b = b if b is None else broadcast_to(b, (*batch, *b.shape[-2:]))
    made: tuple[Any, Any, Any] = _core._small_matrices(
        operation, a, b, k, upper, vectors, what or operation
    )
    return made
