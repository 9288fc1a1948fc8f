# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Destructors whose calls of the driver fail: no memory is used again before its work is done."""

import contextlib
import ctypes
import gc
import os
import threading
import time
import warnings

import numpy as np
import pytest
from _support.compare import assert_same
from _support.cuda_driver import CudaDriver
from _support.process import inherited_driver, run_python

import gpuarray
from gpuarray.memory import DriverResource, using_allocator

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif("GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"),
]
SIZE = 1000
INVALID_HANDLE = 400
ORDERS = ["cuEventRecord", "cuStreamWaitEvent"]
WAITS = ["cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"]


class Failing:
    """Makes the nth call of each function fail within the block, by default the next."""

    def __init__(self, *names, n=1):
        self.library = ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"])
        self.names = names
        self.n = n

    def set(self, n):
        for name in self.names:
            count = ctypes.c_int64(n)
            assert self.library.test_driver_fail(name.encode(), count, INVALID_HANDLE) == 0

    def __enter__(self):
        self.set(self.n)

    def __exit__(self, *error):
        self.set(0)


class Quiet(warnings.catch_warnings):
    """Lets the warnings of kept memory pass."""

    def __enter__(self):
        super().__enter__()
        warnings.simplefilter("ignore")


@pytest.fixture
def streams(cuda):
    return gpuarray.Stream(), gpuarray.Stream()


def used():
    gc.collect()
    gpuarray.empty(1)  # frees what could not be freed before
    return gpuarray.memory_stats()["bytes_in_use"]


@pytest.mark.parametrize("function", ORDERS)
@pytest.mark.parametrize("wait", [None, *WAITS])
def test_memory_is_not_reused_before_its_reader_is_done(streams, function, wait):
    one, two = streams
    before = used()
    for _ in range(5):
        with one:
            a = gpuarray.full(SIZE, 5.0)
        with two:
            c = a * 2
        with Failing(function, *([wait] if wait else [])):
            del a
        with one:
            later = gpuarray.full(SIZE, 7.0)
        one.synchronize()
        assert_same(c, np.full(SIZE, 10.0))
    del c, later
    assert used() == before


def test_memory_that_nothing_orders_counts_as_in_use(streams):
    one, two = streams
    before = used()
    with one:
        a = gpuarray.full(SIZE, 5.0)
    with two:
        c = a * 2
    with Failing("cuStreamWaitEvent", *WAITS):
        del a
        assert gpuarray.memory_stats()["bytes_in_use"] >= before + 2 * 8 * SIZE
    assert_same(c, np.full(SIZE, 10.0))
    del c
    assert used() == before


@pytest.mark.parametrize("waits", [[], ["cuStreamSynchronize"], WAITS])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_uses_on_a_borrowed_stream_that_are_not_recorded(streams, n, waits):
    one, two = streams
    with one:
        a = gpuarray.full(SIZE, 5.0)
    with gpuarray.ExternalStream(two.ptr):
        (a * 1).synchronize()  # the stream has waited for the writer now
        c = None
        with contextlib.suppress(gpuarray.CudaError), Failing("cuEventRecord", *waits, n=n):
            c = a * 2
        c = c if c is not None else a * 2
    del a
    with one:
        later = gpuarray.full(SIZE, 7.0)
    one.synchronize()
    assert_same(c, np.full(SIZE, 10.0))
    del later


@pytest.mark.parametrize("failing", [[], ["cuEventRecord"], WAITS, ["cuEventRecord", *WAITS]])
def test_a_block_that_another_thread_closes(streams, failing):
    """There the handle of a thread's default stream means another stream."""
    one, _ = streams
    with one:
        a, c = gpuarray.full(SIZE, 5.0), gpuarray.zeros(SIZE)
    block = gpuarray.access(reads=[a], writes=[c], stream=gpuarray.per_thread_default_stream())
    target, source = c.ptr, a.ptr
    queued, closed = threading.Event(), threading.Event()

    def copy():
        driver = CudaDriver(os.environ["GPUARRAY_LIBCUDA"])
        stream = block.__enter__()
        driver.check("cuMemcpyDtoDAsync", target, source, 8 * SIZE, stream.ptr)
        queued.set()
        closed.wait()

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    assert queued.wait(60)
    with Failing(*failing), pytest.raises(RuntimeError, match="left on another"):
        block.__exit__(None, None, None)
    del a
    with one:
        later = gpuarray.full(SIZE, 7.0)
    one.synchronize()
    assert_same(c, np.full(SIZE, 5.0))
    closed.set()
    thread.join()
    del later


@pytest.mark.parametrize("function", ORDERS)
@pytest.mark.parametrize("wait", [None, *WAITS])
def test_memory_of_others_is_given_back_after_its_work(streams, function, wait):
    _, two = streams
    main = gpuarray.current_stream()
    ends = []

    class Owner:
        def __del__(self):
            ends.append(two.done)

    address = gpuarray.full(SIZE, 5.0)
    main.synchronize()
    owner = Owner()
    b = gpuarray.from_pointer(address.ptr, SIZE, "float64", owner=owner)
    del owner
    with two:
        c = b * 2
    with Failing(function, *([wait] if wait else [])):
        del b
    address.fill(7)  # on the main stream
    main.synchronize()
    assert_same(c, np.full(SIZE, 10.0))
    used()
    assert len(ends) == 1


@pytest.mark.parametrize("empty", [gpuarray.empty_pinned, gpuarray.empty_managed])
@pytest.mark.parametrize("failing", [["cuEventCreate"], ["cuEventRecord"], ["cuStreamQuery"]])
@pytest.mark.parametrize("waits", [[], WAITS])
def test_memory_that_the_host_sees(streams, empty, failing, waits):
    one, _ = streams
    x = empty(3 << 20, np.uint8)
    with one:
        x.fill(5)
        one.synchronize()
        y = x + 1
    with Failing(*failing, *waits), Quiet():
        del x
    later = empty(3 << 20, np.uint8)
    np.asarray(later)[...] = 9
    assert_same(y[:5], np.full(5, 6, np.uint8))


@pytest.mark.parametrize("waits", [[], ["cuCtxSynchronize"]])
def test_memory_of_the_driver(streams, waits):
    one, _ = streams
    resource = DriverResource()
    with using_allocator(resource), one:
        a = gpuarray.full(3 << 18, 5.0)
        b = a * 2
    with Failing("cuMemFreeAsync", *waits), Quiet():
        del a
    assert resource.usage().used == b.nbytes if not waits else resource.usage().used > b.nbytes
    assert b[0] == 10


@pytest.mark.parametrize("waits", [[], ["cuCtxSynchronize"]])
def test_memory_for_other_processes(cuda, waits):
    a = gpuarray.empty_shared(SIZE)
    a.fill(5)
    b = a * 2
    with Failing(*waits), Quiet():
        del a
    later = gpuarray.empty_shared(SIZE)
    later.fill(7)
    later.synchronize()
    assert_same(b, np.full(SIZE, 10.0))


@pytest.mark.parametrize("function", ORDERS)
@pytest.mark.parametrize("waits", [[], WAITS])
def test_memory_of_a_graph(streams, function, waits):
    one, two = streams
    for _ in range(3):
        x = gpuarray.ones(SIZE)
        gpuarray.synchronize()
        with one, gpuarray.capture() as graph:
            y = (x + 1) * 2
            del y
            x += 1
        with two:
            two.launch_host_func(time.sleep, 0.002)
            graph.launch()
        with Failing(function, *waits), Quiet():
            del graph
        later = [gpuarray.full(SIZE, 7.0) for _ in range(4)]
        gpuarray.synchronize()
        assert_same(x, np.full(SIZE, 2.0))
        for array in later:
            assert_same(array, np.full(SIZE, 7.0))


def test_memory_that_is_dropped_in_a_capture(streams):
    """The waits that its free needs are refused until the capture ends."""
    _, two = streams
    main = gpuarray.current_stream()
    a = gpuarray.full(SIZE, 5.0)
    x = gpuarray.zeros(SIZE)
    with two:
        two.launch_host_func(time.sleep, 0.002)
        c = a * 2
    graph_scope = gpuarray.capture()
    graph = graph_scope.__enter__()
    x += 1
    del a
    graph_scope.__exit__(None, None, None)
    later = [gpuarray.full(SIZE, 7.0) for _ in range(3)]
    main.synchronize()
    assert_same(c, np.full(SIZE, 10.0))
    del later, graph


def test_staged_copies_after_a_failed_one(cuda):
    host = np.arange(32 << 17, dtype=np.int64)
    a = gpuarray.to_device(host)
    for names in (["cuEventRecord"], ["cuEventRecord", "cuStreamSynchronize"]):
        with Failing(*names), pytest.raises(gpuarray.CudaError):
            gpuarray.to_device(host + 1)
        assert_same(gpuarray.to_device(host + 2)[::100000], (host + 2)[::100000])
        with Failing(*names), pytest.raises(gpuarray.CudaError):
            a.get()
        assert (a.get() == host).all()


def test_a_process_ends_with_memory_that_nothing_orders():
    run_python(
        """
        import ctypes, os
        import gpuarray
        one, two = gpuarray.Stream("cuda:0"), gpuarray.Stream("cuda:0")
        with one:
            a = gpuarray.full(1000, 5.0, device="cuda:0")
        with two:
            c = a * 2
        library = ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"])
        for name in (b"cuStreamWaitEvent", b"cuStreamSynchronize"):
            library.test_driver_fail(name, ctypes.c_int64(1), 400)
        del a
        """,
        **inherited_driver(),
    )
