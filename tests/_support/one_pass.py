# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Comparison of functions that are one kernel on large arrays with the same, composed."""

from unittest import mock

import numpy as np

import gpuarray
from gpuarray._common import one_pass

from .window_programs import bits


def found(call, least):
    """Return dtype, shape and bits of what a call gives where arrays are large from `least` on.

    And how many operations were among those that wait, of which a kernel of its own has none.
    """
    with mock.patch.object(one_pass, "LEAST_SIZE", least), gpuarray.fusion("always"):
        before = gpuarray.fusion_stats().operations
        made = call()
        gpuarray.synchronize()
        count = gpuarray.fusion_stats().operations - before
    if isinstance(made, gpuarray.GPUArray):
        return (str(made.dtype), made.shape, made.strides, bits(made)), count
    return made, count


def check(call, device, *, taken=True):
    """Assert that a call gives the same bits by one kernel, and that it takes one if `taken`."""
    composed, _ = found(call, 1 << 60)
    one, count = found(call, 0)
    assert one == composed
    if taken and gpuarray.Device(device).kind == "cuda":
        assert count == 0


def samples(dtype, shape, seed=0):
    """Return elements of which many are close, zeros of both signs, infinite or NaN."""
    random = np.random.default_rng(seed)
    made = random.integers(-2, 3, shape).astype(dtype)
    if made.dtype.kind in "fc" or made.dtype.name == "bfloat16":
        made = made * np.asarray(1 + 1e-6 * random.random(shape)).astype(dtype)
        for value in (np.nan, np.inf, -np.inf, -0.0):
            made[random.random(shape) < 0.08] = value
    return made
