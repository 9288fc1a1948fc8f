# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's matrix product for the cpu device; _core calls it."""

from typing import Any

import numpy as np

__all__ = ["multiply"]


@np.errstate(all="ignore")
def multiply(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], out: np.ndarray[Any, Any]) -> None:
    """Write a @ b to `out`; no warning for what overflows, as of other operations."""
    np.matmul(a, b, out=out)
