# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Graphs: a replay does what the captured operations do, in order with all other work."""

import os

import numpy as np
import pytest
from _support.compare import assert_same
from _support.cuda_driver import CudaDriver

import gpuarray

SHAPE = (17, 8)


def numbers(seed, shape=SHAPE, dtype=np.float32):
    return np.random.default_rng(seed).uniform(1, 2, shape).astype(dtype)


def assert_close(result, expected):
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.get(), expected, rtol=1e-4)


def scale_in_place(xp, a, b):
    c = a.copy()
    c += b
    c[2:9:3] *= 2
    c[:, ::-1][0] = 7
    return c


PROGRAMS = {
    "elementwise": lambda xp, a, b: xp.exp(a * b - 1) / (a + 0.5),
    "reductions": lambda xp, a, b: a.sum() * b.max(axis=0) + (a - a.min(axis=1, keepdims=True)),
    "casts": lambda xp, a, b: a.astype(np.float64) + (b * 100).astype(np.int32),
    "matmul": lambda xp, a, b: (a.T @ b) @ (a.T @ b).T,
    "views": lambda xp, a, b: a[1::2, ::-1].T.reshape(8, 4, 2)[..., 0] + b[:4, 0],
    "in place": scale_in_place,
    "where": lambda xp, a, b: xp.where(a > b, a, b * 2),
    "join": lambda xp, a, b: xp.concatenate([a, b[:3], a * 2]),
    "creation": lambda xp, a, b: a + xp.arange(8, dtype=np.float32) + xp.full((17, 1), 3.0),
    "arguments": lambda xp, a, b: a.argmax(axis=0) * (b > 1.5).any(axis=0),
    "freed and reused": lambda xp, a, b: ((((a + b) * 2 - b) * 3 + a) * 4 - b) * 5,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_replay_does_what_the_function_does(device, name):
    program = PROGRAMS[name]
    a, b = (gpuarray.to_device(numbers(seed)) for seed in (1, 2))
    graph = gpuarray.graph(program)(gpuarray, a, b)
    for seed in (3, 4):
        host = numbers(seed), numbers(seed + 10)
        graph.update(*host)
        graph.launch()
        assert_close(graph.result, program(np, *host))


def test_a_graph_reads_its_arrays_where_they_are(device):
    a = gpuarray.zeros(5)
    graph = gpuarray.graph(lambda x: x * 2)(a)
    a += 3
    graph.launch()
    assert_same(graph.result, np.full(5, 6.0))
    assert graph.inputs[0] is a
    assert graph.device == a.device


def test_results_may_be_nested(device):
    a = gpuarray.ones(3)
    graph = gpuarray.graph(lambda x: {"sum": x.sum(), "parts": (x + 1, [x + 2])})(a)
    graph.update(np.full(3, 2.0))
    graph.launch()
    assert_same(graph.result["sum"], np.float64(6))
    assert_same(graph.result["parts"][1][0], np.full(3, 4.0))


def test_update_takes_arrays_of_host_and_device_and_none(device):
    a, b = gpuarray.ones(3), gpuarray.ones(3)
    graph = gpuarray.graph(lambda x, y: x - y)(a, b)
    for given_ in ((gpuarray.full(3, 5.0), None), ([5, 5, 5], np.ones(3)), (a, b)):
        graph.update(*given_)
        graph.launch()
        assert_same(graph.result, np.full(3, 4.0))


def test_bad_updates_change_nothing(device):
    a, b = gpuarray.ones(3), gpuarray.ones(3)
    graph = gpuarray.graph(lambda x, y: x - y)(a, b)
    with pytest.raises(ValueError, match="expected 2 arrays, got 1"):
        graph.update(np.zeros(3))
    with pytest.raises(ValueError, match=r"expected shape \(3,\), got \(4,\)"):
        graph.update(np.zeros(3), np.zeros(4))
    assert_same(a, np.ones(3))


def test_a_function_that_raises_leaves_nothing_captured(device):
    with pytest.raises(ZeroDivisionError):
        gpuarray.graph(lambda x: [x + 1, 1 // 0])(gpuarray.ones(3))
    assert_same(gpuarray.ones(3) + 1, np.full(3, 2.0))


def test_capture_on_cpu_is_refused():
    with (
        pytest.raises(gpuarray.DeviceError, match="records no work"),
        gpuarray.capture(device="cpu"),
    ):
        pass


@pytest.mark.cuda
def test_nothing_is_done_before_the_launch(cuda):
    a = gpuarray.ones(4)
    with gpuarray.capture() as graph:
        a += 1
        with pytest.raises(gpuarray.CaptureError, match="being captured"):
            graph.launch()
    assert_same(a, np.ones(4))
    for _ in range(3):
        graph.launch()
    assert_same(a, np.full(4, 4.0))


@pytest.mark.cuda
def test_host_values_are_kept_as_they_are(cuda):
    host, number = np.arange(5000.0), np.float64(2)
    with gpuarray.capture() as graph:
        a = gpuarray.to_device(host) * number
        a[:2] = gpuarray.to_device([7, 8])
    expected = host * 2
    expected[:2] = 7, 8
    host[:] = 0
    del number
    for _ in range(2):
        a.fill(0)
        graph.launch()
        assert_same(a, expected)


WAITS = {
    "get": lambda a: a.get(),
    "get later": lambda a: a.get(blocking=False),
    "asnumpy": gpuarray.asnumpy,
    "item": lambda a: a[0].item(),
    "bool": lambda a: bool(a[0]),
    "int": lambda a: int(a[0]),
    "float": lambda a: float(a[0]),
    "tolist": lambda a: a.tolist(),
    "tobytes": lambda a: a.tobytes(),
    "repr": repr,
    "set": lambda a: a.set(np.zeros(4)),
    "set later": lambda a: a.set(np.zeros(4), blocking=False),
    "to cpu": lambda a: a.to_device("cpu"),
    "integer power": lambda a: a.astype(np.int32) ** a.astype(np.int32),
    "synchronize": lambda a: gpuarray.synchronize(),
    "device": lambda a: a.device.synchronize(),
    "stream": lambda a: gpuarray.current_stream().synchronize(),
    "query": lambda a: gpuarray.current_stream().query(),
    "event query": lambda a: gpuarray.Event().record().query(),
    "event": lambda a: gpuarray.Event().record().synchronize(),
    "elapsed": lambda a: gpuarray.Event().record().elapsed_time(gpuarray.Event().record()),
    "host function": lambda a: gpuarray.current_stream().launch_host_func(print),
    "outside stream": lambda a: gpuarray.current_stream().wait(gpuarray.Stream()),
    "outside event": lambda a: gpuarray.Event().record(gpuarray.Stream()).wait(),
    "capture again": lambda a: gpuarray.capture(gpuarray.current_stream()).__enter__(),
    "default stream": lambda a: gpuarray.legacy_default_stream().wait(gpuarray.current_stream()),
}


@pytest.mark.cuda
@pytest.mark.parametrize("name", WAITS)
def test_what_cannot_be_captured_raises_at_its_line(cuda, name):
    a, b = gpuarray.ones(4), gpuarray.ones(4)
    with gpuarray.capture() as graph:
        a += 1
        with pytest.raises(gpuarray.CaptureError):
            WAITS[name](b)
        a += 1  # and spoils nothing
    graph.launch()
    assert_same(a, np.full(4, 3.0))
    assert_same(b, np.ones(4))
    with pytest.raises(gpuarray.CaptureError), gpuarray.capture() as graph:
        WAITS[name](b)
    with pytest.raises(gpuarray.CaptureError, match="failed"):
        graph.launch()
    stream = gpuarray.current_stream()
    assert_same(b + 1, np.full(4, 2.0))
    stream.synchronize()
    gpuarray.synchronize()


@pytest.mark.cuda
def test_errors_name_the_operation(cuda):
    with gpuarray.capture():
        with pytest.raises(gpuarray.CaptureError, match=r"^GPUArray\.get: waits for the device"):
            gpuarray.ones(2).get()
        with pytest.raises(gpuarray.CaptureError, match=r"^unique: the shape of the result"):
            gpuarray.unique(gpuarray.ones(2))
        with pytest.raises(gpuarray.CaptureError, match=r"^power: looking at integer exponents"):
            gpuarray.ones(2, np.int32) ** gpuarray.ones(2, np.int32)


@pytest.mark.cuda
def test_an_exception_inside_ends_the_capture(cuda):
    a = gpuarray.ones(4)
    stream = gpuarray.Stream()
    with pytest.raises(KeyError), gpuarray.capture(stream) as graph:
        b = a + 1
        raise KeyError
    with pytest.raises(gpuarray.CaptureError, match="failed"):
        graph.launch()
    with stream:
        b = a + 2
    stream.synchronize()
    assert_same(b, np.full(4, 3.0))


@pytest.mark.cuda
def test_a_graph_is_not_launched_in_a_capture(cuda):
    a = gpuarray.zeros(8)
    with gpuarray.capture() as inner:
        a += 1
    with gpuarray.capture() as outer:
        with pytest.raises(gpuarray.CaptureError, match=r"Graph\.launch"):
            inner.launch()
        b = a * 10
    inner.launch()
    outer.launch()
    assert_same(b, np.full(8, 10.0))
    assert_same(a, np.full(8, 1.0))


@pytest.mark.cuda
def test_streams_that_others_capture_are_refused(cuda):
    cu = CudaDriver(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
    handle = cu.stream()
    a = gpuarray.ones(3)
    cu.capture(handle)
    stream = gpuarray.Stream.from_external(handle)
    with stream, pytest.raises(gpuarray.CaptureError, match="another library"):
        a + 1
    with stream, pytest.raises(gpuarray.CaptureError, match="another library"):
        a += 1
    status, graph = cu.end_capture(handle)
    assert status == 0
    cu.check("cuGraphDestroy", graph)
    with stream:
        a += 1
    assert_same(a, np.full(3, 2.0))
    cu.check("cuStreamDestroy", handle)


@pytest.mark.cuda
def test_the_handle_of_a_captured_stream_is_that_stream(cuda):
    a = gpuarray.ones(3)
    with gpuarray.capture() as graph:
        external = gpuarray.Stream.from_external(gpuarray.current_stream().ptr)
        with external:
            b = a + 1
        c = b.copy(stream=gpuarray.current_stream().ptr)
    graph.launch()
    assert_same(c, np.full(3, 2.0))


@pytest.mark.cuda
def test_page_locked_and_managed_arrays_in_a_capture(cuda):
    a = gpuarray.zeros_pinned(100)
    with gpuarray.capture() as graph:
        a += 1
        b = gpuarray.empty_pinned(100)
        b[...] = a * 2
    for k in range(1, 4):
        graph.launch()
        assert_same(a, np.full(100, float(k)))
        assert_same(b, np.full(100, 2.0 * k))


@pytest.mark.cuda
def test_launches_of_a_capture_are_no_pending_work(cuda):
    a = gpuarray.ones(3)
    gpuarray.synchronize()
    with gpuarray.capture() as graph:
        a + 1
    assert gpuarray.pending_launches() == []
    graph.launch()
    assert gpuarray.pending_launches()[0].operation == "graph"
