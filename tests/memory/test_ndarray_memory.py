# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Large arrays that get() makes take their memory from the cpu device's pool, and give it back."""

import ctypes
import gc
import os

import numpy as np
import pytest
from numpy._core import multiarray

import gpuarray
from gpuarray import memory

MIB = 2**20
LARGE = 32 * MIB


@pytest.fixture(autouse=True)
def nothing_cached():
    gc.collect()
    memory.release_cached("cpu")
    yield
    memory.release_cached("cpu")


def example(device, nbytes=LARGE):
    host = np.arange(nbytes // 4, dtype=np.int32)
    return host, gpuarray.to_device(host, device=device)


def in_use():
    return gpuarray.memory_info("cpu").used


def handler(array):
    return multiarray.get_handler_name(array)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_large_result_owns_its_memory(device, order):
    host, x = example(device)
    got = x.reshape(1024, -1).get(order=order)
    assert np.array_equal(got, host.reshape(1024, -1))
    assert got.flags.owndata and got.flags.writeable and got.base is None
    assert handler(got) == "gpuarray"


def test_a_smaller_result_is_mallocs(device):
    _, x = example(device, LARGE - 4)
    assert handler(x.get()) == "default_allocator"


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="nothing is kept under AddressSanitizer"
)
def test_the_next_result_takes_the_same_pages(device):
    host, x = example(device)
    x.get()
    assert gpuarray.memory_info("cpu").cached == LARGE
    addresses = set()
    for _ in range(3):
        got = x.get()
        assert np.array_equal(got, host)
        addresses.add(got.ctypes.data)
        del got
    assert len(addresses) == 1
    memory.release_cached("cpu")
    assert gpuarray.memory_info("cpu").cached == 0


def test_it_is_counted_as_memory_of_the_cpu_device(device):
    _, x = example(device)
    before = in_use()
    got = x.get()
    assert in_use() - before == LARGE
    del got
    assert in_use() == before


@pytest.mark.parametrize("nbytes", [4, MIB, LARGE - 4, 2 * LARGE])
def test_it_can_be_resized(device, nbytes):
    host, x = example(device)
    got = x.get()
    got.resize(nbytes // 4, refcheck=False)
    kept = min(nbytes, LARGE) // 4
    assert np.array_equal(got[:kept], host[:kept])
    assert not got[kept:].any()
    del got
    assert np.array_equal(x.get(), host)


def test_an_array_whose_dtype_and_shape_were_changed_is_freed_whole(device):
    _, x = example(device)
    before = in_use()
    got = x.get()
    got.dtype = np.int64
    got.shape = (16, -1)
    got.resize((5, 3), refcheck=False)
    del got
    assert in_use() == before


def test_a_limit_of_the_device_does_not_limit_results(device):
    host, x = example(device)
    before = memory.memory_limit("cpu")
    gpuarray.set_memory_limit(in_use() + MIB, "cpu")
    try:
        got = x.get()
    finally:
        gpuarray.set_memory_limit(before, "cpu")
    assert np.array_equal(got, host)
    got.resize(2 * LARGE // 4, refcheck=False)
    assert np.array_equal(got[: host.size], host)


def test_memory_that_the_user_chose_for_numpy_is_used(device):
    # Functions of NumPy's C API by their place in its table.
    api, name = multiarray._ARRAY_API, ctypes.c_char_p
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, name, ctypes.c_void_p)
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, name)
    address = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = ctypes.cast(address(api, None), ctypes.POINTER(ctypes.c_void_p))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[304])
    default = ctypes.PYFUNCTYPE(ctypes.py_object)(table[305])()
    capsule = new(("PyCapsule_New", ctypes.pythonapi))
    chosen = capsule(address(default, b"mem_handler"), b"mem_handler", None)
    _, x = example(device)
    set_handler(chosen)
    try:
        got = x.get()
    finally:
        set_handler(default)
    assert handler(got) == "default_allocator"
    assert handler(x.get()) == "gpuarray"
