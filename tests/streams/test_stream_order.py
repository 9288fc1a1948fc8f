# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays cross streams and threads without waits by hand.

A host function that sleeps holds a stream back, so that a missing wait gives a wrong result.
"""

import asyncio
import sys
import threading
import time

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray

SIZE = 1 << 16
DELAY = 0.02


@pytest.fixture
def streams(device):
    return gpuarray.Stream(), gpuarray.Stream()


def hold(stream):
    stream.launch_host_func(time.sleep, DELAY)


def test_a_reader_waits_for_a_late_writer(streams):
    late, other = streams
    x = gpuarray.zeros(SIZE, np.int32)
    with late:
        hold(late)
        x += 1
    with other:
        y = x * 2
    assert_same(y, np.full(SIZE, 2, np.int32))


def test_a_writer_waits_for_a_late_reader(streams):
    late, other = streams
    x = gpuarray.ones(SIZE, np.int32)
    with late:
        hold(late)
        y = x * 2
    with other:
        x.fill(7)
    assert_same(y, np.full(SIZE, 2, np.int32))
    assert_same(x, np.full(SIZE, 7, np.int32))


def test_a_writer_waits_for_all_late_readers(device):
    streams = [gpuarray.Stream() for _ in range(12)]
    x = gpuarray.ones(SIZE, np.int32)
    results = []
    for stream in streams:
        with stream:
            hold(stream)
            results.append(x + 1)
    x.fill(7)
    for y in results:
        assert_same(y, np.full(SIZE, 2, np.int32))


def test_readers_do_not_wait_for_each_other(device):
    """Several readers: the device may put some of its streams in one queue of its hardware."""
    late, *others = (gpuarray.Stream() for _ in range(6))
    # A pool that may not grow takes the memory of another stream, and waits for its work.
    gpuarray.memory.release_cached(device)
    x = gpuarray.ones(SIZE, np.int32)
    x.get()
    go = threading.Event()
    with late:
        if late.device.kind != "cpu":
            late.launch_host_func(go.wait, 20)
        x + 1
    results = []
    for other in others:
        with other:
            results.append(x + 2)
    end = time.monotonic() + 10
    while not any(other.query() for other in others) and time.monotonic() < end:
        time.sleep(0.001)
    assert any(other.query() for other in others)
    assert late.device.kind == "cpu" or not late.query()
    go.set()
    for y in results:
        assert_same(y, np.full(SIZE, 3, np.int32))


def test_memory_freed_after_a_late_read_is_not_reused_early(streams):
    late, other = streams
    x = gpuarray.ones(SIZE, np.int32)
    with late:
        hold(late)
        y = x * 2
    del x
    for _ in range(8):
        gpuarray.full(SIZE, 9, np.int32)
        with other:
            gpuarray.full(SIZE, 8, np.int32)
    assert_same(y, np.full(SIZE, 2, np.int32))


def test_copies_to_the_host_wait(streams):
    late, other = streams
    x = gpuarray.zeros(SIZE, np.int32)
    with late:
        hold(late)
        x += 1
    with other:
        assert_same(x, np.full(SIZE, 1, np.int32))
        with late:
            hold(late)
            x += 1
        assert_same(x[:5], np.full(5, 2, np.int32))
        assert x[0].item() == 2
        with late:
            hold(late)
            y = x * 1
        x.set(np.zeros(SIZE, np.int32))
        assert_same(y, np.full(SIZE, 2, np.int32))


@pytest.mark.parametrize("size", [16, SIZE, 1 << 21])
def test_threads_and_streams(device, size):
    """8 threads with 8 streams each add to arrays that all of them share."""
    shared = [gpuarray.zeros(size, np.int64) for _ in range(4)]
    locks = [threading.Lock() for _ in shared]
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        streams = [gpuarray.Stream(device) for _ in range(8)]
        mine = gpuarray.zeros(size, np.int64, device=device)
        for step in range(24):
            stream = streams[rng.integers(8)]
            which = rng.integers(len(shared))
            with stream, locks[which]:
                if step % 8 == 0:
                    hold(stream)
                temporary = shared[which] * 1
                shared[which] += 1
                got = shared[which] - temporary
            mine += got
            if step % 6 == 0:
                counted = mine.get(stream=streams[0])
                if not (counted == step + 1).all():
                    failures.append((seed, step, counted[:4]))
        assert_same(mine, np.full(size, 24))

    threads = [threading.Thread(target=work, args=[seed]) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sum(array[0].item() for array in shared) == 8 * 24


def test_tasks_have_their_own_streams(device):
    streams = [gpuarray.Stream() for _ in range(3)]
    outer = gpuarray.current_stream()

    async def work(stream):
        with stream:
            for _ in range(5):
                await asyncio.sleep(0)
                assert gpuarray.current_stream() == stream
        assert gpuarray.current_stream() == outer

    async def both():
        await asyncio.gather(*map(work, streams))
        with streams[0]:
            child = asyncio.create_task(seen())
        assert await child == streams[0]

    async def seen():
        return gpuarray.current_stream()

    asyncio.run(both())
    assert gpuarray.current_stream() == outer


def test_blocks_nest(streams):
    first, second = streams
    outer = gpuarray.current_stream()
    with first:
        with second, first:
            assert gpuarray.current_stream() == first
        assert gpuarray.current_stream() == first
        x = gpuarray.ones(4, stream=second)
        assert gpuarray.current_stream() == first
    assert gpuarray.current_stream() == outer
    assert x.tolist() == [1] * 4
    with pytest.raises(ValueError, match="innermost"):
        second.__exit__(None, None, None)


def test_host_functions_run_in_order(streams):
    stream, _ = streams
    seen = []
    with stream:
        for number in range(20):
            stream.launch_host_func(seen.append, number)
            gpuarray.ones(8)
    stream.synchronize()
    assert seen == list(range(20))


def test_a_host_function_that_raises(streams, monkeypatch):
    stream, _ = streams
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    stream.launch_host_func(divmod, 1, 0)
    stream.synchronize()
    while not seen:
        time.sleep(0.001)
    assert seen[0].exc_type is ZeroDivisionError
    assert gpuarray.ones(3, stream=stream).sum().item() == 3


def test_more_launches_than_a_queue_takes_behind_a_host_function(streams):
    """A launch that waits for room must not keep the GIL, which the function needs."""
    stream, _ = streams
    x = gpuarray.zeros(4, np.int32)
    with stream:
        stream.launch_host_func(time.sleep, 0.2)
        for _ in range(5000):
            x += 1
    assert x.tolist() == [5000] * 4


STREAM_CALLS = {
    "add": lambda x, s: gpuarray.add(x, x, stream=s),
    "sin": lambda x, s: gpuarray.sin(x, stream=s),
    "where": lambda x, s: gpuarray.where(x > 1, x, -x, stream=s),
    "clip": lambda x, s: x.clip(0, 2, stream=s),
    "sum": lambda x, s: x.sum(axis=0, stream=s),
    "argmax": lambda x, s: gpuarray.argmax(x, stream=s),
    "mean": lambda x, s: x.mean(axis=1, stream=s),
    "copy": lambda x, s: x.copy(stream=s),
    "astype": lambda x, s: x.astype("int16", stream=s),
    "flatten": lambda x, s: x.flatten(stream=s),
    "fill": lambda x, s: (x.fill(3, stream=s), x)[1],
    "zeros": lambda x, s: gpuarray.zeros(5, stream=s),
    "full_like": lambda x, s: gpuarray.full_like(x, 2, stream=s),
    "arange": lambda x, s: gpuarray.arange(7, stream=s),
    "linspace": lambda x, s: gpuarray.linspace(0, 1, 5, stream=s),
    "concatenate": lambda x, s: gpuarray.concatenate([x, x], stream=s),
    "matmul": lambda x, s: gpuarray.matmul(x, x.T, stream=s),
    "to_device": lambda x, s: gpuarray.to_device(np.arange(4), device=x.device, stream=s),
    "array": lambda x, s: gpuarray.array([1, 2], device=x.device, stream=s),
    "reshape": lambda x, s: x.T.reshape(12, stream=s),
    "ravel": lambda x, s: x.T.ravel(stream=s),
    "reshape function": lambda x, s: gpuarray.reshape(x.T, (2, 6), stream=s),
    "ravel function": lambda x, s: gpuarray.ravel(x, "F", stream=s),
    "conj": lambda x, s: x.conj(stream=s),
    "dot": lambda x, s: x.dot(x.T, stream=s),
    "imag": lambda x, s: gpuarray.imag(x, stream=s),
    "zeros_managed": lambda x, s: gpuarray.zeros_managed(5, device=x.device, stream=s),
    "zeros_like_managed": lambda x, s: gpuarray.zeros_like_managed(x, stream=s),
    "from_dlpack": lambda x, s: gpuarray.from_dlpack(x, copy=True, stream=s),
}


@pytest.mark.cuda
@pytest.mark.parametrize("kind", ["Stream", "int", "foreign"])
@pytest.mark.parametrize("name", STREAM_CALLS)
def test_stream_arguments_are_where_the_work_goes(cuda, name, kind):
    class Foreign:
        def __cuda_stream__(self):
            return (0, stream.ptr)

    stream = gpuarray.Stream()
    given = {"Stream": stream, "int": stream.ptr, "foreign": Foreign()}[kind]
    x = gpuarray.arange(12, dtype="float32").reshape(3, 4)
    expected = STREAM_CALLS[name](x.copy(), None).get()
    before = gpuarray.current_stream()
    gpuarray.synchronize()
    go = threading.Event()
    stream.launch_host_func(go.wait, 10)
    y = STREAM_CALLS[name](x, given)
    assert gpuarray.current_stream() == before
    assert not stream.done
    go.set()
    assert_same(y, expected)


@pytest.mark.cuda
def test_per_thread_default_streams(cuda):
    """One Stream object is another stream on every thread, and arrays still cross in order."""
    stream = gpuarray.per_thread_default_stream()
    x = gpuarray.zeros(SIZE, np.int64)
    lock = threading.Lock()

    def work():
        nonlocal x
        for step in range(20):
            with lock, stream:
                if step == 3:
                    hold(stream)
                x = x + 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_same(x, np.full(SIZE, 120))


@pytest.mark.cuda
def test_attributes(cuda):
    assert gpuarray.Stream(non_blocking=False).non_blocking is False
    assert gpuarray.Stream().non_blocking is True
    assert gpuarray.Stream(priority=-1).priority == -1
    assert gpuarray.legacy_default_stream().ptr == 1
    assert gpuarray.per_thread_default_stream().ptr == 2
    stream = gpuarray.Stream()
    borrowed = gpuarray.ExternalStream(stream.ptr)
    assert borrowed.query()


@pytest.mark.cuda
def test_memory_written_on_a_borrowed_stream_is_reused_after_its_readers(cuda):
    owner, other = gpuarray.Stream(), gpuarray.Stream()
    borrowed = gpuarray.ExternalStream(owner.ptr)
    x = gpuarray.zeros(SIZE, np.int32)
    with borrowed:
        x.fill(1)
    with other:
        hold(other)
        y = x * 2
    del x
    gpuarray.full(SIZE, 7, np.int32).get()  # in the same memory
    assert_same(y, np.full(SIZE, 2, np.int32))


@pytest.mark.cuda
def test_an_export_leaves_the_readers_of_a_borrowed_streams_array_waited_for(cuda):
    owner, other, third = (gpuarray.Stream() for _ in range(3))
    borrowed = gpuarray.ExternalStream(owner.ptr)
    x = gpuarray.zeros(SIZE, np.int32)
    with borrowed:
        x.fill(1)
    with other:
        hold(other)
        y = x * 2
    assert x.__cuda_array_interface__["data"][0] == x.ptr
    with third:
        x.fill(7)
    assert_same(y, np.full(SIZE, 2, np.int32))


@pytest.mark.cuda
def test_arrays_that_end_in_a_host_function_are_freed_after_their_readers(cuda):
    """Such a function may not call the driver, and so cannot wait for them."""
    stream, other = gpuarray.Stream(), gpuarray.Stream()
    for _ in range(3):
        x = gpuarray.ones(SIZE, np.int32)
        used = gpuarray.memory_stats()["bytes_in_use"]
        with other:
            hold(other)
            y = x * 2
        kept = [x]
        del x
        stream.launch_host_func(kept.clear)
        stream.synchronize()
        z = gpuarray.full(SIZE, 7, np.int32)  # in the same memory
        z.get()
        assert gpuarray.memory_stats()["bytes_in_use"] <= used + y.nbytes
        assert_same(y, np.full(SIZE, 2, np.int32))
        del y, z


@pytest.mark.cuda
def test_a_thread_frees_at_once_after_a_host_function_on_cpu(cuda):
    x = gpuarray.ones(SIZE, np.int32)
    used = gpuarray.memory_stats()["bytes_in_use"]
    gpuarray.Stream("cpu").launch_host_func(print)
    del x
    assert gpuarray.memory_stats()["bytes_in_use"] < used
