# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Shapes, dtypes, layouts and refusals of gpuarray.linalg are those of numpy.linalg."""

import inspect

import numpy as np
import pytest
from _support.compare import host
from hypothesis import given
from hypothesis import strategies as st
from linalg.matrices import DTYPES, random

import gpuarray
from gpuarray import linalg
from gpuarray.linalg import LinAlgError

N = np.linalg


def on_device(a):
    return gpuarray.to_device(a)


def close(got, expected, dtype="float64"):
    got = host(got) if isinstance(got, gpuarray.GPUArray) else np.asarray(got)
    assert got.shape == np.shape(expected)
    bound = (
        1e-3 if np.dtype(dtype).itemsize in (4, 8) and dtype in ("float32", "complex64") else 1e-8
    )
    np.testing.assert_allclose(got, expected, rtol=bound, atol=bound)


def test_signatures_are_those_of_numpy():
    for name in linalg.__all__:
        theirs = getattr(N, name, None)
        if theirs is None or isinstance(theirs, type):
            continue
        parameters = dict(inspect.signature(getattr(linalg, name)).parameters)
        parameters.pop("stream", None)
        assert list(parameters) == list(inspect.signature(theirs).parameters), name


def test_all_names_of_numpy_are_here():
    theirs = {name for name in N.__all__ if not name.startswith("_")}
    assert not theirs - {*linalg.__all__}
    assert linalg.LinAlgError is N.LinAlgError


@pytest.mark.parametrize("dtype", ["int32", "bool", "uint8", "int64"])
def test_integers_are_as_float64(device, dtype):
    a = np.array([[2, 1], [0, 1]]).astype(dtype)
    for name in ("inv", "det", "svdvals", "eigvalsh"):
        got = getattr(linalg, name)(on_device(a))
        assert got.dtype == "float64"
        close(got, getattr(N, name)(a.astype("float64")))
    assert linalg.solve(on_device(a), on_device(a.astype("float32"))).dtype == "float64"
    assert (
        linalg.solve(on_device(np.eye(2, dtype="f4")), on_device(np.eye(2, dtype="F"))).dtype == "F"
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["solve", "inv", "det", "cholesky", "qr", "eigh", "svd", "eig"])
def test_floats_of_16_bits_are_refused(device, dtype, name):
    a = gpuarray.ones((2, 2), dtype)
    arguments = (a, a) if name == "solve" else (a,)
    with pytest.raises(TypeError, match=f"array type {dtype} is unsupported in linalg"):
        getattr(linalg, name)(*arguments)


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "eig", "solve"])
def test_matrices_that_are_not_square_are_refused_at_once(device, name):
    a = gpuarray.ones((2, 3))
    arguments = (a, a) if name == "solve" else (a,)
    with pytest.raises(LinAlgError, match="square"):
        getattr(linalg, name)(*arguments)
    with pytest.raises(LinAlgError, match="at least two-dimensional"):
        getattr(linalg, name)(*(x[0] for x in arguments))


def test_other_arguments_are_refused(device):
    a = gpuarray.ones((2, 2))
    with pytest.raises(TypeError, match="inv: expected a GPUArray"):
        linalg.inv(np.eye(2))
    assert linalg.inv([[4.0]]).get().tolist() == [[0.25]]
    with pytest.raises(ValueError, match="UPLO"):
        linalg.eigh(a, "X")
    with pytest.raises(ValueError, match="mode"):
        linalg.qr(a, "thin")
    with pytest.raises(ValueError, match="do not fit"):
        linalg.solve(a, gpuarray.ones(3))
    with pytest.raises(ValueError, match=r"be both set"):
        linalg.matrix_rank(a, 1.0, rtol=1.0)
    with pytest.raises(ValueError, match="norm order"):
        linalg.norm(a, "nothing")
    with pytest.raises(TypeError, match="exponent"):
        linalg.matrix_power(a, 1.5)


# Shapes of stacks, and of right sides of solve.
STACKS = [((), (4,)), ((), (4, 2)), ((3,), (4, 2)), ((3, 1), (2, 4, 2)), ((2,), (3, 2, 4, 1))]


@pytest.mark.parametrize(("batch", "right"), STACKS)
@pytest.mark.parametrize("n", [4, 40])
def test_solve_broadcasts(device, batch, right, n):
    shape = tuple(n if extent == 4 else extent for extent in right)
    a, b = random((*batch, n, n), "float64"), random(shape, "float64", 1)
    close(linalg.solve(on_device(a), on_device(b)), N.solve(a, b))


@pytest.mark.parametrize("n", [3, 35])
@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts(device, n, dtype):
    a = random((4, 2 * n, 2 * n), dtype)
    layouts = {
        "transposed": lambda x: x[:, :n, :n].swapaxes(1, 2),
        "steps": lambda x: x[::2, ::2, ::2],
        "backwards": lambda x: x[::-1, n - 1 :: -1, n - 1 :: -1],
        "first axis last": lambda x: x[:n, :n].transpose(1, 2, 0)[..., :1] * np.eye(n, dtype=dtype),
    }
    layouts.pop("first axis last")
    for view in layouts.values():
        given, expected = view(on_device(a)), view(a)
        close(linalg.inv(given), N.inv(expected), dtype)
        close(linalg.slogdet(given).logabsdet, N.slogdet(expected)[1], dtype)
        close(linalg.svdvals(given), N.svd(expected, compute_uv=False), dtype)
        q, r = linalg.qr(given)
        close(q @ r, expected, dtype)


def test_broadcast_stacks(device):
    for n in (3, 36):
        a = random((n, n), "float64")
        given = gpuarray.broadcast_to(on_device(a), (2, 3, n, n))
        close(linalg.inv(given), np.broadcast_to(N.inv(a), (2, 3, n, n)))
        close(linalg.det(given) / N.det(a), np.ones((2, 3)))


def test_one_triangle_is_read(device):
    for n in (4, 40):
        a = random((2, n, n), "complex128")
        hermitian = a @ np.conjugate(a.swapaxes(1, 2)) + np.eye(n)
        noise = random((2, n, n), "complex128", 5)
        lower = np.tril(hermitian) + np.triu(noise, 1)
        upper = np.triu(hermitian) + np.tril(noise, -1)
        expected = N.eigvalsh(hermitian)
        close(linalg.eigvalsh(on_device(lower)), expected)
        close(linalg.eigvalsh(on_device(upper), "U"), expected)
        close(linalg.eigh(on_device(upper), "u").eigenvalues, expected)
        factor = N.cholesky(hermitian)
        close(linalg.cholesky(on_device(lower)), factor)
        close(linalg.cholesky(on_device(upper), upper=True), np.conjugate(factor.swapaxes(1, 2)))


EMPTY = [(0, 0), (0, 3, 3), (2, 0, 0)]


@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "svd", "qr", "eig"])
def test_empty_matrices(device, shape, name):
    a = np.zeros(shape)
    got, expected = getattr(linalg, name)(on_device(a)), getattr(N, name)(a)
    if not isinstance(expected, tuple):
        got, expected = [got], [expected]
    for one, wanted in zip(got, expected, strict=True):
        assert one.shape == np.shape(wanted)
        np.testing.assert_array_equal(one.get(), wanted)


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (2, 3, 0)])
@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
def test_empty_factors(device, shape, mode):
    a = np.zeros(shape)
    got, expected = linalg.qr(on_device(a), mode), N.qr(a, mode)
    for one, wanted in zip(*([x] if mode == "r" else x for x in (got, expected)), strict=True):
        assert one.shape == wanted.shape
    for full in (True, False):
        u, s, vh = linalg.svd(on_device(a), full)
        assert [x.shape for x in (u, s, vh)] == [x.shape for x in N.svd(a, full)]


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 40, 36), (36, 40), (2, 50, 7)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_full_matrices(device, shape, dtype):
    a = random(shape, dtype)
    u, s, vh = (x.get() for x in linalg.svd(on_device(a)))
    assert [x.shape for x in (u, s, vh)] == [x.shape for x in N.svd(a)]
    least = min(shape[-2:])
    close(u[..., :least] * s[..., None, :] @ vh[..., :least, :], a)
    for q in (u, vh):
        close(q @ np.conjugate(q.swapaxes(-1, -2)), np.broadcast_to(np.eye(q.shape[-1]), q.shape))


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (40, 36), (2, 36, 40)])
def test_qr_is_lapacks(device, mode, shape):
    """Of LAPACK's reflectors there is but one choice."""
    a = random(shape, "float64")
    got, expected = linalg.qr(on_device(a), mode), N.qr(a, mode)
    for one, wanted in zip(*([x] if mode == "r" else x for x in (got, expected)), strict=True):
        close(one, wanted)


@given(
    shape=st.lists(st.integers(1, 3), min_size=0, max_size=3),
    n=st.integers(1, 6),
    k=st.integers(1, 3),
    seed=st.integers(0, 1000),
    dtype=st.sampled_from(DTYPES),
)
def test_stacks_are_numpys(device, shape, n, k, seed, dtype):
    a = random((*shape, n, n), dtype, seed) + n * np.eye(n, dtype=dtype)
    b = random((*shape, n, k), dtype, seed + 1)
    close(linalg.solve(on_device(a), on_device(b)), N.solve(a, b), dtype)
    close(linalg.inv(on_device(a)), N.inv(a), dtype)
    sign, logarithm = linalg.slogdet(on_device(a))
    close(sign, N.slogdet(a)[0], dtype), close(logarithm, N.slogdet(a)[1], dtype)
    close(linalg.svdvals(on_device(b)), N.svd(b, compute_uv=False), dtype)
