# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Methods of arrays that are functions with the array first, against NumPy's methods."""

import numpy as np
import pytest
from _support.numpy_names import check, values

import gpuarray

CALLS = {
    "argpartition": lambda a, b: a.argpartition(2, axis=0).shape,
    "argsort": lambda a, b: a.argsort(0, stable=True),
    "choose": lambda a, b: (a > 0).astype("int64").choose([a, b]),
    "compress": lambda a, b: a.compress(b[0] > 0, axis=1),
    "diagonal": lambda a, b: a.diagonal(1),
    "nonzero": lambda a, b: a.nonzero(),
    "repeat": lambda a, b: a.repeat(2, axis=0),
    "round": lambda a, b: a.round(1),
    "searchsorted": lambda a, b: a[0].cumsum().searchsorted(b, side="right"),
    "take": lambda a, b: a.take([2, 0], axis=1),
    "trace": lambda a, b: a.trace(offset=-1),
}


@pytest.mark.parametrize("name", CALLS)
def test_methods(device, name):
    hosts = np.abs(values("float64", (3, 4))), values("float64", (3, 4), 1)
    check(lambda xp, a, b: CALLS[name](a, b), *hosts)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("view", [np.s_[:], np.s_[::-1, ::2]], ids=str)
def test_sort_in_place(device, axis, view):
    host = values("float64", (5, 6))
    x = gpuarray.to_device(host)
    assert x[view].sort(axis) is None
    host[view].sort(axis)
    np.testing.assert_array_equal(x.get(), host)
    x[view].sort(axis, descending=True)
    np.testing.assert_array_equal(x[view].get(), np.flip(np.sort(host[view], axis), axis))


def test_partition_and_put_in_place(device):
    host = values("float64", (7,))
    x = gpuarray.to_device(host)
    assert x.partition(3) is None
    assert x[3].item() == np.sort(host)[3]
    assert x.put([0, -1], [5, 6]) is None
    assert (x[0].item(), x[-1].item()) == (5, 6)


def test_in_place_methods_refuse(device):
    x = gpuarray.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        x.sort(2)
    with pytest.raises(TypeError):
        x.sort(None)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.sort()


def test_methods_take_streams(device):
    x = gpuarray.arange(5)[::-1].copy()
    stream = gpuarray.Stream()
    x.sort(stream=stream)
    assert x.round(stream=stream).get(stream=stream).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match="stream: expected a Stream"):
        x.sort(stream="fast")
