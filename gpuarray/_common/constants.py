# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's constants, and the objects with which NumPy's users write indices."""

from numpy import (
    False_,
    True_,
    e,
    euler_gamma,
    index_exp,
    inf,
    nan,
    ndindex,
    newaxis,
    pi,
    s_,
)

__all__ = [
    "False_",
    "True_",
    "e",
    "euler_gamma",
    "index_exp",
    "inf",
    "nan",
    "ndindex",
    "newaxis",
    "pi",
    "s_",
]
