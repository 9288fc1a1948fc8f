# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The factors of small matrices: rectangles, ranks, scales, and what is refused."""

import numpy as np
import pytest
from linalg.matrices import adjoint, assert_orthonormal, assert_small, norms, random, wide

import gpuarray
from gpuarray import _core
from gpuarray.linalg import LinAlgError

pytestmark = pytest.mark.cuda

SHAPES = [(1, 1), (3, 2), (2, 3), (4, 1), (1, 4), (5, 5), (7, 3), (3, 8), (20, 4), (9, 32), (32, 6)]


def assert_svd(a, full):
    """Check all that a singular value decomposition promises."""
    (m, n), least = a.shape[-2:], min(a.shape[-2:])
    u, values, vh = _core._small_svd(gpuarray.to_device(a), full, True)
    size, dtype = max(m, n), a.dtype
    assert u.shape[-1] == (m if full else least) and vh.shape[-2] == (n if full else least)
    assert_orthonormal(u, size, dtype)
    assert_orthonormal(adjoint(vh.get()), size, dtype)
    made = wide(u)[..., :least] * wide(values)[..., None, :] @ wide(vh)[..., :least, :]
    assert_small(made - wide(a), norms(a), size, dtype)
    assert (np.diff(values.get()) <= 0).all() and (values.get() >= 0).all()
    alone = _core._small_svd(gpuarray.to_device(a), full, False)
    assert alone[0] is None and alone[2] is None
    assert (alone[1].get() == values.get()).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_svd_of_rectangles(cuda, shape):
    for dtype in ("float32", "complex128"):
        a = random((3, *shape), dtype)
        for full in (False, True):
            assert_svd(a, full)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 12, 16, 32])
def test_svd_of_any_rank(cuda, n):
    """Vectors without a singular value complete a basis."""
    one = random((2, n, 1), "float64")
    few = np.zeros((2, n, n))
    few[:, 0, n - 1] = 3
    half = random((20, n, n), "float64")
    half[:, n // 2 :] = 0
    twice = np.sign(half)
    twice[:, n // 2 :] = twice[:, : n - n // 2]
    others = (half, twice, random((20, n, n), "complex128") * (half != 0))
    one_rank = (np.zeros((2, n, n)), one @ adjoint(one), few, np.ones((2, n, n)), np.eye(n)[None])
    for a in one_rank + others:
        assert_svd(a, True)
        assert_svd(a.astype("complex64" if a.dtype.kind == "c" else "float32"), True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_qr_of_rectangles(cuda, shape):
    for dtype in ("float64", "complex64"):
        a, size = random((3, *shape), dtype), max(shape)
        for mode in ("reduced", "complete"):
            q, r = _core._small_qr(gpuarray.to_device(a), mode)
            assert q.shape[-1] == (shape[0] if mode == "complete" else min(shape))
            assert_orthonormal(q, size, dtype)
            assert_small(wide(q) @ wide(r) - wide(a), norms(a), size, dtype)
            assert not np.tril(r.get(), -1).any()
        q, r = _core._small_qr(gpuarray.to_device(a), "r")
        assert q is None and r.shape == (3, min(shape), shape[1])
        h, tau = _core._small_qr(gpuarray.to_device(a), "raw")
        for got, expected in zip(
            (h.get()[0].T, tau.get()[0]), np.linalg.qr(a[0], "raw"), strict=True
        ):
            np.testing.assert_allclose(got, expected, atol=2e-4)


@pytest.mark.parametrize("n", [2, 3, 4, 7])
@pytest.mark.parametrize("scale", [1e-35, 1e35])
def test_no_factor_overflows(cuda, n, scale):
    a = random((2, n, n), "float64")
    small = (a * scale).astype("float32")
    q, r = _core._small_qr(gpuarray.to_device(small), "reduced")
    made = q.get().astype("float64") @ r.get().astype("float64")
    np.testing.assert_allclose(made / scale, a, atol=1e-4)
    values = _core._small_svd(gpuarray.to_device(small), False, False)[1].get()
    np.testing.assert_allclose(values / scale, np.linalg.svd(a)[1], atol=1e-4)
    hermitian = ((a + adjoint(a)) * scale).astype("float32")
    values = _core._small_eigh(gpuarray.to_device(hermitian), False, False)[0].get()
    np.testing.assert_allclose(values / scale, np.linalg.eigvalsh(a + adjoint(a)), atol=1e-4)


def test_determinants_whose_products_overflow(cuda):
    for n in (4, 6):
        diagonal = np.full(n, 1e30)
        diagonal[n // 2 :] = -1e-30
        a = gpuarray.to_device(np.diag(diagonal).astype("float32"))
        assert _core._small_det(a).item() == pytest.approx((-1) ** (n - n // 2), rel=1e-4)
        huge = gpuarray.to_device(np.diag(np.full(n, 1e30)).astype("float32"))
        sign, logarithm = _core._small_slogdet(huge)
        assert sign.item() == 1 and logarithm.item() == pytest.approx(n * np.log(1e30), rel=1e-6)
        assert np.isinf(_core._small_det(huge).item())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8])
def test_exact_results_stay_exact(cuda, n):
    a = np.diag(np.arange(n, 0, -1.0))
    values, vectors = _core._small_eigh(gpuarray.to_device(a), False, True)
    assert (values.get() == np.arange(1.0, n + 1)).all()
    assert (abs(vectors.get()) == np.eye(n)[::-1]).all()
    assert _core._small_det(gpuarray.to_device(a)).item() == np.prod(np.arange(1.0, n + 1))
    assert (_core._small_inv(gpuarray.to_device(np.eye(n) * 4)).get() == np.eye(n) / 4).all()


@pytest.mark.parametrize("n", [3, 6])
def test_only_one_triangle_is_read(cuda, n):
    a = random((2, n, n), "complex128")
    a = a @ adjoint(a)
    for upper in (False, True):
        half = np.triu(a) if upper else np.tril(a)
        half[:, *np.tril_indices(n, -1)[:: -1 if not upper else 1]] = np.nan
        got = gpuarray.to_device(half)
        factor = _core._small_cholesky(got, upper).get()
        made = adjoint(factor) @ factor if upper else factor @ adjoint(factor)
        np.testing.assert_allclose(made, a, atol=1e-12)
        values, vectors = (part.get() for part in _core._small_eigh(got, upper, True))
        np.testing.assert_allclose(a @ vectors, vectors * values[:, None, :], atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 9])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_has_no_spectrum(cuda, n, bad):
    """As with LAPACK, it is no error of eigh up to two rows, and one row is its eigenvalue."""
    a = np.broadcast_to(np.eye(n), (2, 3, n, n)).copy()
    a[1, 1, n - 1, 0] = bad
    for name, call, fewest in (
        ("eigh", lambda x: _core._small_eigh(x, False, True), 3),
        ("svd", lambda x: _core._small_svd(x, True, True), 1),
    ):
        found = call(gpuarray.to_device(a))
        if n >= fewest:
            message = rf"^{name}: matrix \(1, 1\) of the batch contains infs or NaNs$"
            with pytest.raises(LinAlgError, match=message):
                gpuarray.synchronize()
        gpuarray.synchronize()
        got = [part.get() for part in found]
        for part in got:
            assert np.isfinite(np.delete(part.reshape(6, -1), 4, axis=0)).all()
        if (name, n) == ("eigh", 1):
            np.testing.assert_array_equal([part[1, 1].item() for part in got], [bad, 1])
        else:
            assert all(np.isnan(part[1, 1]).all() for part in got)


def test_what_is_refused(cuda):
    assert _core._has_small_matrices(gpuarray.zeros((2, 32, 1)))
    for shape in ((33, 33), (2, 33, 3), (0, 3), (3,)):
        a = gpuarray.zeros(shape)
        assert not _core._has_small_matrices(a)
        with pytest.raises(ValueError, match="1 to 32 rows and columns"):
            _core._small_svd(a, True, True)
    with pytest.raises(ValueError, match="square"):
        _core._small_inv(gpuarray.zeros((3, 2)))
    with pytest.raises(ValueError, match="number of rows"):
        _core._small_solve(gpuarray.zeros((3, 3)), gpuarray.zeros((2, 3)))
    with pytest.raises(TypeError, match="float16 is unsupported in linalg"):
        _core._small_inv(gpuarray.zeros((3, 3), dtype="float16"))
    with pytest.raises(TypeError, match="one dtype"):
        _core._small_solve(gpuarray.zeros((3, 3)), gpuarray.zeros((3, 3), dtype="float32"))
    with pytest.raises(gpuarray.DeviceError, match="CUDA"):
        _core._small_inv(gpuarray.zeros((3, 3), device="cpu"))
