# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The cpu device keeps freed memory for reuse, and asks for huge pages."""

import gc
import mmap
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from _support.process import run_python
from hypothesis import given

import gpuarray
from gpuarray import memory

KIB, MIB = 2**10, 2**20
SIZES = st.one_of(st.integers(1, 256), st.integers(60 * KIB, 70 * KIB), st.integers(1, 9 * MIB))

# The sanitizer would not see misuse of what is kept; its heap may be locked in a child of fork.
keeps_blocks = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="nothing is kept under AddressSanitizer"
)


@pytest.fixture(autouse=True)
def nothing_cached():
    gc.collect()
    memory.release_cached("cpu")
    assert gpuarray.memory_info("cpu").cached == 0
    yield
    memory.release_cached("cpu")


def make(nbytes):
    return gpuarray.empty(nbytes, np.uint8, device="cpu")


@keeps_blocks
@pytest.mark.parametrize("nbytes", [64 * KIB, MIB, 5 * MIB, 40 * MIB + 1])
def test_freed_memory_is_used_again(nbytes):
    a = make(nbytes)
    address = a.ptr
    del a
    assert nbytes <= gpuarray.memory_info("cpu").cached <= nbytes * 5 // 4
    assert make(nbytes).ptr == address
    memory.release_cached("cpu")
    assert gpuarray.memory_info("cpu").cached == 0


@keeps_blocks
def test_temporaries_use_the_same_memory():
    a = gpuarray.ones(MIB, np.float32, device="cpu")
    places = set()
    for _ in range(10):
        b = a * 2 + 1
        places.add(b.ptr)
        del b
    assert len(places) <= 2
    assert gpuarray.memory_info("cpu").cached <= 8 * MIB


@keeps_blocks
def test_what_is_kept_is_told_and_bounded():
    before = gpuarray.memory_info("cpu")
    stats = gpuarray.memory_stats("cpu")
    for _ in range(3):
        arrays = [make(100 * MIB) for _ in range(12)]  # never touched
        del arrays
    info = gpuarray.memory_info("cpu")
    assert 100 * MIB <= info.cached <= min(1024 * MIB, before.total // 8)
    assert info.largest_free_block == 100 * MIB
    assert info.used == before.used
    after = gpuarray.memory_stats("cpu")
    assert after["bytes_in_use"] == stats["bytes_in_use"]
    assert after["allocations"] == stats["allocations"]


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * mmap.PAGESIZE


@keeps_blocks
def test_released_memory_goes_back_to_the_system():
    before = resident_bytes()
    with gpuarray.fusion("off"):
        a = gpuarray.ones(64 * MIB, np.uint8, device="cpu")
    assert resident_bytes() >= before + 60 * MIB
    del a
    memory.release_cached("cpu")
    assert resident_bytes() <= before + 10 * MIB


@given(nbytes=SIZES)
def test_arrays_begin_at_a_cache_line(nbytes):
    assert make(nbytes).ptr % 64 == 0


def flags_of(address):
    """The flags of the mapping that an address lies in."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if bounds := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(bounds[1], 16) <= address < int(bounds[2], 16)
        elif inside and line.startswith("VmFlags:"):
            return line.split()[1:]
    raise AssertionError(f"{address:x} is not mapped")


@keeps_blocks
@pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="no transparent huge pages"
)
def test_large_arrays_ask_for_huge_pages():
    x = np.ones(4 * MIB, np.uint8)
    for a in (make(4 * MIB), gpuarray.to_device(x, device="cpu"), make(30 * MIB) + np.uint8(1)):
        assert a.ptr % (2 * MIB) == 0
        assert "hg" in flags_of(a.ptr)
    assert "hg" not in flags_of(make(MIB).ptr)


@keeps_blocks
def test_what_is_kept_is_given_back_before_memory_runs_out():
    before = memory.memory_limit("cpu")
    held = gpuarray.memory_info("cpu").used
    try:
        gpuarray.set_memory_limit(held + 64 * MIB, "cpu")
        del [make(8 * MIB) for _ in range(6)][:]
        assert gpuarray.memory_info("cpu").cached == 48 * MIB
        assert make(48 * MIB + 1).nbytes == 48 * MIB + 1
        with pytest.raises(gpuarray.OutOfMemoryError, match="limit") as caught:
            make(80 * MIB)
        assert caught.value.cached == 0
        assert caught.value.limit == held + 64 * MIB
    finally:
        gpuarray.set_memory_limit(before, "cpu")


@given(sizes=st.lists(SIZES, min_size=1, max_size=20))
def test_threads_get_memory_of_their_own(sizes):
    def work(number):
        arrays = [gpuarray.full(n, number, np.uint8, device="cpu") for n in sizes]
        return all((a.get() == number).all() for a in reversed(arrays)), arrays

    with ThreadPoolExecutor(4) as pool:
        for right, arrays in pool.map(work, range(4)):
            assert right
            del arrays  # freed on another thread than they were made on


@keeps_blocks
def test_a_child_of_fork_uses_and_frees_memory():
    code = """
        import os
        import threading
        import warnings

        import numpy as np
        import gpuarray

        warnings.simplefilter("ignore")
        a = gpuarray.ones(2**20, device="cpu")
        ended = threading.Event()

        def work():
            b = gpuarray.ones(2**16, device="cpu")
            while not ended.is_set():
                b + b

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                total = float((a * 2).sum())
                del a
                gpuarray.memory.release_cached("cpu")
                os._exit(0 if total == 2**21 else 1)
            _, status = os.waitpid(child, 0)
            assert status == 0, status
        ended.set()
        for thread in threads:
            thread.join()
        print("done")
    """
    assert run_python(code, GPUARRAY_DEVICE="cpu").strip() == "done"


def test_misuse_is_found_over_the_pool():
    code = """
        import ctypes
        import warnings

        import gpuarray

        warnings.showwarning = lambda message, *rest: print(message)
        a = gpuarray.zeros(2**18, "uint8", device="cpu")
        ctypes.memset(a.ptr + a.nbytes, 1, 4)
        del a
    """
    assert "4 bytes after a block of 262144 bytes" in run_python(code, GPUARRAY_MEMORY_DEBUG="1")
