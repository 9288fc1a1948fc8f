# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.cuda: CuPy's memory, pointers, pools and allocators."""

import ctypes
import gc

import numpy as np
import pytest

import gpuarray
import gpuarray as cp
from gpuarray.cuda import MemoryPointer, MemoryPool, UnownedMemory
from gpuarray.cuda import memory as cuda_memory


@pytest.fixture(autouse=True)
def default_allocator(device):
    """Give every test the default pool, whatever it chooses itself."""
    yield
    cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def host_address(array):
    return ctypes.c_void_p(array.ctypes.data)


def test_memory_pointers_are_addresses_in_a_block(device):
    place = cp.cuda.alloc(64)
    assert (place.mem.size, place.offset) == (64, 0)
    assert int(place) == place.ptr == place.mem.ptr == int(place.mem)
    assert (place + 8).ptr == (8 + place).ptr == place.ptr + 8
    assert (place + 8 - 8).ptr == place.ptr
    assert (place + 8).mem is place.mem
    assert place.device == place.mem.device == gpuarray.device(device)
    assert place.device_id == place.mem.device_id == 0
    assert "64 bytes" in repr(place.mem) and "MemoryPointer" in repr(place)


def test_copies_by_pointer(device):
    host = np.arange(64, dtype=np.uint8)
    back = np.zeros(32, np.uint8)
    one, two = cp.cuda.alloc(64), cp.cuda.alloc(64)
    one.copy_from_host(host_address(host), 64)
    two.memset(9, 64)
    (two + 16).copy_from_device(one + 4, 16)
    two.copy_to_host(host_address(back), 32)
    assert back.tolist() == [9] * 16 + list(range(4, 20))
    stream = cp.cuda.Stream()
    two.copy_from_async(host.ctypes.data, 32, stream)
    (two + 8).copy_from_async(one, 8, stream.stream)
    two.memset_async(1, 4, stream)
    two.copy_to_host_async(back.ctypes.data, 32, stream)
    assert back.tolist() == [1] * 4 + list(range(4, 8)) + list(range(8)) + list(range(16, 32))
    one.copy_from(two, 4)
    one.copy_to_host(host_address(back), 4)
    assert back[:4].tolist() == [1] * 4


def test_pointers_stay_within_their_block(device):
    place = cp.cuda.alloc(16)
    for bad, size in ((place, 17), (place + 1, 16), (place - 1, 1)):
        with pytest.raises(ValueError, match="not all in a block of 16 bytes"):
            bad.memset(0, size)
    with pytest.raises(ValueError, match="at least 0, got -1"):
        place.memset(0, -1)
    with pytest.raises(ValueError, match="address of memory of the host"):
        place.copy_from_host(None, 4)
    with pytest.raises(TypeError, match="expected memory, got int"):
        MemoryPointer(4, 0)
    with pytest.raises(TypeError, match="expected an int, got str"):
        cp.cuda.alloc("4")


def test_pointers_into_arrays(device):
    a = cp.arange(12.0).reshape(3, 4)
    view = a[1:, ::-1]
    place = MemoryPointer.of(view)
    assert (place.mem.ptr, place.mem.size, place.offset) == (a.ptr, a.nbytes, 7 * 8)
    MemoryPointer.of(a).memset(0, 32)
    assert a.sum(axis=1).get().tolist() == [0, 22, 38]
    assert MemoryPointer.of(a.T[:0]).mem.size == a.nbytes
    assert MemoryPointer.of(cp.zeros(0)).mem.size == 0


def test_arrays_over_pointers(device):
    place = cp.cuda.alloc(64)
    a = cp.from_pointer(place + 8, (2, 3), "float32")
    a[...] = 1
    b = cp.from_pointer(place + 8, 6, np.float32)
    b += a.ravel()
    assert a.get().tolist() == [[2, 2, 2]] * 2
    assert a.ptr == place.ptr + 8
    reverse = cp.from_pointer(place + 24, (3,), "float64", strides=(-8,))
    reverse[...] = cp.arange(3.0)
    assert cp.from_pointer(place + 8, (3,), "float64").get().tolist() == [2, 1, 0]
    assert cp.from_pointer(place, (0, 3), "float64").shape == (0, 3)
    assert cp.from_pointer(place, (), "int64").shape == ()
    del place
    gc.collect()
    assert a.shape == (2, 3) and b.get()[0] == a.get()[0, 0]


def test_arrays_over_addresses(device):
    owner = cp.arange(6.0)
    a = cp.from_pointer(owner.ptr, (2, 3), owner.dtype, owner=owner)
    owner.synchronize()
    assert a.get().tolist() == [[0, 1, 2], [3, 4, 5]]
    every_other = cp.from_pointer(owner.ptr, 3, "float64", (16,), owner, cp.cuda.Device())
    assert every_other.get().tolist() == [0, 2, 4]


def test_arrays_over_addresses_of_a_named_device(device):
    host = np.arange(6.0)
    a = cp.from_pointer(host.ctypes.data, 6, "float64", owner=host, device="cpu")
    assert a.device == gpuarray.device("cpu")
    a += 1
    assert host.tolist() == [1, 2, 3, 4, 5, 6]
    owner = cp.arange(6.0)
    b = cp.from_pointer(owner.ptr, 6, "float64", owner=owner, device=device)
    assert b.get().tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(gpuarray.DeviceError):
        cp.from_pointer(owner.ptr, 6, "float64", owner=owner, device="cuda:99")


def test_arrays_over_nothing(device):
    place = cp.cuda.alloc(16)
    with pytest.raises(ValueError, match="not all in a block of 16 bytes"):
        cp.from_pointer(place, 3, "float64")
    with pytest.raises(ValueError, match="not all in a block"):
        cp.from_pointer(place, 2, "float64", strides=(-8,))
    with pytest.raises(ValueError, match="a stride for each of 1 axes, got 2"):
        cp.from_pointer(place, 2, "float64", strides=(8, 8))
    with pytest.raises(ValueError, match="address of memory, got 0"):
        cp.from_pointer(0, 2, "float64")
    with pytest.raises(TypeError, match="an int or a MemoryPointer, got str"):
        cp.from_pointer("x", 2, "float64")
    with pytest.raises(ValueError, match="negative"):
        cp.from_pointer(place, -2, "float64")


def test_memory_of_others_is_kept(device):
    class Owner:
        def __init__(self):
            self.array = cp.arange(4)
            self.array.synchronize()

    import weakref

    owner = Owner()
    gone = weakref.ref(owner)
    memory = UnownedMemory(owner.array.ptr, 32, owner)
    a = cp.from_pointer(MemoryPointer(memory, 8), 3, "int64")
    del owner, memory
    gc.collect()
    assert gone() is not None
    assert a.get().tolist() == [1, 2, 3]
    del a
    gc.collect()
    assert gone() is None


def test_managed_memory(device):
    place = cp.cuda.malloc_managed(32)
    cp.from_pointer(place, 4, "float64").fill(2)
    place.mem.prefetch(cp.cuda.Stream.null)
    assert cp.from_pointer(place, 4, "float64").sum() == 8


def test_page_locked_memory(device):
    memory = cp.cuda.alloc_pinned_memory(80)
    host = np.frombuffer(memory, np.float64, 10)
    host[...] = np.arange(10)
    assert isinstance(memory, cp.cuda.PinnedMemoryPointer)
    assert (memory.size(), memory.ptr, len(memory)) == (80, host.ctypes.data, 80)
    assert memory.mem.memory_kind == ("host" if device == "cpu" else "pinned")
    del memory
    gc.collect()
    a = cp.empty(10)
    a.set(host)
    assert a.get().tolist() == list(range(10))
    assert cp.cuda.alloc_pinned_memory(0).size() == 0
    with pytest.raises(ValueError, match="at least 0, got -1"):
        cp.cuda.alloc_pinned_memory(-1)


def test_page_locked_memory_is_not_written(device, monkeypatch):
    monkeypatch.setattr(gpuarray, "empty_pinned", gpuarray.zeros_pinned)
    assert bytes(cp.cuda.alloc_pinned_memory(16)) == bytes(16)


def test_page_locked_pool(device):
    pool = cp.get_default_pinned_memory_pool()
    assert isinstance(pool, cp.cuda.PinnedMemoryPool)
    before = pool.used_bytes()
    memory = pool.malloc(4096)
    assert pool.used_bytes() - before == (0 if device == "cpu" else memory.size())
    assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    pool.free_all_blocks()
    sizes = []
    cp.cuda.set_pinned_memory_allocator(lambda size: sizes.append(size) or pool.malloc(size))
    try:
        assert cp.cuda.alloc_pinned_memory(8).size() == 8
    finally:
        cp.cuda.set_pinned_memory_allocator(None)
    assert sizes == [8]
    with pytest.raises(TypeError, match="expected a function or None, got int"):
        cp.cuda.set_pinned_memory_allocator(3)


def test_default_pool(device):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    a = cp.zeros(1 << 18)
    assert pool.used_bytes() - before >= a.nbytes
    assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    del a
    assert pool.used_bytes() == before
    assert pool.free_bytes() > 0 and pool.n_free_blocks() > 0
    pool.free_all_blocks()
    pool.free_all_free()
    assert pool.get_limit() == 0
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == int(gpuarray.device(device).total_memory * 0.5)
    pool.set_limit(size=1 << 40)
    assert pool.get_limit() == gpuarray.memory.memory_limit() == 1 << 40
    pool.set_limit(0)
    assert pool.get_limit() == 0
    with pytest.raises(ValueError, match="one of size and fraction"):
        pool.set_limit(1, 0.5)
    with pytest.raises(ValueError, match="expected 0 to 1, got 2"):
        pool.set_limit(fraction=2)


@pytest.mark.parametrize("allocator", [None, "malloc_managed", "alloc_from_default"])
def test_pools_of_ones_own(device, allocator):
    if allocator == "alloc_from_default":
        allocator = cp.get_default_memory_pool().malloc
    elif allocator is not None:
        allocator = getattr(cp.cuda, allocator)
    pool = MemoryPool(allocator)
    cp.cuda.set_allocator(pool.malloc)
    assert cp.cuda.get_allocator() == pool.malloc
    a = cp.arange(1 << 18) + 1
    assert pool.used_bytes() >= a.nbytes
    assert int(a.sum()) == (1 << 17) * ((1 << 18) + 1)
    place = pool.malloc(1024)
    assert pool.used_bytes() >= a.nbytes + 1024
    del a, place
    assert pool.used_bytes() == 0
    assert pool.free_bytes() == pool.total_bytes() > 0
    assert pool.n_free_blocks() > 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0
    assert isinstance(pool.resource(), gpuarray.memory.MemoryResource)


def test_limit_of_a_pool(device):
    pool = cp.cuda.MemoryAsyncPool()
    pool.set_limit(8 << 20)
    assert pool.get_limit() == 8 << 20
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.zeros(1 << 19)
        with pytest.raises(cuda_memory.OutOfMemoryError):
            cp.zeros(1 << 20)
        del a
        pool.set_limit(0)
        assert cp.zeros(1 << 20).sum() == 0
    with pytest.raises(ValueError, match="'current'"):
        cp.cuda.MemoryAsyncPool("other")
    with pytest.raises(TypeError, match="expected a function, got int"):
        MemoryPool(3)


def test_allocators_are_functions(device):
    sizes = []

    def logged(size):
        sizes.append(size)
        return cp.get_default_memory_pool().malloc(size)

    with cp.cuda.using_allocator(logged):
        a = cp.arange(100.0)
        with cp.cuda.using_allocator(cp.get_default_memory_pool().malloc):
            cp.zeros(3)
    assert len(sizes) == 1 and sizes[0] >= 800
    assert a.sum() == 4950
    del a
    assert cp.zeros(3).sum() == 0
    assert len(sizes) == 1
    with pytest.raises(TypeError, match="expected a function or None, got int"):
        cp.cuda.set_allocator(3)


def test_no_pool(device):
    cp.cuda.set_allocator(None)
    a = cp.ones(1000)
    assert a.sum() == 1000
    assert "Pool" not in repr(gpuarray.memory.get_allocator())
    cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    assert "Pool" in repr(gpuarray.memory.get_allocator())
    assert a.sum() == 1000
