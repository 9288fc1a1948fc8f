# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The matrix product of the cpu device, which _core computes by calling NumPy."""

from typing import Any

import numpy as np

__all__ = ["multiply"]


@np.errstate(all="ignore")
def multiply(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], out: np.ndarray[Any, Any]) -> None:
    """Write a @ b to `out`, without a warning for overflow, as other operations give none."""
    np.matmul(a, b, out=out)
