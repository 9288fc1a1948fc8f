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
def test_zeros_on_the_diagonal_are_no_error(device, n):
    a = np.tril(random((n, n), "float64"))
    a[1, 1] = 0
    x = linalg.solve_triangular(on_device(a), on_device(np.ones(n)), lower=True).get()
    assert np.isfinite(x[0]) and not np.isfinite(x[1])
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


@pytest.mark.parametrize("name", ["lu", "lu_factor"])
def test_factors_of_rectangles_are_refused(device, name):
    with pytest.raises(linalg.LinAlgError, match=rf"^{name}: .*square.*got shape \(3, 2\)"):
        getattr(linalg, name)(gpuarray.ones((3, 2)))


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
