# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The dtypes of the project and how they promote."""

import ml_dtypes
import numpy as np

from . import words

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

NAMES = words(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 bfloat16 float32 float64 complex64 complex128"
)

DTYPES = [BFLOAT16 if name == "bfloat16" else np.dtype(name) for name in NAMES]
INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]
SIGNED = [dtype for dtype in DTYPES if dtype.kind == "i"]
FLOATS = [np.dtype(np.float16), BFLOAT16, np.dtype(np.float32), np.dtype(np.float64)]
PAIRS = [(a, b) for a in DTYPES for b in DTYPES]


def kind(dtype) -> str:
    """Return NumPy's kind of a dtype; bfloat16, whose own kind is "V", counts as "f"."""
    return "f" if dtype == BFLOAT16 else np.dtype(dtype).kind


def is_inexact(dtype) -> bool:
    return kind(dtype) in "fc"


def promote(a, b):
    """Return NumPy's promotion; bfloat16 with integers is as float16, with float16 as float32."""
    a, b = np.dtype(a), np.dtype(b)
    if BFLOAT16 not in (a, b):
        return np.promote_types(a, b)
    other = b if a == BFLOAT16 else a
    if other == BFLOAT16 or other.itemsize == 1:
        return BFLOAT16
    if other == np.float16:
        return np.dtype(np.float32)
    return np.promote_types(np.float16, other)


def epsilon(dtype) -> float:
    """Return the distance from 1 to the next number of a real floating dtype."""
    return float(ml_dtypes.finfo(dtype).eps)
