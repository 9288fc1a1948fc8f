# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's names of the main namespace, and views with other strides."""

import numpy as np
import pytest

import gpuarray
import gpuarray as cp


def test_ndarray_is_the_type(device):
    assert cp.ndarray is gpuarray.GPUArray
    assert isinstance(cp.zeros(3), cp.ndarray)
    assert not isinstance(np.zeros(3), cp.ndarray)
    assert cp.ndarray((2, 3), np.float32).shape == (2, 3)


def test_array_modules(device):
    a, host = cp.zeros(3), np.zeros(3)
    assert cp.get_array_module(a) is gpuarray
    assert cp.get_array_module(host, a) is gpuarray
    assert cp.get_array_module(host) is cp.get_array_module() is cp.get_array_module(3) is np


def test_asnumpy_takes_both(device):
    assert cp.asnumpy(cp.arange(3)).tolist() == [0, 1, 2]
    assert cp.asnumpy([0, 1]).tolist() == [0, 1]


def test_memoize(device):
    calls = []

    @cp.memoize()
    def twice(x, y=0):
        """Double it."""
        calls.append(x)
        return 2 * x + y

    assert [twice(1), twice(1), twice(1, y=1), twice(2)] == [2, 2, 3, 4]
    assert calls == [1, 1, 2]
    assert (twice.__name__, twice.__doc__) == ("twice", "Double it.")
    cp.clear_memo()
    assert twice(2) == 4
    assert calls == [1, 1, 2, 2]
    with pytest.raises(TypeError, match=r"write @gpuarray.memoize\(\)"):
        cp.memoize(len)


def test_memoize_for_each_device():
    calls = []

    @cp.memoize(for_each_device=True)
    def name():
        calls.append(gpuarray.default_device())
        return str(gpuarray.default_device())

    for device in gpuarray.devices() * 2:
        with device:
            assert name() == str(device)
    assert calls == list(gpuarray.devices())


def test_fuse_as_cupy_spells_it(device):
    @cp.fuse
    def one(x, y):
        return x * y + 1

    @cp.fuse(kernel_name="two")
    def two(x):
        return cp.sqrt(x)

    x = cp.arange(4.0)
    assert one(x, x).get().tolist() == [1, 2, 5, 10]
    np.testing.assert_array_equal(two(x).get(), np.sqrt(np.arange(4.0)))


@pytest.mark.parametrize("as_strided", [cp.as_strided, cp.lib.stride_tricks.as_strided])
def test_as_strided(device, as_strided):
    host = np.arange(6.0)
    a = cp.to_device(host)
    for shape, strides in (((4, 3), (8, 8)), ((3,), (16,)), ((2, 2), (0, 8)), (None, None)):
        expected = np.lib.stride_tricks.as_strided(host, shape, strides)
        np.testing.assert_array_equal(as_strided(a, shape, strides).get(), expected)
    view = as_strided(a[5:], (3,), (-16,))
    assert view.get().tolist() == [5, 3, 1]
    view[...] = 0
    assert a.get().tolist() == [0, 0, 2, 0, 4, 0]
    assert not as_strided(a, (2,), (8,), writeable=False).flags.writeable


def test_as_strided_stays_in_the_memory(device):
    a = cp.arange(6.0)
    for shape, strides in (((7,), (8,)), ((2,), (-8,)), ((2, 4), (24, 8))):
        with pytest.raises(ValueError, match="as_strided"):
            cp.as_strided(a, shape, strides)
    with pytest.raises(ValueError, match="stride for each of 2 axes, got 1"):
        cp.as_strided(a, (2, 2), (8,))
    with pytest.raises(ValueError):
        cp.as_strided(a, (2,), (4,))
    with pytest.raises(TypeError, match="expected a GPUArray"):
        cp.as_strided(np.ones(3), (2,), (8,))


def test_stride_tricks_are_those_of_numpy():
    for name in cp.lib.stride_tricks.__all__:
        assert hasattr(np.lib.stride_tricks, name) or hasattr(np, name)
        assert getattr(cp.lib.stride_tricks, name) is getattr(gpuarray, name)
