# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Exponentials of matrices, each as if it were alone, and those of triangular matrices."""

import numpy as np
import pytest
from linalg.matrices import random

import gpuarray
from gpuarray import linalg


def exponential(a):
    return linalg.expm(gpuarray.to_device(np.asarray(a, getattr(a, "dtype", "float64")))).get()


@pytest.mark.parametrize("big", [1e4, 1e17, 1e200, np.nan, np.inf])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_neighbours_do_not_matter(device, big, dtype):
    a = random((3, 3, 3), dtype)
    alone = exponential(a[1])
    a[2] *= big
    np.testing.assert_allclose(exponential(a)[1], alone, 1e-13)


def test_what_is_not_finite_is_nan(device):
    a = np.stack([np.eye(2), np.full((2, 2), np.nan), np.diag([1, np.inf])])
    got = exponential(a)
    np.testing.assert_allclose(got[0], np.eye(2) * np.e, 1e-14)
    assert np.isnan(got[1:]).all()
    gpuarray.synchronize(device)


TRIANGULAR = {
    "far above": ([[0, 1e200], [0, 0]], [[1, 1e200], [0, 1]]),
    "far below": ([[0, 0], [1e200, 0]], [[1, 0], [1e200, 1]]),
    "diagonal": ([[1e5, 0], [0, -1e5]], [[np.inf, 0], [0, 0]]),
    "above": ([[1, 1e6], [0, -1]], [[np.e, 1e6 * np.sinh(1)], [0, 1 / np.e]]),
    "of equal numbers": ([[1, 1e6], [0, 1]], [[np.e, 1e6 * np.e], [0, np.e]]),
    "apart": ([[300, 1], [0, -300]], [[np.exp(300), np.exp(300) / 600], [0, np.exp(-300)]]),
}


@pytest.mark.parametrize("case", TRIANGULAR)
def test_triangular_matrices(device, case):
    a, expected = TRIANGULAR[case]
    np.testing.assert_allclose(exponential(a), expected, 1e-14)
    stack = np.stack([np.array(a, "float64"), random((2, 2), "float64"), np.zeros((2, 2))])
    got = exponential(stack)
    np.testing.assert_allclose(got[0], expected, 1e-14)
    np.testing.assert_allclose(got[2], np.eye(2), 1e-14)


def test_larger_triangles(device):
    a = np.triu(random((6, 6), "complex128")) * 20
    values, vectors = np.linalg.eig(a)
    expected = vectors * np.exp(values) @ np.linalg.inv(vectors)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(exponential(a) / scale, expected / scale, atol=1e-9)
