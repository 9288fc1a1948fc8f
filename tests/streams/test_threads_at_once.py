# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Threads that use the same things at once: arrays, functions, events, graphs, memory, streams.

On free-threaded Python they run side by side; elsewhere the interpreter changes between them as
often as it can.
"""

import faulthandler
import queue
import sys
import time

import numpy as np
import pytest
from _support.compare import assert_same
from _support.kernels import module
from _support.measure import nothing_leaks
from _support.process import FREE_THREADED, THREADS, run_python, run_together

import gpuarray
from gpuarray import memory

ROUNDS = 30


@pytest.fixture(autouse=True)
def changing_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    faulthandler.dump_traceback_later(180, exit=True)  # threads that hang end the tests
    yield
    faulthandler.cancel_dump_traceback_later()
    sys.setswitchinterval(before)


def on_a_stream(function):
    """The function of a thread's number, on a stream of its own."""

    def run(number):
        with gpuarray.Stream():
            return function(number)

    return run


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has a GIL")
def test_importing_leaves_the_gil_off():
    code = "import sys, gpuarray; gpuarray.ones(3, device='cpu'); print(sys._is_gil_enabled())"
    assert run_python(code) == "False\n"


READS = {
    "operators": lambda xp, x, i: (x * 2 + x).sum(),
    "reductions": lambda xp, x, i: x.mean(axis=0) + x.max(),
    "views": lambda xp, x, i: x[::2, 1:].T + 1,
    "rows": lambda xp, x, i: x[i],
    "masks": lambda xp, x, i: x[x > 0.5],
    "sorts": lambda xp, x, i: xp.sort(x, axis=1),
    "products": lambda xp, x, i: x @ x.T,
    "joins": lambda xp, x, i: xp.concatenate([x, x[:3]]),
    "elements": lambda xp, x, i: x[1, 2] * x[3, 4],
}


@pytest.mark.parametrize("name", READS)
def test_one_array_read_on_all_streams(device, name):
    read = READS[name]
    host, places = np.random.default_rng(1).random((40, 30)), np.array([3, 1, 3, 0])
    x, i = gpuarray.to_device(host), gpuarray.to_device(places)
    expected = read(np, host, places)

    @on_a_stream
    def work(number):
        return [np.asarray(read(gpuarray, x, i).get()) for _ in range(ROUNDS)]

    for results in run_together(work):
        for got in results:
            np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.cuda
@pytest.mark.parametrize("fusion", ["off", "auto", "always"])
def test_operations_in_place_on_all_streams_are_not_lost(cuda, fusion):
    x, one = gpuarray.zeros(16, np.int64), gpuarray.ones(16, np.int64)
    rounds = 100 * ROUNDS  # seldom two threads are between the same two steps

    @on_a_stream
    def work(number):
        for _ in range(rounds):
            x.__iadd__(one)

    with gpuarray.fusion(fusion):
        run_together(work)
        assert_same(x, np.full(16, THREADS * rounds))


@pytest.mark.cuda
def test_what_reads_sees_whole_writes(cuda):
    x = gpuarray.zeros(5000, np.int64)

    @on_a_stream
    def work(number):
        if number % 2:
            return [np.unique(x.get()).tolist() for _ in range(ROUNDS)]
        for step in range(ROUNDS):
            x.fill(1 + number * ROUNDS + step)
        return []

    seen = [values for results in run_together(work) for values in results]
    assert len(seen) == THREADS // 2 * ROUNDS
    assert all(len(values) == 1 for values in seen)


@pytest.mark.cuda
def test_values_stay_what_they_are_while_their_array_is_written(cuda):
    x = gpuarray.zeros(300, np.int64)

    @on_a_stream
    def work(number):
        for step in range(ROUNDS):
            if number % 2:
                x.fill(number * ROUNDS + step)
                continue
            value = x[number]
            doubled = value * 2
            first = value.item()
            assert value.item() == first
            assert doubled.item() == 2 * first
            assert (value + x[:5] * 0).get().tolist() == [first] * 5

    run_together(work)


@pytest.mark.parametrize("step", range(3))
def test_functions_that_all_call_first(device, step):
    """What a call finds missing is compiled, traced or made, once or several times."""
    host = np.arange(1.0, 100.0)
    functions = [
        gpuarray.fuse(lambda a, b: a * b + step),
        gpuarray.ElementwiseKernel("T a, T b", "T c", f"c = a * b + {step}"),
        lambda a, b: gpuarray.add(a * b, step),
    ]

    def work(number):
        results = []
        for dtype in ("f4", "f8", "i4", "i8"):
            a = gpuarray.to_device((host + number).astype(dtype))
            expected = a.get() * a.get() + step
            results += [(function(a, a), expected) for function in functions]
        return results

    for results in run_together(work):
        for got, expected in results:
            assert_same(got, expected)


@pytest.mark.cuda
def test_a_kernel_that_all_launch_first(cuda):
    for _ in range(5):
        kernel = module().get_function("axpy")

        @on_a_stream
        def work(number, kernel=kernel):
            x, y = gpuarray.full(1000, number, "f4"), gpuarray.ones(1000, "f4")
            for _ in range(ROUNDS):
                kernel[4, 256](x, 1.0, y, 1000)
            return y.get()

        for number, got in enumerate(run_together(work)):
            assert (got == 1 + ROUNDS * number).all()


def test_one_event_of_all(device):
    event, x = gpuarray.Event(), gpuarray.zeros(THREADS, np.int64)

    @on_a_stream
    def work(number):
        stream = gpuarray.current_stream()
        for step in range(ROUNDS):
            own = x[number : number + 1]
            own += 1
            event.record()
            stream.wait(event)
            event.query()
            event.synchronize()
            assert own.item() == step + 1

    run_together(work)
    assert event.done


@pytest.mark.cuda
def test_one_graph_launched_by_all(cuda):
    x = gpuarray.zeros(100, np.int64)
    with gpuarray.capture() as graph:
        x += 1

    @on_a_stream
    def work(number):
        for _ in range(ROUNDS):
            graph.launch()
            x.__iadd__(1)

    run_together(work)
    assert_same(x, np.full(100, 2 * THREADS * ROUNDS))


@pytest.mark.cuda
def test_captures_beside_operations(cuda):
    shared = gpuarray.ones(1000)

    def work(number):
        if number % 2:
            with gpuarray.Stream():
                return [(shared * number).sum().item() for _ in range(ROUNDS)]
        results = []
        for _ in range(5):
            with gpuarray.capture() as graph:
                y = shared * number + 1
                total = (y - 1).sum()
            graph.launch()
            results.append(total.item())
        return results

    for number, got in enumerate(run_together(work)):
        assert set(got) == {1000.0 * number}


class Lent:
    """An array as another library shows it."""

    def __init__(self, array):
        self.array = array

    def __getattr__(self, name):
        if not name.startswith(("__cuda_array", "__dlpack")):
            raise AttributeError(name)
        return getattr(self.array, name)


def test_one_array_lent_and_borrowed_by_all(device):
    x = gpuarray.arange(1000.0)

    @on_a_stream
    def work(number):
        for _ in range(ROUNDS):
            borrowed = gpuarray.from_dlpack(Lent(x))
            assert borrowed[number].item() == number
            if device == "cpu":
                assert np.from_dlpack(x)[number] == memoryview(x)[number] == number
            else:
                assert gpuarray.asarray(Lent(x))[number].item() == number

    work(0)
    with nothing_leaks(device, x):
        run_together(work)


def test_flags_that_all_set(device):
    x = gpuarray.zeros(100)

    def work(number):
        written = 0
        for step in range(ROUNDS):
            x.flags.writeable = (step + number) % 2 == 0
            try:
                x.fill(7)
                written += 1
            except ValueError as error:
                assert "read-only" in str(error)
        return written

    written = sum(run_together(work))
    assert written < THREADS * ROUNDS
    assert_same(x, np.full(100, 7.0 if written else 0.0))


def test_the_current_stream_and_device_are_a_threads_own(device):
    def work(number):
        for _ in range(ROUNDS):
            with gpuarray.device(device), gpuarray.Stream() as stream:
                assert gpuarray.current_stream() == stream
                with gpuarray.device("cpu"):
                    assert gpuarray.default_device() == "cpu"
                assert gpuarray.default_device() == device
            assert device == "cpu" or gpuarray.current_stream(device) != stream

    run_together(work)


def test_memory_made_in_one_thread_and_freed_in_another(device):
    made: queue.Queue = queue.Queue()
    sizes = [3, 1000, 70_000, 300_000]

    @on_a_stream
    def work(number):
        for step in range(ROUNDS):
            made.put((number, gpuarray.full(sizes[step % 4], number, np.int32)))
            owner, array = made.get()
            assert array[-1].item() == owner
            assert (array == owner).all().item()

    work(0)
    with nothing_leaks(device):
        run_together(work)


def test_memory_resources_of_threads(device):
    def work(number):
        limited = memory.LimitResource(memory.get_allocator(device), 1 << 20)
        for _ in range(ROUNDS):
            with memory.using_allocator(limited):
                x = gpuarray.full(1000, number)
                with pytest.raises(MemoryError):
                    gpuarray.empty(1 << 21, "u1")
            assert (x + 1)[5].item() == number + 1
        return True

    assert all(run_together(work))


def test_numbers_of_one_generator_are_those_that_one_thread_draws(device):
    one, other = (gpuarray.random.default_rng(5) for _ in range(2))
    drawn = run_together(lambda number: [one.random(100).get() for _ in range(ROUNDS)])
    expected = [other.random(100).get() for _ in range(ROUNDS * THREADS)]
    got = np.array(sorted(part.tolist() for parts in drawn for part in parts))
    assert_same(got, np.array(sorted(part.tolist() for part in expected)))


def test_settings_that_all_change(device):
    def work(number):
        for _ in range(ROUNDS):
            with gpuarray.fusion(("off", "auto", "always")[number % 3]):
                x = gpuarray.ones(100) * number
                assert ((x + 1) * 2).sum().item() == 200 * (number + 1)
            gpuarray.memory_stats(device)
            gpuarray.fusion_stats()
        return True

    with gpuarray.fusion("auto"):
        assert all(run_together(work))


@pytest.mark.cuda
def test_accesses_of_threads_with_operations_within(cuda):
    """Each thread holds its array open, and works on what others hold."""
    arrays = [gpuarray.zeros(100, np.int64) for _ in range(THREADS)]

    @on_a_stream
    def work(number):
        for _ in range(ROUNDS):
            with gpuarray.access(writes=[arrays[number]]):
                for array in arrays:
                    array.__iadd__(1)

    run_together(work)
    for array in arrays:
        assert_same(array, np.full(100, THREADS * ROUNDS))


@pytest.mark.cuda
def test_allocators_of_threads_that_work_on_what_all_use(cuda):
    """Amid an operation each thread's allocator writes what all of them read there."""
    big = gpuarray.ones(1 << 16, np.int64)
    pool = memory.PoolResource(memory.DriverResource())
    allocations = []

    class Allocator:
        def __init__(self):
            self.blocks = {}

        def allocate(self, nbytes, stream):
            allocations.append(nbytes)
            with memory.using_allocator(pool):
                big.__iadd__(1)
                block = gpuarray.empty(nbytes, "u1")
            time.sleep(0.0005)  # others come to their operations
            self.blocks[block.ptr] = block
            return block.ptr

        def deallocate(self, ptr, nbytes, stream):
            del self.blocks[ptr]

    out = [gpuarray.zeros((), np.int64) for _ in range(THREADS)]
    big.sum(out=out[0])  # kernels are compiled now

    @on_a_stream
    def work(number):
        with memory.using_allocator(memory.ExternalResource(Allocator())):
            for _ in range(ROUNDS):
                big.sum(out=out[number])
                made = big + number
        assert made.max().item() == made.min().item()

    run_together(work)
    assert len(allocations) >= 2 * THREADS * ROUNDS
    assert_same(big, np.full(1 << 16, 1 + len(allocations)))
