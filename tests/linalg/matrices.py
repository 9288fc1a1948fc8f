# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Matrices for tests of linear algebra, and how exact their factorizations must be."""

import os

import numpy as np
from _support.compare import host

import gpuarray

DTYPES = ["float32", "float64", "complex64", "complex128"]
# The sizes that tests go through: all on a card, some on the test driver, which is slow, and on the
# cpu device, where NumPy computes.
ON_CARD = len(gpuarray.devices()) > 1 and "GPUARRAY_TEST_DRIVER" not in os.environ
SIZES = [*range(1, 34), 64, 100, 257] if ON_CARD else [1, 2, 3, 4, 5, 17, 32, 33, 64]
CONDITIONS = [1, 1e3, 1e6]


def real_of(dtype):
    return np.empty(0, dtype).real.dtype


def eps(dtype):
    return float(np.finfo(real_of(dtype)).eps)


def random(shape, dtype, seed=0):
    """Return normal random numbers on the host."""
    generator = np.random.default_rng([seed, *shape])
    made = generator.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * generator.standard_normal(shape)
    return made.astype(dtype)


def orthogonal(count, n, dtype, seed=0):
    wide = "complex128" if np.dtype(dtype).kind == "c" else "float64"
    return np.linalg.qr(random((count, n, n), wide, seed))[0]


def with_condition(count, n, dtype, condition, seed=0):
    """Return matrices with singular values from 1 down to 1 / condition."""
    u, v = orthogonal(count, n, dtype, seed), orthogonal(count, n, dtype, seed + 1)
    return (u * np.geomspace(1, 1 / condition, n) @ v).astype(dtype)


def definite(count, n, dtype, condition, seed=0):
    """Return hermitian positive definite matrices."""
    u = orthogonal(count, n, dtype, seed)
    made = u * np.geomspace(1, 1 / condition, n) @ adjoint(u)
    return ((made + adjoint(made)) / 2).astype(dtype)


def adjoint(a):
    return np.conjugate(np.swapaxes(a, -1, -2))


def norms(a):
    """Return the 2-norms of matrices; of arrays of the device, too."""
    a = host(a) if isinstance(a, gpuarray.GPUArray) else np.asarray(a)
    wide = "complex128" if a.dtype.kind == "c" else "float64"
    return np.linalg.norm(a.astype(wide), 2, axis=(-2, -1))


def wide(a):
    """Return the elements on the host in double precision."""
    a = host(a) if isinstance(a, gpuarray.GPUArray) else np.asarray(a)
    return a.astype("complex128" if a.dtype.kind == "c" else "float64")


def assert_small(residual, scale, n, dtype, factor=10):
    """Assert that norms are at most `factor` n eps times `scale`."""
    bound = factor * max(n, 2) * eps(dtype) * np.maximum(scale, np.finfo("float64").tiny)
    worst = np.max(norms(residual) / bound)
    assert worst <= 1, f"{worst:.3g} times the bound"


def assert_orthonormal(q, n, dtype):
    """Assert that columns are orthonormal."""
    q = wide(q)
    assert_small(adjoint(q) @ q - np.eye(q.shape[-1]), 1.0, n, dtype)
