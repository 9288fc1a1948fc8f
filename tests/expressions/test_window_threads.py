# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Operations that wait are those of their thread; what another thread needs of them runs first."""

import ctypes
import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support import window_programs
from _support.compare import assert_same
from _support.measure import Counted
from _support.window_programs import fusion

import gpuarray
from gpuarray import _core

SHAPE = (40, 50)


@pytest.fixture
def thread(device):
    """Call a function on another thread, which lives until the test ends."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda function: pool.submit(function).result(60)


def on_a_thread_that_ends(function):
    found = []
    work = threading.Thread(target=lambda: found.append(function()))
    work.start()
    work.join(60)
    return found[0]


def values(seed):
    return np.random.default_rng(seed).random(SHAPE, dtype="f4") + 0.5


def test_threads_that_alternate_have_groups_of_their_own(thread):
    x, y = gpuarray.to_device(values(0)), gpuarray.to_device(values(1)[1:])
    with gpuarray.fusion("always"), Counted() as counted:
        mine, its = x, [y]

        def step():
            its[0] = its[0] * 2 + 1

        for _ in range(5):
            mine = mine * 2 + 1
            thread(step)
        got = mine.get(), thread(lambda: its[0].get())
    assert counted.stats[:2] == (2, 20)
    for found, host in zip(got, (values(0), values(1)[1:]), strict=True):
        assert_same(found, host * 32 + 31)


def test_threads_that_alternate_are_both_learned(thread):
    """In auto mode, and although each runs its operations between those of the other."""
    x, y = gpuarray.ones((300, 1000), "f4"), gpuarray.ones((301, 1000), "f4")
    if gpuarray.default_device().kind != "cpu":
        pytest.skip("the cpu device waits without a compiler")

    def chain(array):
        return array * 2 + 1 - array * array + 3

    with gpuarray.fusion("auto"):
        for _ in range(6):
            its = thread(lambda: chain(y))
            mine = chain(x)
            thread(lambda its=its: its.get())
            mine.get()
            _core._finish_compilations()
        with Counted() as counted:
            its = thread(lambda: chain(y))
            mine = chain(x)
            thread(lambda its=its: its.get())
            mine.get()
    assert counted.stats[:2] == (2, 10)


# What another thread does with what waits: `made` by an operation, `changed` in place, and `read`
# by operations that wait.
USES = {
    "reads": lambda made, changed, read: [made.get(), changed.get(), read.get()],
    "reduces": lambda made, changed, read: [made.sum(0).get(), changed.max(1).get(), read.sum(0)],
    "joins": lambda made, changed, read: [made + 1, changed * made, read + changed],
    "writes": lambda made, changed, read: [x.fill(k) for k, x in enumerate((made, changed, read))],
    "assigns": lambda made, changed, read: [
        read.__setitem__(..., made),
        made.__setitem__(slice(3), changed[1]),
    ],
    "adds in place": lambda made, changed, read: [
        read.__iadd__(made),
        made.__imul__(3),
        changed.__isub__(1),
    ],
    "writes out": lambda made, changed, read: [
        gpuarray.add(made, 1, out=read),
        gpuarray.multiply(read, 2, out=made),
    ],
    "multiplies": lambda made, changed, read: [made @ changed.T, read @ made.T],
    "sorts": lambda made, changed, read: [read.sort(), gpuarray.sort(made)],
    "indexes": lambda made, changed, read: [made[3], changed[made > 2], read[0, 0].item()],
    "lends": lambda made, changed, read: [
        gpuarray.from_dlpack(made),
        gpuarray.from_dlpack(read).fill(2),
    ],
    "gives addresses": lambda made, changed, read: [bool(made.ptr), bool(read.ptr)],
    "fuses": lambda made, changed, read: [gpuarray.fuse(lambda a, b: a * b + 1)(made, changed)],
    "transforms": lambda made, changed, read: [gpuarray.fft.rfft(made)],
    "copies": lambda made, changed, read: [made.copy(), changed.astype("f8"), read.T.copy()],
    "opens": lambda made, changed, read: [opened(made, read)],
    "deletes": lambda made, changed, read: [0 * gc.collect()],
    "waits for it": lambda made, changed, read: [made.synchronize()],
    "waits": lambda made, changed, read: [gpuarray.synchronize(made.device)],
}


def opened(made, read):
    with gpuarray.access([made], [read]):
        return [(made + 1).get(), read.__iadd__(1)]


def seen(value):
    if isinstance(value, list | tuple):
        return [seen(part) for part in value]
    if isinstance(value, gpuarray.GPUArray):
        value = value.get()
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


def outcome(use, mode, start):
    with fusion(mode):
        first, changed, read = (gpuarray.to_device(values(k)) for k in range(3))

        def work():
            nonlocal changed
            made = first * 3 + read
            changed *= 2
            return made, read - changed

        made, reader = start(work)
        results = seen(use(made, changed, read))
        return results, seen([made, reader, changed, read, first])


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("ends", [False, True])
def test_what_another_thread_needs_runs_first(device, thread, name, ends):
    start = on_a_thread_that_ends if ends else thread
    expected = outcome(USES[name], "off", lambda work: work())
    for mode in ("always", "auto", "adversary:3"):
        assert outcome(USES[name], mode, start) == expected


class Spread(window_programs.Program):
    """A program whose statements run on several threads, one at a time."""

    def __init__(self, seed, device, pools):
        super().__init__(seed, device)
        self.pools, self.order = pools, np.random.default_rng(seed + 1)

    def call(self, step):
        def work():
            with np.errstate(all="ignore"):
                step()

        pool = self.pools[int(self.order.integers(len(self.pools)))]
        pool.submit(work).result(60)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_programs_on_several_threads(device, first):
    pools = [ThreadPoolExecutor(1) for _ in range(3)]
    for seed in range(first, first + 10):
        expected = window_programs.run(seed, device, "off")
        for mode in ("auto", "always", f"adversary:{seed}"):
            with fusion(mode):
                assert Spread(seed, device, pools).run(40) == expected, (seed, mode)
    for pool in pools:
        pool.shutdown()


def test_what_a_thread_leaves_is_run_by_any_call(device):
    x = gpuarray.to_device(values(0))
    with gpuarray.fusion("always"):
        before = gpuarray.fusion_stats().windows
        made = on_a_thread_that_ends(lambda: [x * k + 1 for k in range(3)])
        assert gpuarray.fusion_stats().windows == before + 1
        for k, array in enumerate(made):
            assert_same(array, values(0) * np.float32(k) + 1)


def test_many_threads_that_end_take_no_more_memory(device):
    """Each one takes what the last one left."""
    x = gpuarray.ones(1000, "f4")
    with gpuarray.fusion("always"):
        for k in range(100):
            array = on_a_thread_that_ends(lambda k=k: x * k + 1)
            if k % 10 == 0:
                assert array[7].item() == k + 1


def test_threads_that_all_use_what_others_have_pending(device):
    """Each one adds to the array of the next, one thread after the other, and no one reads."""
    count, rounds = 4, 30
    arrays = [gpuarray.zeros(1000, "i8") for _ in range(count)]
    turn = threading.Condition()
    now = [0]

    def work(number):
        with gpuarray.device(device):
            for _ in range(rounds):
                with turn:
                    turn.wait_for(lambda: now[0] % count == number, 60)
                    arrays[(number + 1) % count] += arrays[number] + 1
                    now[0] += 1
                    turn.notify_all()

    expected = [0] * count
    for k in range(count * rounds):
        expected[(k + 1) % count] += expected[k % count] + 1
        expected[(k + 1) % count] = (expected[(k + 1) % count] + 2**63) % 2**64 - 2**63
    with gpuarray.fusion("always"), ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
        assert [array[7].item() for array in arrays] == expected


def test_an_error_of_another_threads_operations_comes_to_who_runs_them(device, thread):
    """And leaves both threads as they were."""
    x = gpuarray.to_device(values(0))
    with gpuarray.fusion("always"):
        made = thread(lambda: x * 2)
        with pytest.raises(ValueError, match="do not broadcast"):
            made + made[:3, :3]
        assert_same(thread(lambda: made + 1), values(0) * 2 + 1)
        assert_same(made + 2, values(0) * 2 + 2)


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_threads_that_write_rows_of_one_array_at_once_lose_none(device, mode):
    x = gpuarray.ones(100_000, "f4", device=device)
    with gpuarray.fusion(mode), ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            out = gpuarray.zeros((16, x.size), "f4", device=device)

            def work(k, out=out):
                y = x * k
                y += 1
                out[k] = y

            list(pool.map(work, range(16)))
            assert out[:, 0].get().tolist() == list(range(1, 17))


def test_an_element_that_another_thread_replaced_is_another_operand(thread):
    """Where the element lay that pending operations read, which was moved before."""
    x, z = gpuarray.full(30_000, 5, "f4"), gpuarray.ones(30_000, "f4")

    def add_one():
        x.__iadd__(1)

    with gpuarray.fusion("always"):
        before = x[0]
        first = z * before
        thread(add_one)
        after = x[0]
        second, third = z * after, z * x[:1]
        assert [first[1], second[1], third[1]] == [5, 6, 6]


DRIVER = os.environ.get("GPUARRAY_LIBCUDA", "")


@pytest.mark.cuda
@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone")
def test_the_thread_that_runs_another_ones_group_gets_its_error(cuda, thread):
    driver = ctypes.CDLL(DRIVER)
    with gpuarray.fusion("always"):
        read = [gpuarray.full(30_000_000, 5, "f4")]
        gpuarray.synchronize()
        made = thread(lambda: read[0][:10] + 1)
        assert driver.test_driver_fail(b"cuLaunchKernelEx", ctypes.c_int64(1), 2) is not None
        read.clear()  # only the pending operation has that much memory, so that it runs
        driver.test_driver_fail(b"", ctypes.c_int64(0), 0)
        with pytest.raises(gpuarray.OutOfMemoryError):
            made.get()
        assert thread(lambda: gpuarray.ones(3).get().tolist()) == [1, 1, 1]


WAITS = {
    "synchronize": lambda stream, event: gpuarray.synchronize(),
    "device": lambda stream, event: gpuarray.default_device().synchronize(),
    "stream": lambda stream, event: stream.synchronize(),
    "query": lambda stream, event: stream.query(),
    "done": lambda stream, event: stream.done,
    "ptr": lambda stream, event: stream.ptr,
    "host function": lambda stream, event: stream.launch_host_func(int),
    "stream's record": lambda stream, event: stream.record(event),
    "event's record": lambda stream, event: event.record(stream),
    "event": lambda stream, event: event.synchronize(),
    "release": lambda stream, event: gpuarray.memory.release_cached(),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_what_waits_runs_the_groups_of_all_threads(device, thread, wait):
    stream, event = gpuarray.Stream(), gpuarray.Event()
    x = gpuarray.ones(SHAPE, "f4")
    with gpuarray.fusion("always"):
        event.record(stream)
        before = gpuarray.fusion_stats().windows
        made = thread(lambda: x * 2 + 1)
        wait(stream, event)
        left = thread(lambda: x + 1)  # which joins what still waits
        assert gpuarray.fusion_stats().windows == before + 2
    assert_same(left, x.get() + 1)
    assert_same(made, x.get() * 2 + 1)


@pytest.mark.cuda
def test_a_host_function_leaves_work_of_threads_that_ended(cuda):
    stream, x = gpuarray.Stream(), gpuarray.ones(1000, "f4")
    on_host = gpuarray.ones(1000, "f4", device="cpu")
    made, seen, ended = [], [], threading.Event()

    def work():
        made.append(x * 2)
        go.wait(60)

    def call():
        ended.wait(60)
        seen.append((on_host + 1)[0].item())

    with gpuarray.fusion("always"):
        go = threading.Event()
        other = threading.Thread(target=work)
        stream.launch_host_func(call)
        other.start()
        while not made:
            time.sleep(0.001)
        go.set()
        other.join()
        ended.set()
        stream.synchronize()
    assert seen == [2]
    assert_same(made[0], x.get() * 2)
