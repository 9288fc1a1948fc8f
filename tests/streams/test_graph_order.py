# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Launches of graphs are ordered with all other work, and memory of graphs is freed after it."""

import gc
import threading
import time

import hypothesis.strategies as st
import numpy as np
import pytest
from _support.compare import assert_same
from hypothesis import given, settings

import gpuarray


@pytest.mark.cuda
def test_a_stream_of_the_users_works_before_and_after(cuda):
    stream = gpuarray.Stream()
    with stream:
        stream.launch_host_func(time.sleep, 0.02)
        a = gpuarray.ones(4)
    with gpuarray.capture(stream) as graph:
        assert gpuarray.current_stream() == stream
        a += 1
        b = a * 2
    with stream:
        a += 10
    graph.launch()
    assert_same(b, np.full(4, 24.0))


@pytest.mark.cuda
def test_streams_that_wait_join_the_capture(cuda):
    a, other = gpuarray.ones(1 << 16), gpuarray.Stream()
    with other:
        other.launch_host_func(time.sleep, 0.02)
        c = a * 0
    with gpuarray.capture() as graph:
        b = a + 1
        other.wait(gpuarray.current_stream())
        with other:
            c += b
            d = b * 2
        del b
        e = c + d
    assert_same(c, np.zeros(1 << 16))
    for k in range(1, 4):
        graph.launch()
        assert_same(c, np.full(1 << 16, 2.0 * k))
        assert_same(e, np.full(1 << 16, 2.0 * k + 4))
    other.synchronize()


@pytest.mark.cuda
def test_events_fork_and_join(cuda):
    a, other = gpuarray.ones(64), gpuarray.Stream()
    with gpuarray.capture() as graph:
        start = gpuarray.Event().record()
        start.wait(other)
        with other:
            b = a + 1
            end = other.record()
        end.wait()
        c = b + 1
    graph.launch()
    assert_same(c, np.full(64, 3.0))
    with pytest.raises(gpuarray.CaptureError):
        end.wait()


@pytest.mark.cuda
def test_arrays_of_a_capture_are_refused_outside_until_it_ends(cuda):
    other = gpuarray.Stream()
    with gpuarray.capture() as graph:
        a = gpuarray.ones(4)
        with other, pytest.raises(gpuarray.CaptureError, match="exists only in the graph"):
            a + 1
    graph.launch(other)
    assert_same(a, np.ones(4))


@pytest.mark.cuda
def test_ordinary_work_goes_on_beside_a_capture(cuda):
    other = gpuarray.Stream()
    a = gpuarray.ones(1000)
    with gpuarray.capture() as graph:
        b = a + 1
        with other:
            c = a * 5
            assert_same(c, np.full(1000, 5.0))
            a.set(np.full(1000, 2.0))
    graph.launch()
    assert_same(b, np.full(1000, 3.0))


@pytest.mark.cuda
def test_launches_are_ordered_with_all_other_work(cuda):
    one, two = gpuarray.Stream(), gpuarray.Stream()
    a = gpuarray.zeros(1 << 16)
    graph = gpuarray.graph(lambda x: x.sum() + x)(a)
    for k in range(1, 5):
        with one:
            one.launch_host_func(time.sleep, 0.01)
            a.fill(k)
        graph.launch(two)
        with one:
            result = graph.result.copy()  # read right after
            a.fill(-1)
        assert_same(result, np.full(1 << 16, k * ((1 << 16) + 1.0)))


@pytest.mark.cuda
def test_launches_of_a_graph_run_one_after_another(cuda):
    streams = [gpuarray.Stream() for _ in range(3)]
    total = gpuarray.zeros(1 << 14)
    with gpuarray.capture() as graph:
        part = total * 1
        part += 1
        total[...] = part
    for k in range(1000):
        if k % 100 == 0:
            streams[k // 100 % 3].launch_host_func(time.sleep, 0.005)
        graph.launch(streams[k % 3])
    assert_same(total, np.full(1 << 14, 1000.0))


@pytest.mark.cuda
def test_results_outlive_the_graph(cuda):
    a = gpuarray.ones(1 << 16)
    stream = gpuarray.Stream()
    graph = gpuarray.graph(lambda x: (x + 1) * 2)(a)
    stream.launch_host_func(time.sleep, 0.02)
    graph.launch(stream)
    result = graph.result
    del graph, a
    others = [gpuarray.full(1 << 16, 9.0) for _ in range(8)]
    assert_same(result, np.full(1 << 16, 4.0))
    del others


def in_use():
    gc.collect()
    gpuarray.synchronize()
    return gpuarray.memory_stats()["bytes_in_use"]


@pytest.mark.cuda
def test_memory_goes_back_with_the_graph_and_its_arrays(cuda):
    a = gpuarray.ones(1 << 16)
    before = in_use()
    graph = gpuarray.graph(lambda x: (x + 1, x * 2))(a)
    graph.launch()
    kept = graph.result[1]
    del graph
    assert in_use() > before
    assert_same(kept, np.full(1 << 16, 2.0))
    del kept
    assert in_use() == before


@pytest.mark.cuda
@pytest.mark.parametrize("error", [None, KeyError])
def test_memory_goes_back_after_a_capture_that_fails(cuda, error):
    a = gpuarray.ones(1 << 16)
    before = in_use()
    with pytest.raises((gpuarray.CaptureError, KeyError)), gpuarray.capture() as graph:
        b = a + 1
        if error:
            raise error
        b.get()
    del graph, b
    assert in_use() == before


@pytest.mark.cuda
def test_memory_freed_in_a_capture_is_used_again(cuda):
    a = gpuarray.ones(1 << 20)
    before = in_use()
    with gpuarray.capture() as graph:
        for _ in range(20):
            a += a * 0.5
    assert in_use() - before <= 2 * a.nbytes
    graph.launch()
    np.testing.assert_allclose(a[:3].get(), 1.5**20, rtol=1e-12)
    del graph
    assert in_use() == before


@pytest.mark.cuda
def test_threads_capture_and_launch_at_once(cuda):
    errors = []

    def work(seed):
        try:
            host = np.random.default_rng(seed).uniform(1, 2, (17, 8))
            a = gpuarray.to_device(host)
            with gpuarray.Stream():
                for _ in range(10):
                    graph = gpuarray.graph(lambda x: ((x + 1) * 2 - x) * 3)(a)
                    graph.launch()
                    assert_same(graph.result, ((host + 1) * 2 - host) * 3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.cuda
@settings(max_examples=30)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 5), st.integers(0, 1)),
        min_size=1,
        max_size=30,
    )
)
def test_any_order_of_operations_on_two_streams(cuda, steps):
    def run(arrays, streams):
        for kind, i, j, where in steps:
            with streams[where]:
                if kind == 0:
                    arrays[i] = arrays[i] + arrays[j]
                elif kind == 1:
                    arrays[i] += 1
                elif kind == 2:
                    arrays[i] = arrays[j] * 2
                elif kind == 3:
                    arrays[i][::2] = arrays[j][1::2]
                else:
                    arrays[i] = arrays[i] + arrays[j].max()
                arrays[i] %= 1000

    hosts = [np.arange(k, k + 64) for k in range(6)]
    inputs = [gpuarray.to_device(host) for host in hosts]
    other = gpuarray.Stream()
    with gpuarray.capture() as graph:
        other.wait(gpuarray.current_stream())
        arrays = [array.copy() for array in inputs]
        run(arrays, [gpuarray.current_stream(), other])
    for added in (0, 5):
        for array in inputs:
            array += added
        graph.launch()
        expected = [host + added for host in hosts]
        # NumPy arrays have no streams: any context does.
        run(expected, [gpuarray.current_stream()] * 2)
        for array, host in zip(arrays, expected, strict=True):
            assert_same(array, host)


@pytest.mark.cuda
def test_work_after_a_borrowed_streams_is_not_drawn_into_its_capture(cuda):
    owner, other = gpuarray.Stream(), gpuarray.Stream()
    borrowed = gpuarray.ExternalStream(owner.ptr)
    with borrowed:
        a = gpuarray.full(64, 3.0)
    with gpuarray.capture(borrowed) as graph:
        b = a * 2
        with other:
            c = a + 10
    assert_same(c.get(stream=other), np.full(64, 13.0))
    graph.launch()
    assert_same(b, np.full(64, 6.0))
