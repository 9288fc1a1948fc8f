# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Comparison of fused functions, users' and our own, with the operations one by one."""

from unittest import mock

import numpy as np

import gpuarray
from gpuarray._common import one_pass

from .compare import assert_same
from .dtypes import BFLOAT16
from .samples import ordinary
from .window_programs import bits


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


def found_from(call, least):
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


def check_one_pass(call, device, *, taken=True):
    """Assert that a call gives the same bits by one kernel, and that it takes one if `taken`."""
    composed, _ = found_from(call, 1 << 60)
    one, count = found_from(call, 0)
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


# Functions and kernels that pickles of other processes name.
@gpuarray.fuse
def scaled(x, factor=2.0):
    return x * factor + 1


@gpuarray.fuse(kernel_name="twice_scaled")
def nested(x):
    return scaled(scaled(x))


def plain(x):
    return x - 3


fused_plain = gpuarray.fuse(plain)


@gpuarray.vectorize
def shifted(x):
    return x + 5


class Model:
    @staticmethod
    @gpuarray.fuse
    def step(x):
        return x * 7


step = Model.step
doubled = gpuarray.ElementwiseKernel(
    "T x", "T y", "y = FACTOR * x", "doubled", options="-DFACTOR=2 -DOTHER='a b'"
)
total = gpuarray.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0, "total")
running = gpuarray.ScanKernel("T x", "T y", "x", "a + b", name="running")
flat = gpuarray.InclusiveScanKernel("float64", "a + b")
NAMES = ["scaled", "nested", "fused_plain", "shifted", "step", "doubled", "total", "running"]
# Objects that importing this module makes, which pickles of them name.
GLOBALS = ["scaled", "nested", "shifted", "step"]


def result(function, device):
    """The elements of a call, on the device, as a list or a float."""
    with gpuarray.Device(device):
        return function(gpuarray.arange(4.0)).get().tolist()
