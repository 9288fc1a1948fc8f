# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's random numbers, from gpuarray.random: other numbers of the same distributions."""

import contextlib
from typing import Any

import numpy as np

import gpuarray
from gpuarray.pycuda._constructors import as_class
from gpuarray.pycuda._streams import stream_of

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]


def _on(stream: Any) -> Any:
    return contextlib.nullcontext() if stream is None else stream_of(stream)


def seed_getter_uniform(n: int) -> gpuarray.GPUArray:
    """Return n times one seed of the operating system's, as int32."""
    seed = int(np.random.SeedSequence().generate_state(1)[0]) >> 1
    return as_class(gpuarray.full(n, seed, np.int32))


def seed_getter_unique(n: int) -> gpuarray.GPUArray:
    """Return n seeds of the operating system's, as int32."""
    seeds = np.random.SeedSequence().generate_state(n) >> 1
    return as_class(gpuarray.to_device(seeds.astype(np.int32)))


class _RandomNumberGenerator:
    """Draws numbers of float32 or float64; TypeError for other dtypes.

    `seed_getter` is a function of a number n that returns an array of n seeds of which the first
    is used; by default the operating system gives one. `offset` is how many generators come before
    this one of the same seed. Work is queued on `stream`, by default the current one.
    """

    def __init__(self, seed_getter: Any = None, offset: int = 0) -> None:
        seeds = None if seed_getter is None else seed_getter(1)
        if isinstance(seeds, gpuarray.GPUArray):
            seeds = seeds.get()
        seed = None if seeds is None else int(np.asarray(seeds).reshape(-1)[0]) & (2**64 - 1)
        sequence = np.random.SeedSequence(seed, spawn_key=(offset,) if offset else ())
        self.generator = gpuarray.random.default_rng(sequence)

    def gen_uniform(self, shape: Any, dtype: Any, stream: Any = None) -> gpuarray.GPUArray:
        """Return an array of numbers of [0, 1)."""
        with _on(stream):
            return as_class(self.generator.random(shape, dtype))

    def gen_normal(self, shape: Any, dtype: Any, stream: Any = None) -> gpuarray.GPUArray:
        """Return an array of numbers of the standard normal distribution."""
        with _on(stream):
            return as_class(self.generator.standard_normal(shape, dtype))

    def gen_log_normal(
        self, shape: Any, dtype: Any, log_mean: float, log_stddev: float, stream: Any = None
    ) -> gpuarray.GPUArray:
        """Return an array of numbers whose logarithm has this mean and standard deviation."""
        with _on(stream):
            drawn = self.generator.standard_normal(shape, dtype)
            return as_class(gpuarray.exp(drawn * log_stddev + log_mean))

    def gen_poisson(
        self, shape: Any, dtype: Any, lambda_value: float, stream: Any = None
    ) -> gpuarray.GPUArray:
        """Return an array of integers of Poisson's distribution."""
        with _on(stream):
            return as_class(self.generator.poisson(lambda_value, shape).astype(dtype))

    def fill_uniform(self, data: gpuarray.GPUArray, stream: Any = None) -> None:
        """Fill an array with numbers of [0, 1)."""
        with _on(stream):
            data[...] = self.generator.random(data.shape, data.dtype)

    def fill_normal(self, data: gpuarray.GPUArray, stream: Any = None) -> None:
        """Fill an array with numbers of the standard normal distribution."""
        with _on(stream):
            data[...] = self.generator.standard_normal(data.shape, data.dtype)

    def fill_log_normal(
        self, data: gpuarray.GPUArray, log_mean: float, log_stddev: float, stream: Any = None
    ) -> None:
        """Fill an array, as gen_log_normal."""
        with _on(stream):
            data[...] = self.gen_log_normal(data.shape, data.dtype, log_mean, log_stddev)

    def fill_poisson(
        self, data: gpuarray.GPUArray, lambda_value: float, stream: Any = None
    ) -> None:
        """Fill an array, as gen_poisson."""
        with _on(stream):
            data[...] = self.gen_poisson(data.shape, data.dtype, lambda_value)


class XORWOWRandomNumberGenerator(_RandomNumberGenerator):
    """PyCUDA's name of a generator; its numbers are those of gpuarray.random.default_rng."""


class MRG32k3aRandomNumberGenerator(_RandomNumberGenerator):
    """PyCUDA's name of a generator; its numbers are those of gpuarray.random.default_rng."""


def rand(shape: Any, dtype: Any = np.float32, stream: Any = None) -> gpuarray.GPUArray:
    """Return an array of numbers of [0, 1), or of all integers if the dtype is one of integers."""
    dtype = np.dtype(dtype)
    generator = XORWOWRandomNumberGenerator()
    if dtype.kind == "f":
        return generator.gen_uniform(shape, dtype, stream)
    limits = np.iinfo(dtype)
    with _on(stream):
        drawn = generator.generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        return as_class(drawn)
