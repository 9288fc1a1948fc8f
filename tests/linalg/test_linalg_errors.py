# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What only the values tell: LinAlgError at the next wait, with function and matrix, and NaN."""

import numpy as np
import pytest
from linalg.matrices import DTYPES, random

import gpuarray
from gpuarray import linalg
from gpuarray.linalg import LinAlgError

SIZES = [3, 20, 40]
CALLS = {
    "solve": lambda a: linalg.solve(a, a),
    "inv": linalg.inv,
    "cholesky": linalg.cholesky,
}


def spoiled(batch, n, which, dtype="float64"):
    """Return well-conditioned definite matrices, but for zeros at one place of the batch."""
    made = np.broadcast_to(np.eye(n, dtype=dtype) * 2, (*batch, n, n)).copy()
    made[which] = 0
    return made


def problem(name):
    return "not positive definite" if name == "cholesky" else "singular"


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", CALLS)
def test_the_next_wait_names_function_and_matrix(device, name, n):
    for batch, which, text in (
        ((), (), "the matrix"),
        ((9,), 7, "matrix 7 of the batch"),
        ((2, 4), (1, 3), r"matrix \(1, 3\) of the batch"),
    ):
        a = gpuarray.to_device(spoiled(batch, n, which))
        expected = "" if device == "cpu" else f"^{name}: {text} is {problem(name)}$"
        with pytest.raises(LinAlgError, match=expected):
            CALLS[name](a)
            gpuarray.synchronize(device)
        gpuarray.synchronize(device)
        assert (a + 1).sum().item() > 0, "the context goes on"


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", CALLS)
def test_results_are_nan_where_a_matrix_fails(cuda, name, n, dtype):
    found = CALLS[name](gpuarray.to_device(spoiled((4,), n, 2, dtype)))
    with pytest.raises(LinAlgError, match="matrix 2 of the batch"):
        found.get()
    got = found.get()
    assert np.all(np.isnan(got[2]) | (name == "cholesky" and np.triu(np.ones((n, n)), 1) == 1))
    assert np.isfinite(got[[0, 1, 3]]).all()


@pytest.mark.cuda
def test_nothing_waits(cuda):
    """A call returns, and another operation is queued, although the error is not raised yet."""
    a = gpuarray.to_device(spoiled((4,), 40, 1))
    other = gpuarray.ones(5)
    inverse = linalg.inv(a)
    sums = other + 1
    with pytest.raises(LinAlgError, match="inv: matrix 1"):
        gpuarray.synchronize()
    assert sums.tolist() == [2.0] * 5
    assert inverse.shape == a.shape


def test_determinants_of_singular_matrices(device):
    for n in SIZES:
        a = gpuarray.to_device(spoiled((3,), n, 1))
        found = linalg.det(a).get()
        np.testing.assert_allclose(found, [2.0**n, 0.0, 2.0**n], rtol=1e-12)
        assert found[1] == 0
        sign, logarithm = linalg.slogdet(a)
        assert sign.tolist() == [1.0, 0.0, 1.0]
        assert logarithm.get()[1] == -np.inf


def test_condition_of_singular_matrices(device):
    for n in SIZES:
        a = gpuarray.to_device(spoiled((3,), n, 1))
        for order in (1, np.inf, "fro"):
            assert np.isinf(linalg.cond(a, order).get()).tolist() == [False, True, False]
        gpuarray.synchronize(device)


def test_solve_looks_for_singular_matrices_without_right_sides(device):
    for n in SIZES:
        with pytest.raises(LinAlgError, match=r"[sS]ingular"):
            linalg.solve(gpuarray.zeros((n, n)), gpuarray.zeros((n, 0))).get()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_eigenvalues_of_one_or_two_rows_are_no_error(device, dtype, bad):
    one = np.full((3, 1, 1), bad, dtype)
    one[1] = 2
    np.testing.assert_array_equal(
        linalg.eigvalsh(gpuarray.to_device(one)).get(), np.linalg.eigvalsh(one)
    )
    found = linalg.eigh(gpuarray.to_device(one))
    np.testing.assert_array_equal(found.eigenvalues.get(), one.real[..., 0])
    np.testing.assert_array_equal(found.eigenvectors.get(), np.ones_like(one))
    two = np.full((2, 2), np.nan, dtype)
    assert np.isnan(linalg.eigvalsh(gpuarray.to_device(two)).get()).all()


@pytest.mark.parametrize("n", [3, 20, 40, 300])
@pytest.mark.parametrize("place", [(0, 0), (-1, 0), (0, -1), (-1, -1), ...], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_nan_stays_in_what_factors_make(device, dtype, place, n):
    """The libraries of a card find finite numbers for such matrices, or call them singular."""
    if n == 300 and dtype != "float64":
        return
    stack = spoiled((2,), n, (0, 0, 1), dtype) + np.eye(n, k=1, dtype=dtype)
    stack[(1, *place) if place is not ... else 1] = np.nan
    for host in (stack, stack[1]):
        a = gpuarray.to_device(host)
        results = {
            "inv": linalg.inv(a),
            "solve": linalg.solve(a, gpuarray.ones((n, 2), dtype)),
            "det": linalg.det(a)[..., None],
            "slogdet": linalg.slogdet(a).logabsdet[..., None],
            "lu_factor": linalg.lu_factor(a)[0],
            "cond": linalg.cond(a, 1)[..., None],
            "power": linalg.matrix_power(a, -2),
        }
        gpuarray.synchronize(device)
        for name, made in results.items():
            made = made.get()
            assert np.isnan(made if host.ndim == 2 else made[1]).any(), name
            assert np.isfinite(made[0] if host.ndim == 3 else 0).all(), name
    empty = linalg.solve(gpuarray.to_device(stack), gpuarray.ones((n, 0), dtype))
    assert empty.get().shape == (2, n, 0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("trans", [0, "T", "C"])
def test_triangles_with_zeros_on_the_diagonal_are_singular(device, n, trans):
    a = np.broadcast_to(np.tri(n, dtype="complex64"), (2, n, n)).copy()
    a[1, 2, 2] = 0
    x, b = gpuarray.to_device(a), gpuarray.ones((n, 2), "complex64")
    with pytest.raises(LinAlgError, match=r"[sS]ingular"):
        linalg.solve_triangular(x, b, trans, True).get()
    assert np.isfinite(linalg.solve_triangular(x[0], b, trans, True).get()).all()
    assert np.isfinite(linalg.solve_triangular(x, b, trans, True, True).get()).all()


def test_what_is_not_finite(device):
    for n in (3, 70):
        a = random((n, n), "float64")
        a[1, 1] = np.nan
        with pytest.raises(LinAlgError, match="infs or NaNs"):
            linalg.eig(gpuarray.to_device(a))


def test_linalg_error_is_numpys(device):
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inv(gpuarray.zeros((40, 40)))
        gpuarray.synchronize(device)
    assert issubclass(LinAlgError, ValueError)


def test_many_axes_name_the_number_of_the_matrix(device):
    if device == "cpu":
        return
    a = spoiled((1,) * 9 + (3,), 40, (0,) * 9 + (2,))
    with pytest.raises(LinAlgError, match="matrix 2 of the batch"):
        linalg.inv(gpuarray.to_device(a))
        gpuarray.synchronize(device)


NAMED = {
    "matrix_power": lambda x, _: linalg.matrix_power(x, -1),
    "tensorinv": lambda x, _: linalg.tensorinv(x, 1),
    "tensorsolve": lambda x, _: linalg.tensorsolve(x, x[0]),
    "cho_factor": lambda x, _: linalg.cho_factor(x),
    "lstsq": lambda _, x: linalg.lstsq(x, x),
    "pinv": lambda _, x: linalg.pinv(x),
    "norm": lambda _, x: linalg.norm(x, 2),
    "svdvals": lambda _, x: linalg.svdvals(x),
}


@pytest.mark.cuda
@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("name", NAMED)
def test_errors_name_the_function_that_was_called(cuda, name, n):
    singular, unknown = gpuarray.zeros((n, n)), gpuarray.full((n, n), np.nan)
    with pytest.raises(LinAlgError, match=f"^{name}: "):
        NAMED[name](singular, unknown)
        gpuarray.synchronize()


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_decompositions_refuse_what_is_not_finite(device, n, bad):
    a = np.eye(n)
    a[n - 1, 0] = bad
    # NumPy has NaN among the eigenvalues of some such matrices.
    for call in (linalg.svd, linalg.pinv, *([linalg.eigh] if device != "cpu" else [])):
        with pytest.raises(LinAlgError):
            call(gpuarray.to_device(a))
            gpuarray.synchronize(device)
    upper = linalg.eigh(gpuarray.to_device(a), "U").eigenvalues
    np.testing.assert_allclose(upper.get(), np.ones(n))


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares_refuse_what_is_not_finite(device, n, dtype):
    a = random((3 * n, n), dtype)
    a[1, 1] = np.nan
    with pytest.raises(LinAlgError):
        linalg.lstsq(gpuarray.to_device(a), gpuarray.to_device(a[:, 0]))
        gpuarray.synchronize(device)
