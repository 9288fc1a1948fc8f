# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What page-locked and managed memory asks of the driver, counted by the stub."""

import textwrap

import pytest
from _support.process import run_python

PRELUDE = """
import ctypes, os
import numpy as np
import gpuarray

driver = ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"])
driver.stub_calls.restype = ctypes.c_uint64
WAITS = ["cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"]
COPIES = ["cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemcpyAsync"]

def calls(*names):
    return sum(driver.stub_calls(name.encode()) for name in names)

class Count:
    def __init__(self, *names):
        self.names = names
    def __enter__(self):
        self.before = [calls(name) for name in self.names]
        return self
    def __exit__(self, *error):
        self.each = [calls(n) - b for n, b in zip(self.names, self.before)]
        self.all = sum(self.each)
"""


@pytest.fixture
def run(stub):
    def run_on_stub(code):
        run_python(PRELUDE + textwrap.dedent(code), GPUARRAY_LIBCUDA=str(stub))

    return run_on_stub


def test_the_pool_hands_blocks_out_again(run):
    run("""
        x = gpuarray.empty_pinned(1000)
        address = x.ptr
        assert x.memory_kind == "pinned"
        assert str(x.device) == "cuda:0"
        del x
        assert gpuarray.pinned_memory_stats()["cached_bytes"] == 8192
        with Count("cuMemHostAlloc", "cuMemFreeHost") as count:
            for _ in range(10):
                x = gpuarray.empty_pinned(1000)
                assert x.ptr == address
                del x
        assert count.all == 0
        with Count("cuMemFreeHost") as count:
            gpuarray.release_pinned_memory()
        assert count.all == 1
        assert gpuarray.pinned_memory_stats() == {
            "bytes_in_use": 0, "peak_bytes": 8000, "allocations": 0, "cached_bytes": 0
        }
    """)


def test_managed_memory_has_its_own_pool(run):
    run("""
        for maker in (gpuarray.empty_managed, lambda n: gpuarray.empty(n, managed=True)):
            with Count("cuMemAllocManaged", "cuMemAllocFromPoolAsync", "cuMemHostAlloc") as count:
                x = maker(1000)
            assert x.memory_kind == "managed"
            assert gpuarray.managed_memory_stats()["bytes_in_use"] == 8000
            assert gpuarray.memory_stats()["bytes_in_use"] == 0
            assert sum(count.each[1:]) == 0
            del x
        assert gpuarray.managed_memory_stats()["cached_bytes"] == 8192
        gpuarray.release_managed_memory()
        assert gpuarray.managed_memory_stats()["cached_bytes"] == 0
    """)


def test_sharing_copies_nothing(run):
    run("""
        x = gpuarray.zeros_pinned((3, 4))
        with Count(*COPIES) as count:
            host = np.asarray(x)
            assert host.ctypes.data == x.ptr
            host[...] = 5
            assert memoryview(x)[1, 2] == 5
            assert (x.get() == 5).all()
            x.set(np.ones((3, 4)))
            assert (host == 1).all()
        assert count.all == 0
    """)


def test_queued_copies_do_not_wait(run):
    run("""
        a = gpuarray.to_device(np.arange(200_000.0))
        pinned = np.asarray(gpuarray.zeros_pinned(200_000))
        a.get(blocking=False)
        with Count(*WAITS) as waits, Count(*COPIES) as copies:
            transfer = a.get(blocking=False)
            a.get(pinned, blocking=False)
            a.set(pinned, blocking=False)
        assert (waits.all, copies.all) == (0, 3)
        assert (transfer.result == np.arange(200_000)).all()
        b = gpuarray.empty_pinned(200_000)
        with Count(*WAITS) as waits, Count("cuMemcpyAsync") as copies:
            b.set(pinned, blocking=False)
            b.get(pinned, blocking=False)
        assert (waits.all, copies.all) == (0, 2)
        with Count(*WAITS) as waits, Count(*COPIES) as copies:
            a.set(pinned)
        assert (waits.all, copies.all) == (1, 1)
    """)


def test_pinned_locks_and_unlocks(run):
    run("""
        x, y = np.zeros(1000), np.zeros((10, 10))
        with Count("cuMemHostRegister", "cuMemHostUnregister", "cuCtxSynchronize") as count:
            with gpuarray.pinned(x, y[2:, ::-1]):
                assert calls("cuMemHostRegister") == 2
                assert calls("cuMemHostUnregister") == 0
        assert count.each == [2, 2, 2]
        try:
            with gpuarray.pinned(x, "text"):
                pass
        except TypeError:
            assert calls("cuMemHostUnregister") == 3
        with gpuarray.pinned(x, device="cpu"):
            assert calls("cuMemHostRegister") == 3
    """)


def test_advice_reaches_the_driver(run):
    run("""
        x = gpuarray.empty_managed((4, 5))
        with Count("cuMemPrefetchAsync", "cuMemAdvise") as count:
            x.prefetch("cpu")
            x.prefetch("cuda:0", gpuarray.Stream())
            x[1:2].advise("read_mostly")
            x.advise("unset_accessed_by", "cpu")
            gpuarray.empty_managed(0).prefetch("cpu")
        assert count.each == [2, 2]
        for other in (gpuarray.empty(3), gpuarray.empty_pinned(3)):
            try:
                other.prefetch("cpu")
            except ValueError as error:
                assert other.memory_kind in str(error)
            else:
                raise AssertionError
    """)


def test_too_much_memory(run):
    run("""
        kept = gpuarray.empty_pinned(1 << 20, "uint8")
        del kept
        assert gpuarray.pinned_memory_stats()["cached_bytes"] == 1 << 20
        for maker in (gpuarray.empty_pinned, gpuarray.empty_managed):
            try:
                maker(1 << 50, "uint8")
            except gpuarray.OutOfMemoryError as error:
                assert str(1 << 50) in str(error), error
            else:
                raise AssertionError
        assert gpuarray.pinned_memory_stats()["cached_bytes"] == 0, "given back for another try"
        assert gpuarray.zeros_pinned(3).get().tolist() == [0, 0, 0]
        # Without page-locked memory results go to ordinary memory.
        a = gpuarray.to_device(np.arange(10.0))
        blocks = []
        try:
            while True:
                blocks.append(gpuarray.empty_pinned(1 << 28, "uint8"))
        except gpuarray.OutOfMemoryError:
            pass
        try:
            while True:
                blocks.append(gpuarray.empty_pinned(1 << 12, "uint8"))
        except gpuarray.OutOfMemoryError:
            pass
        assert (a.get(blocking=False).result == np.arange(10)).all()
    """)


def test_recording_on_a_device(run):
    run("""
        gpuarray.record_memory()
        stream = gpuarray.Stream()
        with stream:
            x = gpuarray.empty(100, "uint8")
        y = gpuarray.empty_pinned(50, "uint8")
        first, second = gpuarray.memory_snapshot()
        assert (first.address, first.size, first.stream) == (x.ptr, 100, stream.ptr)
        assert (first.kind, second.kind) == ("device", "pinned")
        assert first.site.startswith("<string>:")
        with gpuarray.memory_profile() as p:
            z = gpuarray.empty_managed(30, "uint8"), gpuarray.empty_pinned(7, "uint8")
        assert [used for _, used in p.timeline] == [100, 130]
    """)
