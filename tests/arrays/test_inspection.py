# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What is told without looking at elements, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import check

import gpuarray

ASKED = ["shape", "ndim", "size", "iscomplexobj", "isrealobj", "isscalar", "iterable", "isfortran"]


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("host", [np.ones((2, 3)), np.ones((2, 3), "c8").T, np.ones(())], ids=str)
def test_arrays(device, name, host):
    check(lambda xp, a: getattr(xp, name)(a), host)


@pytest.mark.parametrize("name", ASKED[:-1])
@pytest.mark.parametrize("scalar", [1, 2.5, 1j, np.float32(3), "text", (1, 2)], ids=repr)
def test_scalars(name, scalar):
    assert getattr(gpuarray, name)(scalar) == getattr(np, name)(scalar)


def test_size_along_axes(device):
    check(lambda xp, a: (xp.size(a, 1), xp.size(a, -2), xp.size(a, (0, 1))), np.ones((2, 3)))


def test_isfortran_takes_arrays(device):
    with pytest.raises(TypeError, match="isfortran: expected a GPUArray"):
        gpuarray.isfortran(np.ones(2))


PARTS = [
    (np.s_[:], np.s_[:]),
    (np.s_[::2], np.s_[1::2]),
    (np.s_[::2], np.s_[::3]),
    (np.s_[:2], np.s_[2:]),
    (np.s_[:3], np.s_[2:]),
    (np.s_[:0], np.s_[:]),
    (np.s_[::-1, 1], np.s_[:, 0]),
    (np.s_[:, ::2], np.s_[1:, 2]),
]


@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_memory_in_common(device, parts):
    one, other = parts
    for name in ("shares_memory", "may_share_memory"):
        check(lambda xp, a, n=name: getattr(xp, n)(a[one], a[other]), np.ones((6, 4), np.int16))


def test_copies_have_no_memory_in_common(device):
    x = gpuarray.ones(3)
    assert not gpuarray.shares_memory(x, x.copy())
    assert gpuarray.shares_memory(x, x.view("uint8")[3:4])
    assert np.shares_memory(x, x.T)
    host = np.ones(3)
    assert not np.shares_memory(host, x)
    if device == "cpu":
        assert gpuarray.may_share_memory(np.asarray(x), x)
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.shares_memory(x, [1, 2])
