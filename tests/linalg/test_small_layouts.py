# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The kernels of small matrices on any strides and batches: the results of copies, to the bit."""

import numpy as np
import pytest
from _support.compare import assert_same
from linalg.matrices import definite, random

import gpuarray
from gpuarray import _core
from gpuarray.linalg import LinAlgError

pytestmark = pytest.mark.cuda

OPERATIONS = {
    "solve": lambda a: (_core._small_solve(a, a),),
    "inv": lambda a: (_core._small_inv(a),),
    "slogdet": _core._small_slogdet,
    "cholesky": lambda a: (_core._small_cholesky(a, False),),
    "cholesky upper": lambda a: (_core._small_cholesky(a, True),),
    "qr": lambda a: _core._small_qr(a, "reduced"),
    "eigh": lambda a: _core._small_eigh(a, False, True),
    "eigh upper": lambda a: _core._small_eigh(a, True, True),
    "svd": lambda a: _core._small_svd(a, True, True),
}


def layouts(a):
    """Yield the matrices (6, n, n) in arrays of other strides."""
    n = a.shape[-1]
    yield "columns", a.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    yield "batch last", gpuarray.moveaxis(gpuarray.moveaxis(a, 0, -1).copy(), -1, 0)
    yield "backwards", a[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1]
    wide = gpuarray.zeros((12, n + 2, 2 * n), dtype=a.dtype)
    wide[::2, 1:-1, ::2] = a
    yield "steps", wide[::2, 1:-1, ::2]
    yield "two axes", a.reshape(2, 3, n, n)
    yield "turned batch", a.reshape(2, 3, n, n).swapaxes(0, 1).copy().swapaxes(0, 1)


@pytest.mark.parametrize("name", OPERATIONS)
def test_any_strides(cuda, name):
    for n, dtype in ((3, "float32"), (6, "complex128")):
        a = gpuarray.to_device(definite(6, n, dtype, 10))
        expected = [part.get() for part in OPERATIONS[name](a)]
        for layout, other in layouts(a):
            for part, wanted in zip(OPERATIONS[name](other), expected, strict=True):
                assert part.shape[: other.ndim - 2] == other.shape[:-2]
                assert_same(part.get().reshape(wanted.shape), wanted, what=f"{layout}, {n}")


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 300])
def test_every_matrix_of_a_batch(cuda, count):
    """Batches that end within a block, or a little behind one."""
    for n in (2, 7):
        a = definite(count, n, "float64", 10)
        inverse = _core._small_inv(gpuarray.to_device(a)).get()
        np.testing.assert_allclose(inverse @ a, np.broadcast_to(np.eye(n), a.shape), atol=1e-12)
        values, _ = _core._small_eigh(gpuarray.to_device(a), False, False)
        np.testing.assert_allclose(values.get(), np.linalg.eigvalsh(a), atol=1e-13)


def test_a_matrix_that_is_broadcast(cuda):
    for n in (4, 9):
        one = gpuarray.to_device(definite(1, n, "float32", 10))
        all_of_one = gpuarray.broadcast_to(one, (5, n, n))
        expected = _core._small_inv(one).get()
        assert_same(_core._small_inv(all_of_one).get(), np.repeat(expected, 5, axis=0))


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9, 32, 33, 64, 100])
def test_right_hand_sides_of_any_number(cuda, k):
    """The batches of both operands broadcast, and columns lie as they like."""
    for n in (1, 3, 5):
        a, b = definite(2, n, "float64", 10)[:, None], random((3, n, k), "float64")
        expected = np.linalg.solve(a, b)
        left, right = gpuarray.to_device(a), gpuarray.to_device(b)
        turned = right.swapaxes(-1, -2).copy().swapaxes(-1, -2)
        for columns in (right, turned):
            got = _core._small_solve(left, columns)
            assert got.shape == (2, 3, n, k)
            np.testing.assert_allclose(got.get(), expected, rtol=1e-11, atol=1e-12)
        assert _core._small_solve(left, right[:, :, :0]).shape == (2, 3, n, 0)


def test_errors_of_many_right_hand_sides_name_the_matrix(cuda):
    for n in (3, 5):
        a = np.broadcast_to(np.eye(n), (2, 2, n, n)).copy()
        a[1, 0] = 0
        x = _core._small_solve(gpuarray.to_device(a), gpuarray.ones((n, 70)))
        with pytest.raises(LinAlgError, match=r"^solve: matrix \(1, 0\) of the batch is singular$"):
            gpuarray.synchronize()
        wrong = np.isnan(x.get()).all(axis=(-2, -1))
        assert wrong.tolist() == [[False, False], [True, False]]


def test_an_empty_batch(cuda):
    a = gpuarray.zeros((0, 3, 3), dtype="float32")
    assert _core._small_inv(a).shape == (0, 3, 3)
    assert _core._small_det(a).shape == (0,)
    u, values, vh = _core._small_svd(gpuarray.zeros((0, 5, 3)), True, True)
    assert (u.shape, values.shape, vh.shape) == ((0, 5, 5), (0, 3), (0, 3, 3))
