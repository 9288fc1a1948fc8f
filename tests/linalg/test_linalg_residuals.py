# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Factorizations are backward stable: their residuals are a few roundings, for all sizes."""

import numpy as np
import pytest
from linalg.matrices import (
    CONDITIONS,
    DTYPES,
    SIZES,
    adjoint,
    assert_orthonormal,
    assert_small,
    definite,
    eps,
    norms,
    random,
    real_of,
    wide,
    with_condition,
)

import gpuarray
from gpuarray import linalg

pytestmark = pytest.mark.parametrize("dtype", DTYPES)
COUNT = 2


@pytest.mark.parametrize("n", SIZES)
def test_solve_and_inv(device, dtype, n):
    for condition in CONDITIONS:
        a = with_condition(COUNT, n, dtype, condition, n)
        b = random((COUNT, n, 3), dtype, n)
        x = wide(linalg.solve(gpuarray.to_device(a), gpuarray.to_device(b)))
        assert_small(wide(a) @ x - wide(b), norms(a) * norms(x) + norms(b), n, dtype)
        inverse = wide(linalg.inv(gpuarray.to_device(a)))
        assert_small(inverse @ wide(a) - np.eye(n), norms(inverse) * norms(a), n, dtype)


@pytest.mark.parametrize("n", SIZES)
def test_determinants(device, dtype, n):
    a = with_condition(COUNT, n, dtype, 10, n) * np.sqrt(real_of(dtype).type(10))
    expected = np.linalg.slogdet(wide(a))
    sign, logarithm = linalg.slogdet(gpuarray.to_device(a))
    bound = 100 * n * eps(dtype)
    np.testing.assert_allclose(sign.get(), expected[0], rtol=0, atol=bound)
    np.testing.assert_allclose(logarithm.get(), expected[1], rtol=bound, atol=bound)
    found = linalg.det(gpuarray.to_device(a)).get()
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected[0] * np.exp(expected[1]), rtol=bound * 10)


@pytest.mark.parametrize("n", SIZES)
def test_cholesky(device, dtype, n):
    for condition in (1, 1e3):
        a = definite(COUNT, n, dtype, condition, n)
        lower = wide(linalg.cholesky(gpuarray.to_device(a)))
        assert not np.any(np.triu(lower, 1))
        assert_small(lower @ adjoint(lower) - wide(a), norms(a), n, dtype)
        upper = wide(linalg.cholesky(gpuarray.to_device(a), upper=True))
        assert not np.any(np.tril(upper, -1))
        assert_small(adjoint(upper) @ upper - wide(a), norms(a), n, dtype)


@pytest.mark.parametrize("n", SIZES)
def test_qr(device, dtype, n):
    for rows, columns in ((n, n), (n + 3, n), (n, n + 3)):
        a = random((COUNT, rows, columns), dtype, n)
        for mode in ("reduced", "complete"):
            q, r = linalg.qr(gpuarray.to_device(a), mode)
            assert not np.any(np.tril(r.get(), -1))
            assert_orthonormal(q, rows, dtype)
            assert_small(wide(q) @ wide(r) - wide(a), norms(a), max(rows, columns), dtype)


@pytest.mark.parametrize("n", SIZES)
def test_eigh(device, dtype, n):
    for condition in CONDITIONS:
        a = definite(COUNT, n, dtype, condition, n)
        a = a - a.dtype.type(0.3) * np.eye(n, dtype=dtype)
        values, vectors = linalg.eigh(gpuarray.to_device(a))
        assert np.all(np.diff(values.get(), axis=-1) >= 0)
        assert_orthonormal(vectors, n, dtype)
        v = wide(vectors)
        assert_small(v * wide(values)[:, None, :] @ adjoint(v) - wide(a), norms(a), n, dtype)


@pytest.mark.parametrize("n", SIZES)
def test_svd(device, dtype, n):
    for condition in CONDITIONS:
        a = with_condition(COUNT, n, dtype, condition, n)
        check_svd(a, dtype)
    check_svd(random((COUNT, n + 3, n), dtype, n), dtype)
    check_svd(random((COUNT, n, 2 * n + 1), dtype, n), dtype)


def check_svd(a, dtype):
    u, s, vh = linalg.svd(gpuarray.to_device(a), full_matrices=False)
    n = max(a.shape[-2:])
    assert np.all(np.diff(s.get(), axis=-1) <= 0)
    assert np.all(s.get() >= 0)
    assert_orthonormal(u, n, dtype)
    assert_orthonormal(adjoint(wide(vh)), n, dtype)
    assert_small(wide(u) * wide(s)[:, None, :] @ wide(vh) - wide(a), norms(a), n, dtype)
    alone = linalg.svdvals(gpuarray.to_device(a))
    np.testing.assert_allclose(
        alone.get(), s.get(), rtol=0, atol=10 * n * eps(dtype) * norms(a).max()
    )


@pytest.mark.parametrize("n", [1, 2, 3, 10, 64, 65, 80])
def test_eig(device, dtype, n):
    a = random((COUNT, n, n), dtype, n)
    values, vectors = linalg.eig(gpuarray.to_device(a))
    assert values.dtype.kind == vectors.dtype.kind == "c"
    residual = wide(a) @ wide(vectors) - wide(vectors) * wide(values)[:, None, :]
    assert_small(residual, norms(a) * norms(vectors), n, dtype)
    alone = linalg.eigvals(gpuarray.to_device(a)).get()
    assert np.all(
        np.abs(alone[..., None] - values.get()[:, None, :]).min(-1) < 1e4 * eps(dtype) * n
    )
