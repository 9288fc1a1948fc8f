# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Accesses that are closed on another thread than they were opened on."""

import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from _support.process import run_python

import gpuarray
from gpuarray import _core


def run_on_this_driver(code):
    """What hangs there ends with an error here."""
    start = "import faulthandler\nfaulthandler.dump_traceback_later(60, exit=True)\n"
    run_python(start + code, **{k: v for k, v in os.environ.items() if k.startswith("GPUARRAY_")})


def on_a_thread(function, *args):
    """function(*args) on a thread of its own, which must end."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*args)), daemon=True)
    thread.start()
    thread.join(30)
    assert results, "the thread hangs, or an exception has ended it"
    return results[0]


def total(array):
    return (array + 1).sum().item()


def works_everywhere(a):
    assert on_a_thread(total, a) == total(a) == 8
    with gpuarray.access(writes=[a]):
        assert total(a) == 8
    assert on_a_thread(total, a) == 8


def test_leaving_the_block_on_another_thread_is_an_error_that_closes_it(device):
    a = gpuarray.ones(4)
    block = gpuarray.access(writes=[a])
    on_a_thread(block.__enter__)
    with pytest.raises(RuntimeError, match="entered on one thread and left on another"):
        block.__exit__(None, None, None)
    works_everywhere(a)


def test_a_generator_that_ends_on_another_thread(device):
    a = gpuarray.ones(4)

    def steps():
        with gpuarray.access(reads=[a]) as stream:
            yield stream
            yield stream

    running = steps()
    on_a_thread(next, running)
    with pytest.raises(RuntimeError, match="another"):
        running.close()
    works_everywhere(a)


def test_an_access_that_another_thread_collects(device):
    a = gpuarray.ones(4)
    held = []

    def open_one():
        held.append(_core._open_access([], [a], None)[1])
        return total(a)

    assert on_a_thread(open_one) == 8
    on_a_thread(lambda: held.clear() or 1)
    works_everywhere(a)


def test_accesses_of_several_threads_closed_in_any_order(device):
    a = gpuarray.ones(4)

    def two():
        return [_core._open_access([a], [], None)[1] for _ in range(2)]

    opened = on_a_thread(two)
    del opened[0]
    gc.collect()
    del opened[0]
    works_everywhere(a)


OPERATION = """
pool = gpuarray.memory.PoolResource(gpuarray.memory.DriverResource())

class Allocator:
    blocks = {}

    def allocate(self, nbytes, stream):
        held.clear()
        with gpuarray.memory.using_allocator(pool):
            block = gpuarray.empty(nbytes, "u1")
        self.blocks[block.ptr] = block
        return block.ptr

    def deallocate(self, ptr, nbytes, stream):
        del self.blocks[ptr]

time.sleep(0.2)  # the other thread waits now
with gpuarray.memory.using_allocator(gpuarray.memory.ExternalResource(Allocator())):
    assert big.sum().item() == 1 << 16 and not held
"""
CLOSE = {
    "another": "held.clear()\nassert (other + 1).sum().item() == 8",
    "another amid an operation": OPERATION,
    "own": "",
}


@pytest.mark.cuda
@pytest.mark.parametrize("closer", CLOSE)
def test_an_access_of_a_thread_that_waits_amid_an_operation(cuda, closer):
    run_on_this_driver(f"""
import threading, time
import gpuarray
from gpuarray import _core

shared, other, big = gpuarray.zeros(1 << 20), gpuarray.ones(4), gpuarray.ones(1 << 16)
shared.fill(0)
assert big.sum().item() == 1 << 16
copying, opened, held = threading.Event(), threading.Event(), []

def copy():
    with gpuarray.Stream() as stream:
        stream.launch_host_func(threading.Event().wait, 0.5)
        copying.set()
        assert not shared.get().any()

def write():
    held.append(_core._open_access([], [other], None)[1])
    opened.set()
    shared.fill(3)  # waits for the copy, which is under way
    if {closer == "own"}:
        _core._close_access(held.pop())

threads = [threading.Thread(target=copy), threading.Thread(target=write)]
threads[0].start()
copying.wait()
threads[1].start()
opened.wait()
{CLOSE[closer]}
[thread.join() for thread in threads]
assert (shared.get() == 3).all() and (other + 1).sum().item() == 8
""")


class Lent:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@contextmanager
def copying(array):
    """While another thread copies the array for a second."""
    began = threading.Event()

    def copy():
        with gpuarray.Stream() as stream:
            stream.launch_host_func(time.sleep, 1)
            began.set()
            array.get()

    with ThreadPoolExecutor(1) as threads:
        copied = threads.submit(copy)
        began.wait()
        time.sleep(0.1)
        yield
        copied.result()


@pytest.mark.cuda
def test_a_value_while_its_operation_waits_and_its_array_is_written(cuda):
    x, shared = gpuarray.full(16, 7.0), gpuarray.zeros(1 << 20)
    out = shared[:1].reshape(())
    value = x[3]

    def write():
        time.sleep(0.1)
        x.fill(9)

    with ThreadPoolExecutor(1) as threads, copying(shared):
        written = threads.submit(write)
        start = time.perf_counter()
        value.sum(out=out)
        assert time.perf_counter() - start > 0.15, "it has not waited, so that this tests nothing"
        written.result()
    assert (out.item(), value.item(), x[3].item()) == (7, 7, 9)


@pytest.mark.cuda
def test_a_value_that_moves_while_another_thread_copies_it(cuda):
    """Its array is free again once the copy is done."""
    x, out = gpuarray.full(16, 7.0), gpuarray.zeros(())
    value, other = x[3], x[4]
    with copying(value):
        value.sum(out=out)
    assert out.item() == 7
    assert on_a_thread(lambda: x.__cuda_array_interface__["shape"]) == (16,)
    with copying(gpuarray.zeros(8)):
        start = time.perf_counter()
        x.fill(9)
        assert time.perf_counter() - start < 0.7, "it waits for a copy of something else"
    assert (value.item(), other.item(), x[3].item()) == (7, 7, 9)


def test_a_value_copied_to_another_device_while_a_thread_copies(two_cuda_devices):
    x = gpuarray.full(16, 7.0, device="cuda:0")
    value = x[3]
    with gpuarray.device("cuda:0"), copying(gpuarray.zeros(8)):
        assert value.to_device("cuda:1").item() == 7
    x.fill(9)
    assert (value + 1).item() == 8
    assert gpuarray.asarray(Lent(value)).device == "cuda:0"  # as the driver says of its memory
