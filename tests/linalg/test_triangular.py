# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Triangular systems and factors that are kept: exactness, shapes and refusals."""

import numpy as np
import pytest
from linalg.matrices import adjoint, definite, random

import gpuarray
from gpuarray import linalg

N = np.linalg


def on_device(a):
    return gpuarray.to_device(a)


def graded(n, seed=1):
    """Return a lower triangle with a diagonal from 1 to 1e-5, of which solve() is less exact."""
    rng = np.random.default_rng(seed)
    a = np.tril(rng.standard_normal((n, n)))
    a[range(n), range(n)] = 10.0 ** -rng.integers(0, 6, n)
    return a


@pytest.mark.parametrize("n", [12, 70])
@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("lower", [False, True])
def test_each_element_is_exact_to_its_own_terms(device, n, trans, lower):
    a = graded(n) if lower else graded(n).T.copy()
    a[range(n), range(n)] *= 4.0 ** (np.arange(n) % 7)
    b = random((n, 2), "float64")
    x = linalg.solve_triangular(on_device(a), on_device(b), trans, lower).get()
    matrix = (a.T if trans else a).astype("longdouble")
    bound = np.abs(matrix) @ np.abs(x) + np.abs(b)
    assert (np.abs(matrix @ x - b) <= 2 * n * np.finfo("float64").eps * bound).all()


@pytest.mark.parametrize("n", [3, 40])
def test_zeros_on_the_diagonal_of_factors_are_no_error(device, n):
    factors = linalg.lu_factor(on_device(np.zeros((n, n))))
    assert not np.isfinite(linalg.lu_solve(factors, on_device(np.ones(n))).get()).any()


@pytest.mark.parametrize("n", [2, 40])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_vectors_are_single_columns(device, n, batch):
    h = np.broadcast_to(definite(1, n, "complex128", 10)[0], (*batch, n, n)).copy()
    b = random((n,), "complex128")
    expected = N.solve(h, np.broadcast_to(b[:, None], (*batch, n, 1)))[..., 0]
    for lower in (False, True):
        got = linalg.cho_solve(linalg.cho_factor(on_device(h), lower), on_device(b))
        np.testing.assert_allclose(got.get(), expected, 1e-8)
    got = linalg.lu_solve(linalg.lu_factor(on_device(h)), on_device(b))
    np.testing.assert_allclose(got.get(), expected, 1e-8)
    triangle = np.tril(h)
    for trans, matrix in ((0, triangle), ("C", adjoint(triangle))):
        got = linalg.solve_triangular(on_device(triangle), on_device(b), trans, True)
        wanted = N.solve(matrix, np.broadcast_to(b[:, None], (*batch, n, 1)))[..., 0]
        np.testing.assert_allclose(got.get(), wanted, 1e-7)


RECTANGLES = [(3, 2), (2, 3), (1, 1), (1, 4), (4, 1), (40, 50), (300, 20), (3, 5, 4), (2, 2, 4, 5)]


@pytest.mark.parametrize("shape", [*RECTANGLES, (0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 3, 2)])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_factors_of_rectangles(device, dtype, shape):
    host = random(shape, dtype)
    a, (m, n) = on_device(host), shape[-2:]
    k = min(m, n)
    p, lower, upper = (x.get() for x in linalg.lu(a))
    assert (p.shape, lower.shape, upper.shape) == (
        (*shape[:-2], m, m),
        (*shape[:-2], m, k),
        (*shape[:-2], k, n),
    )
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(p @ lower @ upper, host, **close)
    np.testing.assert_array_equal(lower, np.tril(lower, -1) + np.eye(m, k))
    np.testing.assert_array_equal(upper, np.triu(upper))
    assert (np.abs(lower) <= 1.0001 * 2**0.5).all()
    permuted, _ = linalg.lu(a, permute_l=True)
    np.testing.assert_array_equal(permuted.get(), p @ lower)
    order = linalg.lu(a, p_indices=True)[0].get()
    np.testing.assert_array_equal(np.take_along_axis(lower, order[..., None], -2), p @ lower)
    factors, pivots = linalg.lu_factor(a)
    assert factors.shape == shape and pivots.shape == (*shape[:-2], k)
    np.testing.assert_array_equal(np.triu(factors.get()[..., :k, :]), upper)


def test_a_permutation_of_one_complex_element_is_complex(device):
    made = linalg.lu(on_device(np.full((2, 1, 1), 3j)))
    assert [x.dtype for x in made] == ["complex128"] * 3
    assert linalg.lu(on_device(np.eye(2) * 1j))[0].dtype == "float64"


def test_pivots_are_checked(device):
    factors, pivots = linalg.lu_factor(on_device(random((2, 4, 4), "float64")))
    b = on_device(np.ones(4))
    for dtype in ("int8", "uint16", "int64"):
        got = linalg.lu_solve((factors, pivots.astype(dtype)), b)
        assert (got == linalg.lu_solve((factors, pivots), b)).all()
    with pytest.raises(TypeError, match="GPUArray"):
        linalg.lu_solve((factors, pivots.get()), b)
    with pytest.raises(TypeError, match="expected pivots of integers, got float64"):
        linalg.lu_solve((factors, pivots.astype("float64")), b)
    with pytest.raises(ValueError, match=r"expected pivots of shape \(2, 4\), got \(2, 3\)"):
        linalg.lu_solve((factors, pivots[:, :3]), b)


def test_pivots_out_of_range_are_not_followed(device):
    factors, pivots = linalg.lu_factor(on_device(np.eye(4)))
    for wrong in (pivots + 1000, pivots - 1000):
        if device == "cpu":
            with pytest.raises(ValueError, match="expected pivots from 0 to 3"):
                linalg.lu_solve((factors, wrong), on_device(np.ones(4)))
        else:
            assert linalg.lu_solve((factors, wrong), on_device(np.ones(4))).tolist() == [1] * 4


@pytest.mark.cuda
@pytest.mark.parametrize("columns", [0, 2])
@pytest.mark.parametrize("n", [0, 3, 70])
def test_arrays_of_two_devices_are_refused(cuda, n, columns):
    a, b = gpuarray.zeros((n, n)), gpuarray.zeros((n, columns), device="cpu")
    pivots, on_host = gpuarray.zeros(n, "int32"), gpuarray.zeros(n, "int32", device="cpu")
    for call in (
        lambda: linalg.solve(a, b),
        lambda: linalg.solve_triangular(a, b),
        lambda: linalg.lu_solve((a, pivots), b),
        lambda: linalg.lu_solve((a, on_host), gpuarray.zeros((n, columns))),
        lambda: linalg.cho_solve((a, True), b),
        lambda: linalg.lstsq(a, b),
    ):
        with pytest.raises(gpuarray.errors.DeviceError, match="device"):
            call()
    gpuarray.synchronize()
