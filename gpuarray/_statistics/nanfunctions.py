# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Scans that ignore NaN."""

from typing import Any

from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.chunked_scans import nan_scan

__all__ = ["nancumprod", "nancumsum"]


@takes_stream
def nancumsum(
    a: GPUArray, axis: int | None = None, dtype: Any = None, out: GPUArray | None = None
) -> GPUArray:
    """Return cumsum() with 0 in the place of NaN."""
    return nan_scan("nancumsum", "add", a, 0, axis, dtype, out)


@takes_stream
def nancumprod(
    a: GPUArray, axis: int | None = None, dtype: Any = None, out: GPUArray | None = None
) -> GPUArray:
    """Return cumprod() with 1 in the place of NaN."""
    return nan_scan("nancumprod", "multiply", a, 1, axis, dtype, out)
