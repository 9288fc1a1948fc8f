# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What ends in host functions, which may not call the driver."""

import gc
import threading

import numpy as np
import pytest
from _support.faults import run_silently

import gpuarray

pytestmark = pytest.mark.cuda
MIB = 1 << 20


def call_and_wait(stream, function, *arguments):
    """Run it as a host function that has ended, arguments and all."""
    done = threading.Event()

    class Last:
        def __del__(self):
            done.set()

    stream.launch_host_func(function, *arguments, Last())
    del arguments, stream
    assert done.wait(30)


def cached():
    gpuarray.memory.release_cached()
    return gpuarray.memory.memory_info().cached


@pytest.fixture
def before(cuda):
    """What tests before this one in the process have left in the pools of their streams."""
    gc.collect()
    gpuarray.synchronize()
    return cached()


def test_streams_leave_their_memory_to_others(before):
    for _ in range(8):
        stream = gpuarray.Stream()
        with stream:
            gpuarray.zeros(20 * MIB, np.uint8)
        stream.synchronize()
        held = [stream]
        del stream
        call_and_wait(held[0], lambda held, last: held.clear(), held)
    assert cached() <= before
    assert gpuarray.ones(3).sum().item() == 3


def make_stream():
    stream = gpuarray.Stream()
    with stream:
        gpuarray.zeros(20 * MIB, np.uint8)
    return stream


def make_event():
    event = gpuarray.Event()
    event.record()
    return event


def make_graph():
    x = gpuarray.ones(1000)
    with gpuarray.capture() as graph:
        x += 1
    graph.launch()
    return graph


def make_capture():
    with gpuarray.capture() as graph:
        made = gpuarray.ones(1000) + 1
    return graph, made


def make_array():
    return gpuarray.zeros(MIB)


def make_pool():
    pool = gpuarray.memory.PoolResource(gpuarray.memory.DriverResource())
    with gpuarray.using_allocator(pool):
        gpuarray.zeros(MIB)
    return pool


def make_pending():
    transfer = gpuarray.zeros(MIB).get(blocking=False)
    transfer.wait()  # until then it is kept elsewhere too
    return transfer


def make_access():
    return gpuarray._core._open_access([gpuarray.ones(3)], [], gpuarray.Stream())


MAKERS = [
    make_stream,
    make_event,
    make_graph,
    make_capture,
    make_array,
    make_pool,
    make_pending,
    make_access,
]


@pytest.mark.parametrize("make", MAKERS)
def test_ends_in_a_host_function(make, before):
    """As the garbage collector does, which runs wherever Python does."""
    stream = gpuarray.Stream()
    for _ in range(3):
        held = [make()]
        call_and_wait(stream, lambda held, last: held.clear(), held)
    stream.synchronize()
    assert gpuarray.ones(3).sum().item() == 3
    del stream
    gc.collect()
    gpuarray.synchronize()
    assert cached() <= before


LATE = """
import warnings
warnings.simplefilter("ignore")
import ctypes, sys, time
import gpuarray

gpuarray.ones(3).sum().item()
libc = ctypes.CDLL(None)
libc.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
libc.__cxa_atexit(ctypes.cast(libc.usleep, ctypes.c_void_p), 500_000, None)
stream = gpuarray.Stream()
x = gpuarray.ones(1 << 20)
with stream:
    for _ in range(20):
        x = x + 1
stream.launch_host_func({})
"""


# One write: the end may come between the two that print() makes.
@pytest.mark.parametrize("call", [r"sys.stdout.write, 'called\n'", "time.sleep, 0.3"])
@pytest.mark.parametrize("place", ["stub", "cuda:0"])
def test_a_host_function_that_comes_after_the_interpreter_has_ended(place, call, request):
    """It is called before the end or never, and may last beyond; some exit handlers take long."""
    if place != "stub":
        request.getfixturevalue("cuda")
    assert run_silently(LATE.format(call), place) in ("", "called\n")


DURING_EXIT = """
import warnings
warnings.simplefilter("ignore")
{}
{}
gpuarray.Stream().launch_host_func(print, "called")
"""


def test_no_host_function_begins_once_gpuarray_has_ended():
    """One that asked for the GIL then could find the interpreter gone."""
    slow = "import atexit, time; atexit.register(time.sleep, 0.4)"
    printed = [
        run_silently(DURING_EXIT.format(*order), "stub", GPUARRAY_TEST_DRIVER_HOST_DELAY="200")
        for order in [(slow, "import gpuarray"), ("import gpuarray", slow)]
    ]
    assert printed == ["", "called\n"]


def test_the_main_thread_stays_that_of_the_program(cuda):
    """Python 3.12 and older take the thread that first imports threading for the main one."""
    out = run_silently(
        """
        import _thread, sys, gpuarray
        stream = gpuarray.Stream("cuda")
        stream.launch_host_func(lambda: __import__("threading"))
        stream.synchronize()
        print(sys.modules["threading"].main_thread().ident == _thread.get_ident())
    """,
        "cuda:0",
    )
    assert out.strip() == "True"
