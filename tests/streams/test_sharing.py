# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays and events shared between processes of one CUDA device."""

import gc
import pickle

import numpy as np
import pytest
from _support import sharing
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.sharing import OtherProcessError, late, other_process

import gpuarray

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def other():
    with other_process("cuda:0") as process:
        yield process


def shared(host):
    a = gpuarray.empty_shared(host.shape, host.dtype)
    a.set(host)
    return a


def test_handles_are_small(cuda):
    assert len(pickle.dumps(gpuarray.empty_shared((1000, 1000)).share())) < 600


def test_writes_are_seen_both_ways(cuda, other):
    host = np.arange(1000.0).reshape(10, 100)
    a = shared(host)
    other(sharing.open_as, "a", a.share())
    assert_same(other(sharing.read, "a"), host)
    other(sharing.write, "a", 7)
    assert (a.get() == 7).all()
    a[3] = 5
    gpuarray.synchronize()
    host[...] = 7
    host[3] = 5
    assert_same(other(sharing.read, "a"), host)
    other(sharing.close, "a")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(cuda, other, dtype):
    host = np.arange(33).astype(dtype)
    a = shared(host)
    assert_same(other(sharing.open_and_read, a.share()), host)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[2:, ::3],
        lambda a: a[::-1, ::-2],
        lambda a: a[5, 7, ...],
        lambda a: a.reshape(-1)[17:],
    ],
)
def test_views(cuda, other, view):
    host = np.arange(600, dtype=np.int32).reshape(20, 30)
    a = shared(host)
    v = view(a)
    expected = (v.shape, v.strides, "int32", True, "cuda:0")
    assert other(sharing.open_as, "v", v.share()) == expected
    assert_same(other(sharing.read, "v"), np.asarray(view(host)))
    other(sharing.write, "v", -1)
    view(a).fill(-2)  # orders nothing that matters here, but must find the same memory
    gpuarray.synchronize()
    assert (other(sharing.read, "v") == -2).all()
    assert (a.get() == -2).sum() == v.size
    other(sharing.close, "v")


def test_read_only_arrays_stay_so(cuda, other):
    a = shared(np.ones(3))
    a.flags.writeable = False
    assert other(sharing.open_as, "a", a.share())[3] is False
    with pytest.raises(OtherProcessError, match="read-only"):
        other(sharing.write, "a", 2)
    other(sharing.close, "a")


def test_opening_waits_for_pending_writes(cuda, other):
    for turn in range(3):
        a = gpuarray.empty_shared(1 << 20, np.int32)
        stream = gpuarray.Stream()
        with stream:
            late(stream)
            a.fill(turn)
        assert (other(sharing.open_and_read, a.share()) == turn).all()


def test_opening_again_waits_for_later_writes(cuda, other):
    a = shared(np.zeros(1 << 20, np.int32))
    other(sharing.open_as, "a", a.share())
    stream = gpuarray.Stream()
    with stream:
        late(stream)
        a.fill(3)
    other(sharing.open_as, "b", a.share())
    assert other(sharing.are_one, "a", "b")
    assert (other(sharing.read, "a") == 3).all()
    other(sharing.close, "a")
    assert (other(sharing.read, "b") == 3).all()
    other(sharing.close, "b")


def test_events_order_later_work(cuda, other):
    a = shared(np.zeros(1 << 20, np.int32))
    other(sharing.open_as, "a", a.share())
    event = gpuarray.Event(timing=False, interprocess=True)
    assert event.ipc_handle() == pickle.loads(pickle.dumps(event.ipc_handle()))
    for turn in range(1, 4):
        other(sharing.write_late, "a", turn, event)
        event.wait()
        assert (a.get() == turn).all()
    other(sharing.close, "a")
    other(sharing.close, "event")


def test_arrays_of_the_other_process(cuda, other):
    handle = other(sharing.share_late, "theirs", 1 << 20, 9)
    before = gpuarray.memory_stats()["bytes_in_use"]
    a = gpuarray.open_shared(handle)
    assert gpuarray.memory_stats()["bytes_in_use"] == before
    assert not a.flags.owndata
    view = a[10:]
    del a
    assert (view.get() == 9).all()
    view += 1
    gpuarray.synchronize()
    assert (other(sharing.read, "theirs") == [9] * 10 + [10] * ((1 << 20) - 10)).all()
    del view
    gc.collect()
    assert (gpuarray.open_shared(handle).get()[10:] == 10).all()
    other(sharing.close, "theirs")


def test_opening_and_closing_many_times(cuda, other):
    a = shared(np.arange(100))
    handle = a.share()
    for _ in range(50):
        assert_same(other(sharing.open_and_read, handle), np.arange(100))
    before = gpuarray.memory_stats()["bytes_in_use"]
    del a
    gc.collect()
    assert gpuarray.memory_stats()["bytes_in_use"] == before - 800


def test_results_made_where_they_can_be_shared(cuda, other):
    x = gpuarray.arange(1000)
    with gpuarray.using_allocator(gpuarray.IpcResource()):
        y = x * 2
        z = x + 1
    assert_same(other(sharing.open_and_read, y.share()), np.arange(1000) * 2)
    assert_same(other(sharing.open_and_read, z.share()), np.arange(1000) + 1)


def test_memory_that_cannot_be_shared(cuda):
    for a in (gpuarray.ones(3), gpuarray.empty_pinned(3), gpuarray.empty(3, managed=True)):
        with pytest.raises(ValueError, match="empty_shared"):
            a.share()
    assert (gpuarray.ones(3) + 1).sum().item() == 6


def test_arrays_opened_here_are_shared_by_their_owner(cuda, other):
    a = gpuarray.open_shared(other(sharing.share_late, "theirs", 10, 9))
    with pytest.raises(ValueError, match="cannot be opened"):
        a.share()
    assert (a.get() == 9).all()
    del a
    other(sharing.close, "theirs")


def test_a_process_that_is_gone(cuda):
    with other_process("cuda:0") as process:
        handle = process(sharing.share_late, "a", 100, 1)
    with pytest.raises(gpuarray.CudaError):
        gpuarray.open_shared(handle)
    assert (gpuarray.ones(3) + 1).sum().item() == 6


def test_an_opener_that_ends_leaves_the_memory(cuda):
    a = shared(np.zeros(100))
    with other_process("cuda:0") as process:
        process(sharing.open_as, "a", a.share())
        process(sharing.write, "a", 4)
    assert (a.get() == 4).all()


def test_another_device(cuda):
    handle = shared(np.ones(3)).share()._replace(device=b"\0" * 16)
    with pytest.raises(gpuarray.DeviceError, match="UUID"):
        gpuarray.open_shared(handle)


def test_a_device_that_is_not_the_first(two_cuda_devices):
    a = gpuarray.empty_shared(1000, np.int32, device="cuda:1")
    a.fill(5)
    with other_process("cuda:0") as process:
        assert process(sharing.open_as, "a", a.share())[4] == "cuda:1"
        assert (process(sharing.read, "a") == 5).all()
        process(sharing.write, "a", 6)
        process(sharing.close, "a")
    assert (a.get() == 6).all()
