# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.cuda on two devices."""

import pytest

import gpuarray as cp
from gpuarray.cuda import Device, MemoryPointer, MemoryPool, Stream, runtime


def test_streams_and_arrays_are_of_the_current_device(two_cuda_devices):
    assert runtime.getDeviceCount() >= 2
    with Device(1):
        a = cp.arange(5)
        stream = Stream()
        assert stream.device_id == Stream.null.device_id == 1
        with stream:
            b = a + 1
    assert Device(0) != b.device == a.device == Device(1)
    assert Device(0) < Device(1)
    assert Stream.null.device_id == cp.cuda.get_device_id() == 0
    assert cp.cuda.get_current_stream(1).device_id == 1


def test_set_device(two_cuda_devices):
    with Device(0):
        runtime.setDevice(1)
        assert cp.zeros(3).device == Device(1)
        assert runtime.getDevice() == 1
    assert cp.zeros(3).device == Device(0)


def test_a_stream_in_use_is_that_of_its_device(two_cuda_devices):
    with Device(1):
        other = Stream()
    with Stream() as outer:
        own = Stream()
        other.use()
        own.use()
        assert cp.cuda.get_current_stream(0) == own
        assert cp.cuda.get_current_stream(1) == other
        Stream.null.use()
        assert cp.cuda.get_current_stream(0) == Stream.null
        assert cp.cuda.get_current_stream(1) == other
    assert cp.cuda.get_current_stream(1) != other
    assert cp.cuda.get_current_stream(0) != outer


def test_a_pool_has_memory_of_each_device(two_cuda_devices):
    pool = MemoryPool()
    try:
        cp.cuda.set_allocator(pool.malloc)
        with Device(1):
            a = cp.ones(100)
            assert pool.used_bytes() >= a.nbytes
            pool.set_limit(1 << 20)
        assert (pool.used_bytes(), pool.get_limit()) == (0, 0)
        place = cp.cuda.alloc(800)
        place.copy_from_device(MemoryPointer.of(a), 800)
        assert cp.from_pointer(place, 100, "float64").sum() == 100
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def test_memory_of_another_device_is_refused(two_cuda_devices):
    with Device(1):
        a = cp.ones(4)
        a.synchronize()
    with pytest.raises(cp.DeviceError, match="expected memory of cuda:0, got memory of cuda:1"):
        cp.from_pointer(a.ptr, 4, "float64", owner=a)
    assert cp.from_pointer(a.ptr, 4, "float64", owner=a, device=1).device == Device(1)
