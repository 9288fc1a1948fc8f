# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Kernels and fused functions of a module, for processes that import it."""

import gpuarray


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
