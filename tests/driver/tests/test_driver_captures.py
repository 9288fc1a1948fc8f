# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Captures and graphs: what the test driver models, and the card's driver does too."""

import ctypes

import pytest

ILLEGAL_STATE = 401
UNSUPPORTED, INVALIDATED, UNMATCHED, UNJOINED = 900, 901, 903, 904
ISOLATION, CAPTURED_EVENT = 905, 907
SIZE = 1 << 12
LEGACY = 1


@pytest.fixture
def memory(cu):
    with cu.allocated(SIZE) as address:
        yield address


def test_captured_work_is_done_at_each_launch(cu, memory):
    stream = cu.stream()
    cu.capture(stream)
    cu.fill(memory, 1, SIZE, stream)
    status, graph = cu.end_capture(stream)
    assert status == 0
    assert cu.read(memory, 1, stream) == b"\0"
    replay = cu.pointer("cuGraphInstantiateWithFlags", graph, 0)
    for _ in range(2):
        cu.fill(memory, 0, SIZE, stream)
        cu.check("cuGraphLaunch", replay, stream)
        assert cu.read(memory, SIZE, stream) == b"\1" * SIZE
    cu.check("cuGraphDestroy", graph)
    cu.check("cuGraphExecDestroy", replay)


def test_a_graph_with_a_fork(cu, memory):
    stream, side = cu.stream(), cu.stream()
    half = SIZE // 2
    cu.capture(stream)
    cu.fill(memory, 1, SIZE, stream)
    cu.check("cuStreamWaitEvent", side, cu.record(stream), 0)
    cu.fill(memory, 2, half, side)
    cu.fill(memory + half, 3, half, stream)
    cu.check("cuStreamWaitEvent", stream, cu.record(side), 0)
    status, graph = cu.end_capture(stream)
    assert status == 0
    count = ctypes.c_size_t()
    cu.check("cuGraphGetNodes", graph, None, ctypes.byref(count))
    assert count.value == 3
    replay = cu.pointer("cuGraphInstantiateWithFlags", graph, 0)
    cu.check("cuGraphLaunch", replay, stream)
    assert cu.read(memory, SIZE, stream) == b"\2" * half + b"\3" * half


def test_a_graph_is_updated(cu, memory):
    stream = cu.stream()
    graphs = []
    for value in (1, 2):
        cu.capture(stream)
        cu.fill(memory, value, SIZE, stream)
        graphs.append(cu.end_capture(stream)[1])
    replay = cu.pointer("cuGraphInstantiateWithFlags", graphs[0], 0)
    result = (ctypes.c_uint64 * 3)()
    cu.check("cuGraphExecUpdate", replay, graphs[1], result)
    cu.check("cuGraphLaunch", replay, stream)
    assert cu.read(memory, 1, stream) == b"\2"


FORBIDDEN = {
    "cuStreamSynchronize": lambda cu, stream: cu.status("cuStreamSynchronize", stream),
    "cuStreamQuery": lambda cu, stream: cu.status("cuStreamQuery", stream),
    "cuCtxSynchronize": lambda cu, stream: cu.status("cuCtxSynchronize"),
    "cuMemAlloc": lambda cu, stream: cu.status("cuMemAlloc", ctypes.byref(ctypes.c_uint64()), SIZE),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_calls_that_end_a_capture(cu, memory, name):
    stream = cu.stream()
    cu.capture(stream)
    cu.fill(memory, 1, SIZE, stream)
    assert FORBIDDEN[name](cu, stream) == UNSUPPORTED
    state = ctypes.c_int()
    cu.check("cuStreamIsCapturing", stream, ctypes.byref(state))
    assert state.value == 2
    assert cu.end_capture(stream) == (INVALIDATED, 0)
    cu.check("cuStreamSynchronize", stream)
    assert cu.read(memory, 1, stream) == b"\0"


def test_captures_that_are_refused(cu, memory):
    stream, side = cu.stream(), cu.stream()
    assert cu.status("cuStreamBeginCapture", LEGACY, 0) == UNSUPPORTED
    assert cu.end_capture(stream)[0] == ILLEGAL_STATE
    cu.capture(stream)
    assert cu.status("cuStreamBeginCapture", stream, 0) == ILLEGAL_STATE
    event = cu.record(stream)
    assert cu.status("cuEventQuery", event) == CAPTURED_EVENT
    assert cu.end_capture(stream)[0] in (0, INVALIDATED)
    cu.capture(stream)
    cu.check("cuStreamWaitEvent", side, cu.record(stream), 0)
    assert cu.end_capture(side)[0] == UNMATCHED
    assert cu.end_capture(stream)[0] in (UNJOINED, INVALIDATED)


def test_work_outside_a_capture_is_not_waited_for_inside(cu, memory):
    stream, outside = cu.stream(), cu.stream()
    cu.fill(memory, 1, SIZE, outside)
    event = cu.record(outside)
    cu.capture(stream)
    assert cu.status("cuStreamWaitEvent", stream, event, 0) == ISOLATION
    assert cu.end_capture(stream)[0] == INVALIDATED
