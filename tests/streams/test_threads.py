# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Several threads at once, on arrays of their own and on shared ones that none writes."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support.compare import assert_same
from _support.faults import run_silently
from _support.measure import nothing_leaks
from _support.process import FREE_THREADED, THREADS, run_python, run_together

import gpuarray


def test_arrays_of_their_own(device):
    def work(number):
        x = gpuarray.full(50000, number, np.int64, device=device)
        for _ in range(20):
            x = (x * 3 + 1) % 1000003
            x[::2] += x[1::2]
        return x.get()

    results = run_together(work)
    for number, got in enumerate(results):
        x = np.full(50000, number)
        for _ in range(20):
            x = (x * 3 + 1) % 1000003
            x[::2] += x[1::2]
        assert_same(got, x)


def test_one_array_read_by_all(device):
    host = np.arange(200000.0)
    x = gpuarray.to_device(host)

    def work(number):
        view = x[number::THREADS]
        return (view + number).sum().item(), np.asarray(view)[-1], x.max().item(), x.T[5].item()

    for number, got in enumerate(run_together(work)):
        part = host[number::THREADS]
        assert got == (float((part + number).sum()), part[-1], 199999.0, 5.0)


def test_work_handed_from_thread_to_thread(device):
    """Each on a stream of its own; both hear only that the other's work is queued."""
    x = gpuarray.zeros(1 << 14, np.int64, device=device)
    filled, read = threading.Semaphore(0), threading.Semaphore(0)
    made = []

    def fill():
        with gpuarray.Stream(device=device):
            for k in range(50):
                x.fill(k)
                filled.release()
                assert read.acquire(timeout=30)

    def add():
        with gpuarray.Stream(device=device):
            for _ in range(50):
                assert filled.acquire(timeout=30)
                made.append(x + 1)
                read.release()

    with ThreadPoolExecutor(2) as pool:
        for ended in [pool.submit(fill), pool.submit(add)]:
            ended.result()
    assert len(made) == 50
    for k, got in enumerate(made):
        assert_same(got, np.full(1 << 14, k + 1))


def test_views_and_references_from_all(device):
    x = gpuarray.arange(1000)

    def work(number):
        for step in range(1, 200):
            view = x[::step][None].T
            assert view.shape == (-(-1000 // step), 1)
            view.dtype, view.device, view.flags.owndata, repr(view)[:5]

    with nothing_leaks(device, x):
        run_together(work)


def test_errors_in_all(device):
    x = gpuarray.ones(3)

    def work(number):
        for _ in range(100):
            with pytest.raises(ValueError, match="broadcast"):
                x + gpuarray.ones(number + 4, device=device)
            with pytest.raises(IndexError, match=str(number + 3)):
                x[number + 3]
        return True

    assert all(run_together(work))


def test_exchange_from_all():
    x = gpuarray.arange(1000.0, device="cpu")

    def work(number):
        for _ in range(100):
            assert np.from_dlpack(x)[number] == number
            assert np.asarray(x)[number] == number
            assert memoryview(x)[number] == number
        return True

    with nothing_leaks("cpu", x):
        assert all(run_together(work))


def test_first_use_in_all():
    """The driver, the tables and the caches are filled once, whoever comes first."""
    out = run_python("""
        import threading, warnings
        warnings.simplefilter("ignore")
        import gpuarray
        barrier, results = threading.Barrier(8), []
        def work(number):
            barrier.wait()
            x = gpuarray.full(1000, number)
            results.append((x * x).sum().item())
        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(sorted(results))
    """)
    assert out.strip() == str([1000 * n * n for n in range(8)])


@pytest.mark.skipif(FREE_THREADED, reason="this Python has no GIL to release")
def test_long_work_releases_the_interpreter():
    """On the cpu device another thread runs while a long operation does."""
    x = gpuarray.ones(10_000_000, device="cpu")
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    with gpuarray.fusion("off"):
        for _ in range(3):
            gpuarray.sin(x)
    stop.set()
    thread.join()
    assert ticks[0] >= 5


def test_streams_in_all(device):
    x = gpuarray.ones(100000, np.int64)

    def work(number):
        with gpuarray.Stream(device):
            y = x * number
            for _ in range(10):
                y += x
            return y.sum().item()

    assert run_together(work) == [100000 * (n + 10) for n in range(THREADS)]


def test_daemon_threads_at_the_end_of_the_process(device):
    code = f"""
        import threading, time
        import numpy as np, gpuarray

        def work():
            while True:
                gpuarray.to_device(np.arange(200000.0), device={device!r}).get()

        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
        print("end")
    """
    assert run_python(code) == "end\n"


def run_on_this_driver(code):
    """What hangs there ends with an error here."""
    run_python(code, **{k: v for k, v in os.environ.items() if k.startswith("GPUARRAY_")})


@pytest.mark.cuda
def test_an_allocator_amid_an_operation_waits_for_another_threads_copy(cuda):
    run_on_this_driver("""
        import faulthandler, threading
        import gpuarray
        from gpuarray import memory

        faulthandler.dump_traceback_later(60, exit=True)
        shared, big = gpuarray.zeros(1 << 20), gpuarray.ones(1 << 20)
        assert big.sum() == 1 << 20 and shared.sum() == 0  # kernels compile now
        copying, pool, blocks = threading.Event(), memory.PoolResource(memory.DriverResource()), {}

        class Allocator:
            def allocate(self, nbytes, stream):
                with memory.using_allocator(pool):
                    shared.fill(3)
                    block = gpuarray.empty(nbytes, "uint8")
                blocks[block.ptr] = block
                return block.ptr

            def deallocate(self, ptr, nbytes, stream):
                del blocks[ptr]

        def copy():
            with gpuarray.Stream() as stream:
                stream.launch_host_func(threading.Event().wait, 0.5)
                copying.set()
                assert not shared.get().any()

        out = gpuarray.empty(())
        thread = threading.Thread(target=copy)
        thread.start()
        copying.wait()
        while thread.is_alive():
            with memory.using_allocator(memory.ExternalResource(Allocator())):
                assert big.sum(out=out).item() == 1 << 20
        assert (shared.get() == 3).all()
    """)


@pytest.mark.cuda
def test_a_host_functions_argument_may_end_slowly(cuda):
    run_on_this_driver("""
        import faulthandler, threading, time
        import gpuarray

        faulthandler.dump_traceback_later(60, exit=True)

        class Argument:
            def __del__(self):
                ending.set()
                time.sleep(0.2)

        ending, stream = threading.Event(), gpuarray.Stream()
        x = gpuarray.ones(())
        stream.launch_host_func(lambda argument: None, Argument())
        while not ending.wait(0.01):
            pass  # without a GIL the argument ends on the thread that made it
        gpuarray.set_launch_blocking(True)
        with stream:
            assert (x + 1).item() == 2
    """)


@pytest.mark.cuda
def test_the_end_of_lent_memory_where_another_library_has_given_up_the_gil(cuda):
    run_on_this_driver("""
        import ctypes, time
        import gpuarray

        api, name, used = ctypes.pythonapi, b"dltensor", b"used_dltensor"  # a capsule keeps no name
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        stream, other = gpuarray.Stream(), gpuarray.Stream()
        x = gpuarray.ones(1000)
        capsule = ctypes.py_object(x.__dlpack__())
        tensor = api.PyCapsule_GetPointer(capsule, name)
        api.PyCapsule_SetName(capsule, used)
        with other:
            y = x + 1
        del x
        stream.launch_host_func(time.sleep, 0.2)  # the driver's calls may block
        deleter = ctypes.c_void_p.from_address(tensor + 56).value
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(tensor)  # without the GIL
        del capsule
        assert (y.get() == 2).all()
    """)


@pytest.mark.cuda
def test_arrays_of_a_capture_that_end_while_it_does(cuda):
    for _ in range(20):
        made, ending = [], threading.Event()

        def end(made=made, ending=ending):
            ending.wait()
            while made:
                made.pop()

        thread = threading.Thread(target=end)
        thread.start()
        with gpuarray.capture() as graph:
            x = gpuarray.ones(100)
            made += [x + k for k in range(50)]
            y = made[0] + 1
            ending.set()
        thread.join()
        graph.launch()
        assert (y.get() == 2).all()


def test_entering_a_stream_imports_nothing():
    """An import gives up the GIL, and another thread could come to the same place."""
    run_python("""
        import sys
        import gpuarray

        sys.modules["contextvars"] = None
        with gpuarray.Stream("cpu") as stream:
            assert gpuarray.current_stream("cpu") == stream
    """)


@pytest.mark.parametrize("place", ["cpu", "stub", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_threads_that_are_the_first_to_use_the_device_together(place):
    """Loading the driver releases the GIL; who waits for it meanwhile must not keep it."""
    run_silently(
        """
        import sys, threading, warnings
        warnings.simplefilter("ignore")
        import gpuarray
        sys.setswitchinterval(1e-6)
        start = threading.Barrier(8)
        def work():
            start.wait()
            gpuarray.default_device()
            gpuarray.ones(3)
        threads = [threading.Thread(target=work) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        """,
        place,
        timeout=60,
    )


def test_a_thread_has_its_turn_beside_a_busy_one():
    """It waits for what others run then, not for a moment in which they run nothing."""
    x = gpuarray.to_device(np.arange(30_000.0), device="cpu")
    y, done, late = x.copy(), threading.Event(), time.monotonic() + 20

    def write():
        while not done.is_set() and time.monotonic() < late:
            y[...] = x

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(20):
        gpuarray.interp(x, x, x)
    in_time = writer.is_alive()
    done.set()
    writer.join()
    assert in_time
