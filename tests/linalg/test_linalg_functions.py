# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Norms, ranks, least squares, products, SciPy's functions and polynomials, beside NumPy's."""

import numpy as np
import pytest
from _support.compare import host
from linalg.matrices import DTYPES, adjoint, definite, eps, random, with_condition

import gpuarray
from gpuarray import linalg

N = np.linalg
ORDERS = [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"]


def close(got, expected, rtol=1e-8):
    got = host(got) if isinstance(got, gpuarray.GPUArray) else np.asarray(got)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


def on_device(a):
    return gpuarray.to_device(a)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices(device, order, keepdims):
    a = random((2, 4, 3), "complex128")
    close(linalg.norm(on_device(a), order, (1, 2), keepdims), N.norm(a, order, (1, 2), keepdims))
    close(linalg.norm(on_device(a), order, (2, 0), keepdims), N.norm(a, order, (2, 0), keepdims))
    if order is not None:
        close(linalg.matrix_norm(on_device(a), ord=order), N.matrix_norm(a, ord=order))


@pytest.mark.parametrize("order", [None, 1, 2, 3, 0, 0.5, -1, np.inf, -np.inf])
def test_norms_of_vectors(device, order):
    a = random((2, 4, 3), "float64")
    for axis in (0, 1, -1):
        close(linalg.norm(on_device(a), order, axis, True), N.norm(a, order, axis, True))
    close(linalg.norm(on_device(a[0, 0]), order), N.norm(a[0, 0], order))
    if order is not None:
        for axis in (None, 1, (0, 2)):
            expected = N.vector_norm(a, axis=axis, ord=order)
            close(linalg.vector_norm(on_device(a), axis=axis, ord=order), expected)


def test_axes_of_vectors(device):
    a = random((3, 4), "float64")
    for axis in (np.int64(1), -2, (-1, 0), [1], ()):
        wanted = N.vector_norm(a, axis=tuple(axis) if isinstance(axis, list) else axis)
        close(linalg.vector_norm(on_device(a), axis=axis), wanted)
    for x, axis in ((a, 3), (a, -3), (a, (-1, 2)), (np.float64(1), 0)):
        with pytest.raises(np.exceptions.AxisError):
            linalg.vector_norm(on_device(x), axis=axis)
    close(linalg.vector_norm(on_device(np.float64(-2))), 2.0)


def test_norms_without_axis(device):
    a = random((2, 4, 3), "float64")
    close(linalg.norm(on_device(a)), N.norm(a))
    close(linalg.norm(on_device(a), keepdims=True), N.norm(a, keepdims=True))
    close(linalg.norm(on_device(np.arange(5))), N.norm(np.arange(5)))
    with pytest.raises(ValueError, match="Improper number"):
        linalg.norm(on_device(a), 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms_of_large_arrays_are_summed_in_double(device, dtype):
    a = random((1 << 9, 300), dtype)
    # The terms are rounded to the dtype, so that errors of float64 grow with the root of the count.
    bound = eps(dtype) * (4 if a.real.dtype == "float32" else 100)
    wide = a.astype("complex128" if np.dtype(dtype).kind == "c" else "float64")
    for axis in (None, 0, 1, (0, 1)):
        got = linalg.norm(on_device(a), axis=axis)
        assert got.dtype == a.real.dtype
        close(got, N.norm(wide, axis=axis), bound)
    close(linalg.norm(on_device(a), 1, 0), N.norm(wide, 1, 0), bound)
    view = on_device(a)[::2, ::-1]
    close(linalg.norm(view, axis=1, keepdims=True), N.norm(wide[::2], axis=1, keepdims=True), bound)


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, np.inf, -np.inf, "fro"])
def test_conditions(device, p):
    for n in (4, 40):
        a = with_condition(2, n, "float64", 100)
        close(linalg.cond(on_device(a), p), N.cond(a, p), 1e-6)


def test_norms_of_nothing(device):
    for shape, order in [((0, 2), 2), ((0, 2), np.inf), ((2, 0), 1), ((0, 0), 2), ((2, 0, 3), 2)]:
        got = linalg.matrix_norm(gpuarray.zeros(shape), ord=order)
        assert got.tolist() == np.zeros(shape[:-2]).tolist()
    assert linalg.vector_norm(gpuarray.zeros(0), ord=np.inf).item() == 0
    with pytest.raises(ValueError, match="zero-size"):
        linalg.vector_norm(gpuarray.zeros(0), ord=-np.inf)


@pytest.mark.parametrize("p", [None, 2, -2])
def test_conditions_of_what_is_not_finite(device, p):
    a = np.stack([np.diag([1.0, 4.0])] * 3)
    a[1, 0, 1], a[2, 1, 1] = np.nan, np.inf
    expected = [0.25 if p == -2 else 4.0, np.nan, np.inf]
    np.testing.assert_array_equal(linalg.cond(on_device(a), p).get(), expected)
    gpuarray.synchronize()


def test_what_is_not_finite_has_no_singular_vectors(device):
    a = np.ones((3, 2))
    a[1, 1] = np.inf
    for call in (linalg.svd, linalg.pinv):
        with pytest.raises(linalg.LinAlgError, match=r"converge|infs"):
            call(on_device(a))
            gpuarray.synchronize()


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (50, 40), (40, 50)])
@pytest.mark.parametrize("right", [(), (2,)])
def test_least_squares(device, shape, right):
    a, b = random(shape, "float64"), random((shape[0], *right), "float64", 1)
    for matrix in (a, np.concatenate([a[:, :1], a[:, :-1]], axis=1)):
        got = linalg.lstsq(on_device(matrix), on_device(b))
        expected = N.lstsq(matrix, b, rcond=None)
        for one, wanted in zip(got, expected, strict=True):
            close(one, wanted, 1e-7)


@pytest.mark.parametrize("shape", [(4, 4), (50, 3)])
def test_a_negative_rcond_is_the_precision(device, shape):
    a, b = np.zeros(shape), random(shape[:1], "float64", 1)
    a[range(3), range(3)] = [1.0, 1e-10, 1e-17]
    for one, wanted in zip(
        linalg.lstsq(on_device(a), on_device(b), -1), N.lstsq(a, b, -1), strict=True
    ):
        close(one, wanted)


@pytest.mark.parametrize("shape", [(0, 3), (2, 3, 0), (0, 2, 2)])
@pytest.mark.parametrize("dtype", ["int8", "bool", "float32", "complex128"])
def test_pinv_of_nothing_keeps_the_dtype(device, dtype, shape):
    expected = N.pinv(np.zeros(shape, dtype))
    got = linalg.pinv(gpuarray.zeros(shape, dtype, device=device))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)


@pytest.mark.parametrize("rtol", [None, 0.1])
def test_pinv_takes_one_bound(device, rtol):
    with pytest.raises(ValueError, match="can't be both set"):
        linalg.pinv(gpuarray.ones((2, 2)), 1e-3, rtol=rtol)


@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 5), (2, 40, 36)])
def test_pseudo_inverses_and_ranks(device, shape):
    a = random(shape, "complex128")
    a[..., 0] = a[..., 1]
    close(linalg.pinv(on_device(a), 1e-10), N.pinv(a, 1e-10))
    close(linalg.matrix_rank(on_device(a)), N.matrix_rank(a))
    close(linalg.matrix_rank(on_device(a), 100.0), N.matrix_rank(a, 100.0))
    h = definite(2, 4, "float64", 10)
    close(linalg.pinv(on_device(h), hermitian=True), N.pinv(h, hermitian=True))
    u, s, vh = linalg.svd(on_device(-h), hermitian=True)
    close(s, N.svd(h)[1])
    close(u @ (s[..., None] * vh), -h)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 7])
def test_powers(device, n):
    a = random((2, 4, 4), "float64")
    close(linalg.matrix_power(on_device(a), n), N.matrix_power(a, n), 1e-6)
    integers = np.array([[1, 1], [1, 0]])
    if n >= 0:
        got = linalg.matrix_power(on_device(integers), n)
        assert got.tolist() == N.matrix_power(integers, n).tolist()


def test_products(device):
    a, b, c = random((6, 4), "float64"), random((4, 9), "float64"), random((9, 2), "float64")
    v, w = random((6,), "float64"), random((2,), "float64")
    given = [on_device(x) for x in (v, a, b, c, w)]
    for part in (slice(1, 4), slice(0, 4), slice(1, 5), slice(0, 5)):
        close(linalg.multi_dot(given[part]), N.multi_dot([v, a, b, c, w][part]))
    x, y = random((5, 3), "float64"), random((5, 3), "float64", 1)
    close(linalg.cross(on_device(x), on_device(y)), N.cross(x, y))
    close(linalg.outer(on_device(v), on_device(w)), N.outer(v, w))
    close(linalg.vecdot(on_device(x), on_device(y), axis=0), N.vecdot(x, y, axis=0))
    stack = random((2, 4, 5), "float64")
    close(linalg.trace(on_device(stack), offset=1), N.trace(stack, offset=1))
    close(linalg.diagonal(on_device(stack), offset=-1), N.diagonal(stack, offset=-1))
    close(linalg.tensordot(on_device(a), on_device(b), axes=1), N.tensordot(a, b, axes=1))
    tensor, right = random((4, 6, 8, 3), "float64"), random((4, 6), "float64")
    close(linalg.tensorsolve(on_device(tensor), on_device(right)), N.tensorsolve(tensor, right))
    close(linalg.tensorinv(on_device(tensor)), N.tensorinv(tensor))


def triangles(n, dtype, lower, unit):
    a = random((2, n, n), dtype) / n + 2 * np.eye(n, dtype=dtype)
    read = np.tril(a) if lower else np.triu(a)
    return a, read - read * np.eye(n) + np.eye(n) if unit else read


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("trans", [0, "T", 2])
@pytest.mark.parametrize(("lower", "unit"), [(False, False), (True, False), (True, True)])
def test_triangular_systems(device, n, dtype, trans, lower, unit):
    a, read = triangles(n, dtype, lower, unit)
    b = random((2, n, 3), dtype)
    matrix = read if trans == 0 else read.swapaxes(1, 2) if trans == "T" else adjoint(read)
    got = linalg.solve_triangular(on_device(a), on_device(b), trans, lower, unit)
    close(got, N.solve(matrix, b))
    one = linalg.solve_triangular(on_device(a[0]), on_device(b[0, :, 0]), trans, lower, unit)
    close(one, N.solve(matrix[0], b[0, :, 0]))


@pytest.mark.parametrize("n", [1, 5, 40])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_factors_that_are_kept(device, n, dtype):
    a, b = with_condition(2, n, dtype, 10), random((2, n, 3), dtype)
    factors = linalg.lu_factor(on_device(a))
    assert factors[1].dtype == "int32"
    for trans, matrix in ((0, a), (1, a.swapaxes(1, 2)), (2, adjoint(a))):
        close(linalg.lu_solve(factors, on_device(b), trans), N.solve(matrix, b))
    p, lower, upper = (x.get() for x in linalg.lu(on_device(a)))
    close(p.astype(dtype) @ lower @ upper, a)
    permuted, upper = (x.get() for x in linalg.lu(on_device(a), permute_l=True))
    close(permuted @ upper, a)
    order, lower, upper = (x.get() for x in linalg.lu(on_device(a), p_indices=True))
    close(np.take_along_axis(lower, order[..., None], -2) @ upper, a)
    h = definite(2, n, dtype, 10)
    for side in (False, True):
        factor = linalg.cho_factor(on_device(h), side)
        close(linalg.cho_solve(factor, on_device(b)), N.solve(h, b))


@pytest.mark.parametrize("scale", [0.1, 3.0, 20.0])
def test_exponentials(device, scale):
    a = definite(2, 5, "complex128", 10) * scale
    values, vectors = N.eigh(a)
    expected = vectors * np.exp(values)[:, None, :] @ adjoint(vectors)
    close(linalg.expm(on_device(a)) * np.exp(-scale), expected * np.exp(-scale))
    nilpotent = np.array([[0.0, 1.0], [0.0, 0.0]])
    close(linalg.expm(on_device(nilpotent)), [[1, 1], [0, 1]])


def test_polynomials(device):
    p = random((6,), "float64")
    padded = np.concatenate([[0, 0], p, [0]])
    got = gpuarray.roots(on_device(padded)).get()
    close(np.sort_complex(got), np.sort_complex(np.roots(padded).astype("complex128")))
    close(gpuarray.poly(on_device(p)), np.poly(p))
    x, y = np.linspace(0, 1, 20), random((20, 2), "float64")
    close(gpuarray.polyfit(on_device(x), on_device(y), 3), np.polyfit(x, y, 3), 1e-6)
    for cov in (True, "unscaled"):
        got = gpuarray.polyfit(on_device(x), on_device(y[:, 0]), 2, cov=cov, w=on_device(x + 1))
        expected = np.polyfit(x, y[:, 0], 2, cov=cov, w=x + 1)
        for one, wanted in zip(got, expected, strict=True):
            close(one, wanted, 1e-6)
    for one, wanted in zip(
        gpuarray.polydiv(on_device(p), on_device(p[:3])), np.polydiv(p, p[:3]), strict=True
    ):
        close(one, wanted)


@pytest.mark.parametrize(
    "p", [[1, -3, 2], [1, 0, 1], [0, 2, 0, 0], [0, 0], [1, 0, 0, -1, 0], [1j, 2]]
)
def test_roots_are_real_if_all_are(device, p):
    got, expected = gpuarray.roots(on_device(np.array(p))), np.roots(p)
    assert got.dtype == expected.dtype
    close(np.sort_complex(got.get()), np.sort_complex(expected))


def test_polynomials_of_conjugate_roots_are_real(device):
    for a in (np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])):
        got = gpuarray.poly(on_device(a))
        assert got.dtype == "float64"
        close(got, np.poly(a))
    pair = np.array([1 + 1j, 1 - 1j])
    got = gpuarray.poly(on_device(pair))
    assert got.dtype == ("float64" if device == "cpu" else "complex128")
    close(got, np.poly(pair))


def test_numpys_functions_call_ours(device):
    a = definite(2, 4, "float64", 10)
    given = on_device(a)
    for name in ("inv", "det", "cholesky", "eigvalsh", "pinv", "norm", "svdvals", "trace"):
        got = getattr(N, name)(given)
        assert isinstance(got, gpuarray.GPUArray)
        close(got, getattr(N, name)(a))
    close(N.multi_dot([given[0], given[1]]), a[0] @ a[1])
    assert isinstance(N.eigh(given), linalg.EighResult)
    assert isinstance(
        np.polyfit(on_device(np.arange(5.0)), on_device(np.arange(5.0)), 1), type(given)
    )


def test_streams(device):
    a = on_device(definite(1, 40, "float64", 10)[0])
    stream = gpuarray.Stream(device)
    inverse = linalg.inv(a, stream=stream)
    close(inverse @ a, np.eye(40))
