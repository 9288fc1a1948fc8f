# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Children of fork: what they may use, and that nothing they inherited holds them up."""

import pytest
from _support.faults import FORK, PLACES, START, SUBMITTING, run_silently


@pytest.mark.parametrize("place", ["stub", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_a_forked_child_is_told(place):
    run_silently(
        FORK
        + """
CALLS = [
    lambda: a + b, lambda: a.__iadd__(1), lambda: a @ b.T, lambda: a.sum(), lambda: a.get(),
    lambda: a.set(np.ones((3, 4))), lambda: repr(a), lambda: print(a), lambda: a[0, 0].item(),
    lambda: bool(a[0, 0]), lambda: a.copy(), lambda: a.to_device("cpu"), lambda: memoryview(a),
    lambda: np.asarray(a), lambda: gpuarray.zeros(3), lambda: gpuarray.to_device(np.ones(1 << 20)),
    lambda: pinned.get(), lambda: gpuarray.Stream(), lambda: stream.synchronize(),
    lambda: stream.done, lambda: stream.wait(stream.from_external(1)),
    lambda: gpuarray.synchronize(),
    lambda: gpuarray.device("cuda:0").memory_info(), lambda: gpuarray.concatenate([a, b]),
    lambda: a.astype("int8"), lambda: gpuarray.arange(5), lambda: a.tobytes(),
]

def child():
    global a, b, pinned, stream
    for number, call in enumerate(CALLS):
        try:
            call()
        except gpuarray.DeviceError as error:
            assert "fork" in str(error) and "spawn" in str(error), (number, error)
        else:
            raise SystemExit(f"call {number} says nothing")
    assert a[1:].T.shape == (4, 2) and a.dtype == np.float64, "views need no driver"
    x = gpuarray.arange(5, device="cpu") * 2
    assert x.tolist() == [0, 2, 4, 6, 8]
    del a, b, pinned, stream

in_child(child)
assert a.get().shape == (3, 4) and (b + 1).get().shape == (3, 4)
""",
        place,
    )


@pytest.mark.parametrize("place", PLACES)
def test_a_forked_child_ends_quietly_with_all_it_inherited(place):
    run_silently(FORK + "in_child(lambda: None)\nassert b.get().shape == (3, 4)\n", place)


def test_a_child_forked_before_cuda_is_used_may_use_it():
    run_silently(
        START
        + """
import os
child = os.fork()
x = gpuarray.to_device(np.ones(3))
assert x.get().tolist() == [1, 1, 1]
assert str(x.device) == "cuda:0"
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""",
        "stub",
    )


def test_the_cpu_device_works_in_a_forked_child():
    run_silently(
        FORK
        + """
def child():
    assert (a + b).sum().item() == 36
    assert gpuarray.zeros(3).tolist() == [0, 0, 0]
in_child(child)
""",
        "cpu",
    )


@pytest.mark.parametrize("mode", ["always", "auto"])
def test_fork_while_other_threads_run_operations_that_waited(mode):
    """What another thread was running is lost; whatever else the child computes is right."""
    run_silently(
        FORK
        + """
gpuarray.fusion(MODE)
x = gpuarray.ones(1 << 18, np.float32)
made = [None] * 3

def work(number):
    y = x * 2
    z = y + x
    made[number] = [y, z, z - y]
    made[number][-1].get()

def child():
    for lost in sum(made, []):
        later = lost * 2 + lost
        lost += 1
        later.get(), lost.get()
    for _ in range(5):
        y = x * 2 + x
        assert (y.get() == 3).all() and float((y - x).sum()) == 2 * x.size

in_children_beside(work, child)
""".replace("MODE", repr(mode)),
        "cpu",
        PYTHONWARNINGS="ignore",
    )


@pytest.mark.parametrize("place", ["stub", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_fork_while_another_thread_queues_work(place):
    run_silently(
        FORK
        + SUBMITTING
        + """
import signal

def child():
    signal.alarm(30)
    for call in (lambda: a.__iadd__(1), lambda: a.__cuda_array_interface__, lambda: a.fill(2)):
        try:
            call()
            raise SystemExit("no error")
        except gpuarray.DeviceError as error:
            assert "fork" in str(error)

thread.start()
inside.wait()
in_child(child)
go.set()
thread.join()
""",
        place,
    )


@pytest.mark.parametrize("place", ["stub", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_fork_while_other_threads_transfer(place):
    """Locks that other threads held at the fork are not waited for in the child."""
    run_silently(
        FORK
        + """
def work(number):
    gpuarray.to_device(np.ones(1 << 19)).get()

def child():
    global a, pinned
    for call in (lambda: a + a, lambda: pinned.get(), lambda: gpuarray.zeros(3), lambda: a.copy()):
        try:
            call()
            raise SystemExit("no error")
        except gpuarray.DeviceError:
            pass
    del a, pinned

in_children_beside(work, child)
""",
        place,
        PYTHONWARNINGS="ignore",
    )
