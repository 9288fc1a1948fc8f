# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Values that reveal mistakes: ordinary ones, and the edge cases of each dtype."""

import ml_dtypes
import numpy as np

from .dtypes import INTEGERS, kind


def _integers(dtype) -> list[int]:
    info = np.iinfo(dtype)
    values = [0, 1, 2, 3, 5, 7, 31, 100, info.max, info.max - 1, info.max // 3]
    if info.min < 0:
        values += [-1, -2, -3, -7, -100, info.min, info.min + 1]
    return values


def _floats(dtype) -> list[float]:
    info = ml_dtypes.finfo(dtype)
    largest, tiny = float(info.max), float(info.smallest_subnormal)
    ordinary = [1.0, -1.0, 0.5, -2.5, 3.0, -7.25, 100.0, -0.375, 1.5, 12.625]
    return [0.0, -0.0, *ordinary, np.inf, -np.inf, np.nan, largest, -largest, tiny, -tiny]


def _complex(dtype) -> list[complex]:
    parts = [0.0, -0.0, 1.0, -2.5, 0.375, np.inf, -np.inf, np.nan]
    values = [complex(re, im) for re in parts for im in parts]
    return [*values, 3 - 4j, 1e10 + 1e-10j, -12.625 + 7.25j]


def special(dtype) -> np.ndarray:
    """Return the edge cases of a dtype and some ordinary values, in one dimension."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True, True, False])
    values = {"i": _integers, "u": _integers, "f": _floats, "c": _complex}[kind(dtype)](dtype)
    return np.array(values).astype(dtype) if dtype != np.uint64 else np.array(values, dtype)


def ordinary(dtype, shape=(24,), seed=0) -> np.ndarray:
    """Return random values of moderate size and any shape, none of them special."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng([seed, *shape])
    if dtype.kind == "b":
        return np.asarray(random.random(shape) < 0.5)
    if dtype in INTEGERS:
        low = -50 if dtype.kind == "i" else 0
        return np.asarray(random.integers(low, 50, shape)).astype(dtype)
    values = np.round(random.normal(size=shape) * 8, 3)
    if dtype.kind == "c":
        values = values + 1j * np.round(random.normal(size=shape) * 8, 3)
    return np.asarray(values).astype(dtype)


def exponents(dtype) -> np.ndarray:
    """Return exponents for which NumPy's integer power is defined."""
    values = special(dtype)
    return values[values >= 0] if kind(dtype) == "i" else values


def few(dtype) -> np.ndarray:
    """Return a shorter list of edge cases, for tests over every pair of dtypes."""
    if kind(dtype) != "c":
        return special(dtype)
    values = [0, -1.5 + 2j, complex(np.inf, 1), complex(1, np.nan), complex(-0.0, -3), 1e3 - 1e-3j]
    return np.array(values).astype(dtype)
