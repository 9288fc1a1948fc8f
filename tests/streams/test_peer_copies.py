# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Copies between CUDA devices: values, and their order with work on both."""

import time

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES

import gpuarray

HERE, THERE = "cuda:0", "cuda:1"


def test_a_device_reaches_itself(device):
    assert gpuarray.can_access_peer(device, device) is True


@pytest.mark.cuda
def test_cpu_is_no_peer(cuda):
    assert gpuarray.can_access_peer("cpu", cuda) is False
    assert gpuarray.can_access_peer(cuda, "cpu") is False


def test_peers_that_do_not_exist():
    with pytest.raises(gpuarray.DeviceError, match="cuda:99"):
        gpuarray.can_access_peer("cpu", "cuda:99")
    with pytest.raises(TypeError):
        gpuarray.can_access_peer("cpu")


def test_peers(two_cuda_devices):
    assert gpuarray.can_access_peer(HERE, THERE) is gpuarray.can_access_peer(THERE, HERE)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0, 3), (7,), (300, 5)], ids=str)
def test_values(two_cuda_devices, dtype, shape):
    host = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    a = gpuarray.to_device(host)
    b = a.to_device(THERE)
    assert b.device == THERE and b.shape == shape and b.dtype == host.dtype
    assert_same(b.get(), host)
    assert_same(b.to_device(HERE).get(), host)
    assert a.to_device(HERE) is a


@pytest.mark.parametrize(
    "view", [lambda a: a.T, lambda a: a[::2, 1:], lambda a: a[::-1], lambda a: a[:, 3]]
)
def test_views(two_cuda_devices, view):
    host = np.arange(600.0).reshape(20, 30)
    got = view(gpuarray.to_device(host)).to_device(THERE)
    assert got.flags.c_contiguous
    assert_same(got.get(), view(host))


def test_large(two_cuda_devices):
    a = gpuarray.arange(40 << 20, dtype=np.int32)
    b = a.to_device(THERE)
    assert (b == gpuarray.arange(40 << 20, dtype=np.int32, device=THERE)).all()


def late(stream):
    """What follows on `stream` runs only after a while."""
    stream.launch_host_func(time.sleep, 0.1)


@pytest.mark.parametrize("source", [HERE, THERE])
def test_the_source_may_be_written_right_after(two_cuda_devices, source):
    target = THERE if source == HERE else HERE
    writer, copier = gpuarray.Stream(source), gpuarray.Stream(target)
    for turn in range(3):
        with writer:
            a = gpuarray.zeros(100_000, np.int32, device=source)
            late(writer)
            a.fill(turn + 1)
        late(copier)
        b = a.to_device(target, stream=copier)
        with writer:
            a.fill(99)
        c = b + 0  # on the main stream of the target
        assert (b.get() == turn + 1).all()
        assert (c.get() == turn + 1).all()
        assert (a.get() == 99).all()


def test_the_source_may_be_freed_right_after(two_cuda_devices):
    copier = gpuarray.Stream(THERE)
    copies = []
    for turn in range(4):
        a = gpuarray.full(100_000, turn, np.int32)
        late(copier)
        copies.append(a.to_device(THERE, stream=copier))
        del a
        gpuarray.full(100_000, 99, np.int32)  # in the same memory, if it is free
    for turn, copy in enumerate(copies):
        assert (copy.get() == turn).all()


def test_the_target_may_be_freed_right_after(two_cuda_devices):
    a = gpuarray.ones(100_000, np.int32)
    copier = gpuarray.Stream(THERE)
    for _ in range(4):
        late(copier)
        b = a.to_device(THERE, stream=copier)
        del b
        other = gpuarray.zeros(100_000, np.int32, device=THERE)
        copier.synchronize()
        assert (other == 0).all()


def test_there_and_back_on_many_streams(two_cuda_devices):
    streams = [gpuarray.Stream(device) for device in (HERE, THERE) for _ in range(3)]
    a = gpuarray.zeros(50_000, np.int32)
    for turn in range(30):
        stream = streams[turn * 5 % 6]
        a = a.to_device(stream.device, stream=stream)
        with streams[(turn * 5 + 3) % 6]:
            a += 1
    assert (a.get() == 30).all()


def test_streams_of_the_source_are_refused(two_cuda_devices):
    with pytest.raises(gpuarray.DeviceError, match=r"cuda:1.*cuda:0"):
        gpuarray.ones(3).to_device(THERE, stream=gpuarray.Stream(HERE))
