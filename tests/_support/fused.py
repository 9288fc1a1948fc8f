# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Comparison of fused functions with the operations one by one."""

import numpy as np

import gpuarray

from .compare import assert_same
from .dtypes import BFLOAT16
from .samples import ordinary


def array(dtype, shape=(3, 5), seed=0):
    return gpuarray.to_device(ordinary(np.dtype(dtype), shape, seed))


def dtype_of(name):
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


def same(got, expected):
    got = got if isinstance(got, tuple) else (got,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.device == other.device
        assert_same(one, other.get())


def is_fused(function):
    return bool(function.source)


def check(function, *arguments):
    """Return the results of the fused function, after comparing them with the function's own."""
    fused = gpuarray.fuse(function)
    made = fused(*arguments)
    assert is_fused(fused)
    same(made, function(*arguments))
    return made
