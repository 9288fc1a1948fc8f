# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A process that forks in each state: the child is told or works, and the parent goes on."""

import os

import pytest
from _support.faults import FORK, run_silently
from _support.process import inherited_driver, run_python

on_test_driver = pytest.mark.skipif(
    "GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"
)

CHILD = """
import signal

def told():
    '''What a child says of the device, and computes on the cpu device.'''
    signal.alarm(30)
    for call in (lambda: a + b, lambda: b.get(), lambda: gpuarray.synchronize()):
        try:
            call()
            raise SystemExit("no error")
        except gpuarray.DeviceError as error:
            assert "fork" in str(error) and "spawn" in str(error)
    x = gpuarray.arange(5, device="cpu") * 2
    assert x.tolist() == [0, 2, 4, 6, 8]
"""

# Each leaves the parent in a state in which it forks with `forks()`.
STATES = {
    "a capture": """
with gpuarray.capture() as graph:
    c = a + b
    forks()
    d = c * 2
graph.launch()
assert (d.get() == 6).all()
""",
    "a graph": """
with gpuarray.capture() as graph:
    c = a + b
forks()
graph.launch()
assert (c.get() == 3).all()
""",
    "a window of operations that wait": """
with gpuarray.fusion("always"):
    c = a * 2
    d = c + b
    forks()
    assert (d.get() == 4).all() and (c.get() == 2).all()
""",
    "pending work": """
go = threading.Event()
stream.launch_host_func(go.wait)
with stream:
    c = a + b
    event = gpuarray.Event().record()
forks()
go.set()
assert (c.get() == 3).all()
event.synchronize()
""",
    "a host function at work": """
inside, go = threading.Event(), threading.Event()
stream.launch_host_func(lambda: (inside.set(), go.wait()))
with stream:
    c = a + b
waits = threading.Thread(target=stream.synchronize)
waits.start()
inside.wait()
forks()
go.set()
waits.join()
assert (c.get() == 3).all()
""",
    "a queued copy": """
go = threading.Event()
stream.launch_host_func(go.wait)
with stream:
    copy = (a + b).get(blocking=False)
forks()
go.set()
assert (copy.wait() == 3).all()
""",
    "an iterator that prefetches": """
arrays = gpuarray.prefetch_to_device(np.full(4, k) for k in range(9))
assert next(arrays).tolist() == [0] * 4
forks()
assert [x.tolist() for x in arrays] == [[k] * 4 for k in range(1, 9)]
""",
    "a compilation of another thread": """
def compile_one():
    gpuarray.Module('extern "C" __global__ void empty() {}')

thread = threading.Thread(target=compile_one)
thread.start()
forks()
thread.join()
""",
}


@on_test_driver
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_fork_with_the_device_in_use(state):
    code = FORK + CHILD + "def forks(): in_child(told)\n" + state
    code += "assert ((a + b).get() == 3).all()\n"
    run_python(code, **inherited_driver())


SLOW_COMPILER = """#!/bin/sh
touch {begun}
sleep 0.7
exec c++ "$@"
"""


def test_fork_while_another_thread_compiles_for_the_cpu_device(tmp_path):
    """The child does not wait for a thread that it does not have."""
    compiler, begun = tmp_path / "c++", tmp_path / "begun"
    compiler.write_text(SLOW_COMPILER.format(begun=begun))
    compiler.chmod(0o755)
    run_silently(
        FORK
        + f"""
import os, signal, time
triple = gpuarray.ElementwiseKernel("T x", "T y", "y = 3 * x")

def child():
    signal.alarm(30)
    assert (triple(a).get() == 3).all()
    assert (gpuarray.ElementwiseKernel("T x", "T y", "y = 4 * x")(a).get() == 4).all()

thread = threading.Thread(target=triple, args=[a])
thread.start()
while not os.path.exists({str(begun)!r}):
    time.sleep(0.01)
in_child(child)
thread.join()
assert (triple(a).get() == 3).all()
""",
        "cpu",
        CXX=str(compiler),
        GPUARRAY_CACHE_DIR=str(tmp_path / "cache"),
    )


def test_fork_as_another_thread_begins_to_compile_for_the_cpu_device(tmp_path):
    """Nor for what that thread makes once a process: each try is in a process of its own."""
    run_silently(
        FORK
        + """
import signal, time
triple = gpuarray.ElementwiseKernel("T x", "T y", "y = 3 * x")

def call():
    try:
        triple(a)
        raise SystemExit("no error")
    except gpuarray.CompileError:
        pass

def child():
    signal.alarm(30)
    call()

def forks_after(seconds):
    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(seconds)
    in_child(child)
    thread.join()

for k in range(10):
    in_child(lambda: forks_after(k / 2500))
""",
        "cpu",
        CXX="/bin/false",
        GPUARRAY_CACHE_DIR=str(tmp_path / "cache"),
    )


def test_fork_within_a_window_of_the_cpu_device():
    run_silently(
        FORK
        + """
import signal

def child():
    signal.alarm(30)
    assert (d.get() == 4).all() and (c.get() == 2).all()

with gpuarray.fusion("always"):
    c = a * 2
    d = c + b
    in_child(child)
    assert (d.get() == 4).all() and (c.get() == 2).all()
""",
        "cpu",
    )


def test_fork_while_another_thread_has_operations_pending():
    """The child runs them, as the parent does, and the thread's in the parent go on."""
    run_silently(
        FORK
        + """
import signal, threading

made, forked = [], threading.Event()
ready = threading.Event()

def work():
    made.append(a * 2 + b)
    made.append(a * 3)
    ready.set()
    forked.wait(30)
    made.append(made[0] + 1)

def child():
    signal.alarm(30)
    assert (made[0].get() == 4).all() and ((made[1] + 1).get() == 4).all()
    assert float(((a * 2 + a) * 2).sum()) == 6 * a.size

with gpuarray.fusion("always"):
    thread = threading.Thread(target=work)
    thread.start()
    ready.wait(30)
    in_child(child)
    forked.set()
    thread.join()
    assert (made[2].get() == 5).all() and (made[1].get() == 3).all()
""",
        "cpu",
    )


def test_a_fork_ends_while_other_threads_make_locks_without_end():
    run_silently(
        FORK
        + """
import signal
from gpuarray._common import fork_locks

class Lock:
    def acquire(self, blocking=True):
        if blocking:  # another thread makes the next lock while this one is waited for
            add(Lock())
        return True
    def release(self):
        pass
    def _at_fork_reinit(self):
        pass

locks = []
def add(lock):
    locks.append(lock)
    fork_locks._waited[next(fork_locks._numbers)] = lock

add(Lock())
signal.alarm(60)
in_child(lambda: None)
""",
        "cpu",
    )
