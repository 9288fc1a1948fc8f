# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Classes that give the compared libraries one interface: names, copies to the device, waits."""

import os

import numpy as np


class NumPy:
    def __init__(self, device: str):
        self.xp = np
        self.version = np.__version__

    def up(self, array):
        return array.copy()

    def synchronize(self, result) -> None:
        """Wait for all work; `result` is that of the last call."""

    def bfloat16(self, array):
        raise TypeError("NumPy has no bfloat16")

    def free(self) -> None:
        """Give memory that no array uses back to the device."""


class GPUArray:
    def __init__(self, device: str):
        import gpuarray

        gpuarray.set_default_device(device)
        self.xp = gpuarray
        self.version = gpuarray.__version__
        self.up = gpuarray.to_device

    def synchronize(self, result) -> None:
        self.xp.synchronize()

    def kernels(self) -> int:
        """Return how many kernels this process compiled, or found compiled on disk."""
        cache = self.xp.cache_info()
        return cache.hits + cache.stores

    def bfloat16(self, array):
        return array.astype("bfloat16")

    def fuse(self, function):
        return self.xp.fuse(function)

    def replay(self, array):
        """Return a function that launches a graph of 20 operations."""

        def chain(x):
            for _ in range(20):
                x = x + 1
            return x

        return self.xp.graph(chain)(array).launch

    def free(self) -> None:
        self.xp.synchronize()

    def separate(self) -> None:
        """Run what waits, so that it is not computed together with what follows."""
        self.xp.fusion_stats()


class CuPy:
    def __init__(self, device: str):
        import cupy

        cupy.cuda.Device(int(device.partition(":")[2] or 0)).use()
        self.xp = cupy
        self.version = cupy.__version__
        self.up = cupy.asarray

    def fuse(self, function):
        return self.xp.fuse()(function)

    def synchronize(self, result) -> None:
        self.xp.cuda.Device().synchronize()

    def bfloat16(self, array):
        raise TypeError("not in these benchmarks")

    def free(self) -> None:
        self.xp.get_default_memory_pool().free_all_blocks()


class Torch:
    def __init__(self, device: str):
        import torch

        torch.set_default_device(device)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.set_grad_enabled(False)
        self.xp = torch
        self.version = torch.__version__
        self.device = torch.device(device)

    def up(self, array):
        return self.xp.from_numpy(array).to(self.device, copy=True)

    def fuse(self, function):
        self.xp._dynamo.reset()  # what was compiled before counts towards its limits
        return self.xp.compile(function)

    def synchronize(self, result) -> None:
        if self.device.type == "cuda":
            self.xp.cuda.synchronize(self.device)

    def bfloat16(self, array):
        return array.to(self.xp.bfloat16)

    def free(self) -> None:
        self.xp.cuda.empty_cache()


class JAX:
    def __init__(self, device: str):
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        import jax

        jax.config.update("jax_enable_x64", True)
        # float32 products are computed in full precision, as in the other libraries.
        jax.config.update("jax_default_matmul_precision", "highest")
        platform, _, index = device.partition(":")
        chosen = jax.devices(platform)[int(index or 0)]
        jax.config.update("jax_default_device", chosen)
        self.jax = jax
        self.xp = jax.numpy
        self.version = jax.__version__
        self.up = lambda array: jax.device_put(array, chosen)

    def fuse(self, function):
        return self.jax.jit(function)

    def synchronize(self, result) -> None:
        self.jax.block_until_ready(result)

    def bfloat16(self, array):
        return array.astype(self.xp.bfloat16)

    def free(self) -> None:
        """Do nothing, since JAX reuses freed memory itself."""


# The class for each library, and the names of the distributions that it is installed by.
LIBRARIES = {
    "gpuarray": (GPUArray, ["gpuarray-cuda"]),
    "cupy": (CuPy, ["cupy-cuda13x", "cupy-cuda12x", "cupy"]),
    "torch": (Torch, ["torch"]),
    "jax": (JAX, ["jax", "jaxlib", "jax-cuda13-pjrt", "jax-cuda12-pjrt"]),
    "numpy": (NumPy, ["numpy"]),
}
