# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Samples with repeated elements and the values that matter to order and equality."""

import numpy as np

REAL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REAL += ["float16", "float32", "float64"]
DTYPES = [*REAL, "complex64", "complex128"]


def sample(dtype, shape, seed=0, few=True):
    """Return `few` different values, or any of the dtype; floats with NaN, infinities and zeros."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (-4 * (dtype.kind == "i"), 9) if few else (info.min, info.max)
        made = rng.integers(low, high, shape, dtype=dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.05, info.min, made).astype(dtype)
    if dtype.kind == "f":
        made = rng.integers(-5, 5, shape) / 2 if few else rng.standard_normal(shape)
        for value in (np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf):
            made = np.where(rng.random(shape) < 0.05, value, made)
        return np.asarray(made, dtype)
    part = "float32" if dtype == "complex64" else "float64"
    made = np.empty(shape, dtype)
    made.real, made.imag = sample(part, shape, seed + 1, few), sample(part, shape, seed + 2, few)
    return made
