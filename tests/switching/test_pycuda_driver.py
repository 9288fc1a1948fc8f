# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's driver module: devices, contexts, streams, events and memory."""

import threading

import numpy as np
import pytest
from _support.process import run_python

import gpuarray
import gpuarray.pycuda.driver as cuda
import gpuarray.pycuda.gpuarray as pycuda_arrays
from gpuarray.pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool


def test_nothing_is_imported_before_it_is_used():
    code = """
import sys
import gpuarray
print("gpuarray.pycuda" in sys.modules, gpuarray.pycuda.__name__)
import gpuarray.pycuda.driver, gpuarray.pycuda.compiler, gpuarray.pycuda.gpuarray
"""
    assert run_python(code, GPUARRAY_LIBCUDA="/nonexistent") == "False gpuarray.pycuda\n"


def test_devices(device):
    cuda.init()
    found = [str(one) for one in gpuarray.devices() if one.kind == "cuda"] or ["cpu"]
    assert cuda.Device.count() == len(found)
    first = cuda.Device(0)
    assert str(first.device) == found[0]
    assert first.name() == gpuarray.Device(found[0]).name
    assert first.total_memory() == gpuarray.Device(found[0]).total_memory
    assert first == cuda.Device(0) and hash(first) == hash(cuda.Device(0))
    with pytest.raises(ValueError, match=f"below {len(found)}, got {len(found)}"):
        cuda.Device(len(found))
    with pytest.raises(ValueError, match="flags must be 0"):
        cuda.init(1)
    free, total = cuda.mem_get_info()
    assert 0 < free <= total


@pytest.mark.cuda
def test_attributes(cuda):
    import gpuarray.pycuda.driver as driver

    device = driver.Device(0)
    attributes = device.get_attributes()
    kinds = driver.device_attribute
    assert attributes[kinds.WARP_SIZE] == 32 == device.get_attribute(kinds.WARP_SIZE)
    assert attributes[kinds.MULTIPROCESSOR_COUNT] == gpuarray.Device(cuda).multiprocessors
    capability = (
        attributes[kinds.COMPUTE_CAPABILITY_MAJOR],
        attributes[kinds.COMPUTE_CAPABILITY_MINOR],
    )
    assert device.compute_capability() == capability == gpuarray.Device(cuda).compute_capability
    assert set(attributes) <= set(kinds)
    assert attributes[kinds.CONCURRENT_KERNELS] == device.get_attribute(31)
    assert str(kinds.CONCURRENT_KERNELS) == "CONCURRENT_KERNELS"
    assert driver.get_driver_version() == gpuarray.cuda.runtime.driverGetVersion()
    with pytest.raises(ValueError, match="1000000"):
        device.get_attribute(1_000_000)


def test_the_cpu_device_has_no_attributes():
    with gpuarray.device("cpu"):
        device = cuda.Context.get_device()
        assert device.get_attributes() == {}
        with pytest.raises(gpuarray.DeviceError):
            device.get_attribute(cuda.device_attribute.WARP_SIZE)
        with pytest.raises(gpuarray.DeviceError, match="cpu"):
            device.compute_capability()


def test_contexts_choose_the_device_of_the_thread(device):
    before = gpuarray.default_device()
    context = cuda.Device(0).make_context()
    assert gpuarray.default_device() == cuda.Device(0).device
    with gpuarray.device("cpu"):
        context.push()
        assert gpuarray.default_device() == cuda.Device(0).device
        cuda.Context.pop()
        assert gpuarray.default_device() == gpuarray.Device("cpu")
    cuda.Context.synchronize()
    assert cuda.Context.get_current() == context
    context.detach()
    assert gpuarray.default_device() == before
    context.detach()
    cuda.Context.pop()
    assert gpuarray.default_device() == before


def test_contexts_of_threads_are_apart(device):
    before = gpuarray.default_device()
    found = []

    def work():
        context = cuda.Device(0).make_context()
        found.append(cuda.Context.get_device())
        context.pop()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [cuda.Device(0)]
    assert gpuarray.default_device() == before


def test_streams_and_events(device):
    stream = cuda.Stream()
    start, end = cuda.Event(), cuda.Event(cuda.event_flags.BLOCKING_SYNC)
    assert start.record(stream) is start
    assert end.record(stream).synchronize() is end
    stream.wait_for_event(end)
    stream.synchronize()
    assert stream.is_done() and end.query()
    assert start.time_till(end) == end.time_since(start) >= 0
    assert stream.handle == stream.stream.ptr


def test_a_stream_is_taken_by_functions_and_methods_of_arrays(device):
    stream = cuda.Stream()
    x = gpuarray.arange(4, stream=stream)
    assert x.get(stream=stream).tolist() == [0, 1, 2, 3]
    y = pycuda_arrays.to_gpu_async(np.arange(4.0), stream=stream)
    y.set_async(np.ones(4), stream=stream)
    y = y.mul_add(2, y, 3, stream=stream).astype("float32", stream=stream)
    found = y.get_async(stream=stream)
    stream.synchronize()
    assert found.tolist() == [5, 5, 5, 5]
    y.fill(7, stream=stream)
    assert y.reverse(stream=stream).get(stream=stream).tolist() == [7, 7, 7, 7]


ARRAYS = [
    np.arange(12, dtype=np.float32).reshape(3, 4),
    np.asfortranarray(np.arange(12, dtype=np.int16).reshape(3, 4)),
    np.array([(1, 2.5), (3, 4.5)], dtype=[("a", np.int32), ("b", np.float64)]),
    np.array(7, dtype=np.uint64),
]


@pytest.mark.parametrize("source", ARRAYS, ids=["C", "F", "struct", "0d"])
def test_copies_of_allocations(device, source):
    allocation = cuda.mem_alloc(source.nbytes)
    cuda.memcpy_htod(allocation, source)
    target = np.empty_like(source)
    cuda.memcpy_dtoh(target, allocation)
    np.testing.assert_array_equal(target, source)
    np.testing.assert_array_equal(cuda.from_device_like(allocation, source), source)
    other = cuda.to_device(source)
    cuda.memset_d8(allocation, 0, allocation.nbytes)
    assert not cuda.from_device(allocation, source.nbytes, np.uint8).any()
    cuda.memcpy_dtod(allocation, other, source.nbytes)
    np.testing.assert_array_equal(cuda.from_device_like(allocation, source), source)


def test_copies_of_addresses(device):
    allocation = cuda.mem_alloc(16)
    assert int(allocation) == allocation.ptr == allocation.array.ptr
    cuda.memset_d32(int(allocation), -1, 4)
    cuda.memcpy_htod(int(allocation) + 4, np.int32([5, 6]))
    assert cuda.from_device(int(allocation), 4, np.int32).tolist() == [-1, 5, 6, -1]
    cuda.memcpy_dtod(int(allocation) + 12, int(allocation) + 4, 4)
    assert cuda.from_device(allocation, 4, np.int32).tolist() == [-1, 5, 6, 5]
    x = gpuarray.arange(3, dtype="int16")
    cuda.memset_d16(x.gpudata, 9, 2)
    assert x.get().tolist() == [9, 9, 2]


def test_copies_of_arrays(device):
    x = gpuarray.arange(6, dtype="float32").reshape(2, 3).T
    host = np.empty((3, 2), np.float32, order="F")
    cuda.memcpy_dtoh(host, x)
    np.testing.assert_array_equal(host, x.get())
    cuda.memcpy_htod(x, host * 2)
    np.testing.assert_array_equal(x.get(), host * 2)
    with pytest.raises(ValueError, match="contiguous"):
        cuda.memcpy_htod(gpuarray.arange(6)[::2], np.zeros(3))
    with pytest.raises(ValueError, match="contiguous array of the host"):
        cuda.memcpy_htod(gpuarray.zeros(3), np.zeros(6)[::2])


def test_copies_that_do_not_wait(device):
    stream = cuda.Stream()
    source = cuda.pagelocked_empty(1000, np.int32)
    source[:] = np.arange(1000)
    target = cuda.pagelocked_zeros((10, 100), np.int32)
    allocation, other = cuda.mem_alloc(source.nbytes), cuda.mem_alloc(source.nbytes)
    cuda.memcpy_htod_async(allocation, source, stream)
    cuda.memcpy_dtod_async(other, allocation, source.nbytes, stream)
    cuda.memset_d8_async(other, 0, 4, stream)
    cuda.memset_d16_async(int(other), 3, 1, stream)
    cuda.memset_d32_async(int(other) + 4, 7, 1, stream)
    cuda.memcpy_dtoh_async(target, other, stream)
    stream.synchronize()
    assert target.ravel().tolist() == [3, 7, *range(2, 1000)]


def test_the_end_of_allocations(device):
    allocation, pitch = cuda.mem_alloc_pitch(100, 3, 4)
    assert pitch >= 100 and allocation.nbytes == 3 * pitch
    with pytest.raises(ValueError, match="at most the"):
        cuda.memset_d8(allocation, 0, allocation.nbytes + 1)
    allocation.free()
    for use in (allocation.free, lambda: int(allocation), lambda: allocation.nbytes):
        with pytest.raises(ValueError, match="freed"):
            use()
    with pytest.raises(ValueError, match="at least 1, got 0"):
        cuda.mem_alloc(0)


def test_freed_memory_is_given_back(device):
    before = gpuarray.memory_stats()["bytes_in_use"]
    allocation = cuda.mem_alloc(1 << 20)
    assert gpuarray.memory_stats()["bytes_in_use"] == before + (1 << 20)
    allocation.free()
    assert gpuarray.memory_stats()["bytes_in_use"] == before


@pytest.mark.parametrize("kind", ["pagelocked", "managed"])
def test_arrays_of_the_host(device, kind):
    like = np.zeros((3, 4), np.float32, order="F")
    for name in ("empty", "zeros"):
        made = getattr(cuda, f"{kind}_{name}")((2, 3), np.complex64, "F")
        assert isinstance(made, np.ndarray) and made.shape == (2, 3)
        assert made.dtype == np.complex64 and made.flags.f_contiguous
        assert name == "empty" or not made.any()
        made = getattr(cuda, f"{kind}_{name}_like")(like)
        assert made.shape == (3, 4) and made.flags.f_contiguous and made.dtype == np.float32
    records = getattr(cuda, f"{kind}_zeros")(5, [("a", "i4"), ("b", "f8")])
    records["b"] = 2
    assert records["b"].sum() == 10


def test_registered_memory(device):
    source = np.arange(1000.0)
    registered = cuda.register_host_memory(source)
    assert np.shares_memory(registered, source)
    registered[0] = 5
    assert source[0] == 5
    allocation = cuda.to_device(registered)
    registered.base.unregister()
    registered.base.unregister()
    np.testing.assert_array_equal(cuda.from_device_like(allocation, source), source)


def test_a_pool_of_device_memory(device):
    pool = DeviceMemoryPool()
    allocation = pool.allocate(1 << 16)
    cuda.memcpy_htod(allocation, np.full(1 << 16, 3, np.uint8))
    assert pool.active_bytes >= 1 << 16
    ptr = int(allocation)
    allocation.free()
    assert pool.active_bytes == 0 and pool.held_blocks > 0
    assert pool.managed_bytes >= 1 << 16
    again = pool.allocate(1 << 16)
    assert int(again) == ptr
    del again
    pool.free_held()
    assert pool.managed_bytes == pool.held_blocks == 0
    with pytest.raises(ValueError, match="at least 1, got 0"):
        pool.allocate(0)


def test_a_pool_of_page_locked_memory(device):
    pool = PageLockedMemoryPool()
    array = pool.allocate((2, 3), np.float64)
    assert array.shape == (2, 3) and array.dtype == np.float64
    assert (pool.active_bytes > 0) == (gpuarray.Device(device).kind == "cuda")
    assert pool.managed_bytes >= pool.active_bytes
    pool.free_held()
