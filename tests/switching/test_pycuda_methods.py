# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Methods of arrays that have PyCUDA's names and arguments."""

import ctypes

import numpy as np
import pytest

import gpuarray
from gpuarray.pycuda import driver as cuda


@pytest.fixture
def x(device):
    return gpuarray.arange(6, dtype="float32").reshape(2, 3)


def test_get_takes_pycudas_arguments(device, x):
    expected = np.arange(6, dtype=np.float32).reshape(2, 3)
    target = np.empty((2, 3), np.float32)
    assert x.get(target) is target and x.get(ary=target, stream=None) is target
    assert x.get(ary=target, pagelocked=True) is target
    np.testing.assert_array_equal(target, expected)
    np.testing.assert_array_equal(x.get(pagelocked=True), expected)
    np.testing.assert_array_equal(x.get(pagelocked=False, async_=False), expected)
    assert x.get(order="F", pagelocked=True).flags.f_contiguous
    with pytest.raises(ValueError, match="order"):
        x.get(order="X", async_=True)
    with pytest.raises(TypeError, match="both"):
        x.get(out=target, ary=target)
    with pytest.raises(TypeError):
        x.get(None, "C", None, True, target)


def test_get_that_does_not_wait(device, x):
    stream = gpuarray.Stream()
    target = cuda.pagelocked_zeros((2, 3), np.float32)
    found = [
        x.get(target, async_=True, stream=stream),
        x.get(async_=True, stream=stream),
        x.get_async(stream),
        x.get_async(stream=stream, ary=np.empty((2, 3), np.float32)),
    ]
    assert found[0] is target
    stream.synchronize()
    for one in found:
        assert isinstance(one, np.ndarray)
        np.testing.assert_array_equal(one, x.get())


def test_set_that_does_not_wait(device, x):
    stream = gpuarray.Stream()
    source = cuda.pagelocked_zeros((2, 3), np.float32)
    source[:] = 7
    assert x.set(source, async_=True, stream=stream) is None
    stream.synchronize()
    assert x.get().tolist() == [[7] * 3] * 2
    source[:] = 8
    assert x.set_async(source, stream) is None
    stream.synchronize()
    assert x.get().tolist() == [[8] * 3] * 2
    assert x.set(source + 1, async_=False) is None
    assert x.get().tolist() == [[9] * 3] * 2


def test_mul_add(device, x):
    y = x + 10
    stream = gpuarray.Stream()
    expected = 2 * x.get() + 3 * y.get()
    made = x.mul_add(2, y, np.float64(3), stream=stream)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made.get(), expected)
    out = gpuarray.empty_like(x)
    assert x.mul_add(2, y, 3, out=out) is out
    np.testing.assert_array_equal(out.get(), expected)
    with pytest.raises(ValueError, match="add_timer"):
        x.mul_add(2, y, 3, add_timer=print)


def test_reverse(device, x):
    reverse = x.reverse(gpuarray.Stream())
    assert reverse.get().tolist() == [5, 4, 3, 2, 1, 0]
    reverse.fill(9)
    assert x.get()[0, 0] == 0


def test_gpudata(device, x):
    assert x.gpudata == x.ptr and ctypes.c_void_p(x.gpudata).value == x.ptr
    x.gpudata.free()
    assert x.get()[1, 2] == 5


def test_mem_size(device, x):
    assert x.mem_size == x.size == 6
