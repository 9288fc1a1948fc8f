# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Indices of diagonals and triangles, mgrid, ogrid and rollaxis, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import check, values

import gpuarray


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
@pytest.mark.parametrize("k", [-2, 0, 1, 7])
@pytest.mark.parametrize(("n", "m"), [(4, None), (3, 5), (5, 3), (0, 2)])
def test_triangles(device, name, k, n, m):
    check(lambda xp: getattr(xp, name)(n, k, m))
    if m is not None:
        check(lambda xp, a: getattr(xp, name + "_from")(a, k), values("int32", (n, m)))


def test_diagonals(device):
    check(lambda xp: xp.diag_indices(4))
    check(lambda xp: xp.diag_indices(3, 4))
    check(lambda xp, a: xp.diag_indices_from(a), values("int32", (3, 3, 3)))
    x = gpuarray.zeros((3, 3))
    x[gpuarray.diag_indices(3)] = 1
    np.testing.assert_array_equal(x.get(), np.eye(3))


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_masks_of_functions(device, k):
    check(lambda xp: xp.mask_indices(4, xp.triu, k))


def test_refuses(device):
    x = gpuarray.ones((2, 3))
    with pytest.raises(ValueError, match="equal length"):
        gpuarray.diag_indices_from(x)
    for call in (gpuarray.tril_indices_from, gpuarray.triu_indices_from):
        with pytest.raises(ValueError, match="2-d"):
            call(x[0])


@pytest.mark.parametrize(
    "key",
    [np.s_[0:5], np.s_[-1:1:5j], np.s_[0:3, 1:5], np.s_[:2, 0:1:3j, 4:0:-2], np.s_[0:0, 0:3]],
    ids=str,
)
def test_grids(device, key):
    for name in ("mgrid", "ogrid"):
        check(lambda xp, name=name: getattr(xp, name)[key])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("start", [0, 1, 3, -1])
def test_rollaxis(device, axis, start):
    check(lambda xp, a: xp.rollaxis(a, axis, start), values("float32", (2, 3, 4)))
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.rollaxis(gpuarray.ones((2, 3)), axis, 5)


@pytest.mark.parametrize("number", [300, -1, 2**70])
def test_numbers_that_no_element_holds_are_refused_for_no_elements_too(device, number):
    x, none = gpuarray.zeros(3, "uint8"), np.array([], int)
    for write in (
        lambda: x.__setitem__([], number),
        lambda: x.__setitem__(none, number),
        lambda: x.__setitem__(np.zeros(3, bool), number),
        lambda: x.__setitem__(slice(0, 0), number),
        lambda: gpuarray.put(x, none, number),
        lambda: gpuarray.put_along_axis(x, none, number, 0),
    ):
        with pytest.raises(OverflowError):
            write()
