# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Numbers, and None as an index: NumPy's."""

from numpy import e, inf, nan, newaxis, pi

__all__ = ["e", "inf", "nan", "newaxis", "pi"]
