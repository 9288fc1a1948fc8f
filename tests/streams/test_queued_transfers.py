# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""get and set with blocking=False."""

import asyncio
import gc

import numpy as np
import pytest
from _support.compare import assert_same
from _support.measure import nothing_leaks
from _support.pending import SHAPE, needs_late_work, zeros_later

import gpuarray


@pytest.fixture
def x(device):
    return gpuarray.to_device(np.arange(300_000.0).reshape(300, 1000))


def test_get_into_new_memory(x):
    expected = x.get()
    for order in ("C", "F", "A"):
        transfer = x.get(blocking=False, order=order)
        assert isinstance(transfer, gpuarray.Transfer)
        host = transfer.wait()
        assert transfer.done
        assert transfer.result is host
        assert isinstance(host, np.ndarray)
        assert host.flags.writeable
        assert host.flags.f_contiguous == (order == "F")
        assert_same(host, expected)
    assert_same(x[::2, ::-3].get(blocking=False).result, expected[::2, ::-3])
    assert_same(gpuarray.asnumpy(x, blocking=False).result, expected)


def test_get_into_given_memory(x):
    expected = x.get()
    for out in (
        np.zeros_like(expected),
        np.zeros((1000, 300)).T,
        np.zeros((600, 1000))[::2],
        np.asarray(gpuarray.zeros_pinned(x.shape)),
    ):
        transfer = x.get(out, blocking=False)
        assert transfer.wait() is out
        assert_same(out, expected)


def test_shapes(device):
    for shape in ((), 0, (3, 0), 1, (2, 3, 4)):
        x = gpuarray.ones(shape, "int16")
        assert_same(x.get(blocking=False).result, np.ones(shape, np.int16))
        x.set(np.full(shape, 5), blocking=False).wait()
        assert_same(x, np.full(shape, 5, np.int16))


def test_refused_copies(x):
    with pytest.raises(ValueError, match="shape"):
        x.get(np.zeros(3), blocking=False)
    with pytest.raises(TypeError, match="dtype"):
        x.get(np.zeros(x.shape, np.int32), blocking=False)
    with pytest.raises(ValueError, match="order"):
        x.get(order="X", blocking=False)
    with pytest.raises(ValueError, match="shape"):
        x.set(np.zeros(3), blocking=False)
    with pytest.raises(TypeError, match="same_kind"):
        x.set(np.zeros(x.shape, np.complex64), blocking=False)


def test_set(x):
    pinned = np.asarray(gpuarray.empty_pinned(x.shape))
    pinned[...] = 7
    transfer = x.set(pinned, blocking=False)
    assert transfer.wait() is x
    assert_same(x, pinned)
    # Other sources are read at once, as with blocking.
    for source in (np.ones(x.shape), np.ones(x.shape, np.int8), np.ones((1000, 300)).T):
        transfer = x.set(source, blocking=False)
        source[...] = 2
        assert_same(transfer.result, np.ones(x.shape))
    x[:, ::2].set(pinned[:, 1::2], blocking=False).wait()
    assert_same(x[:, ::2], pinned[:, 1::2])
    assert x.set(pinned) is None


def test_streams(x):
    stream = gpuarray.Stream()
    pinned = np.asarray(gpuarray.zeros_pinned(x.shape))
    x.set(pinned, stream=stream, blocking=False)
    host = x.get(stream=stream, blocking=False)
    stream.synchronize()
    assert host.done
    assert_same(host.result, pinned)


def test_between_shared_memories(device):
    a, b = gpuarray.empty_pinned(1000), gpuarray.empty_managed(1000)
    np.asarray(a)[...] = np.arange(1000)
    transfer = b.set(np.asarray(a), blocking=False)
    assert_same(transfer.result, np.arange(1000.0))
    np.asarray(a)[...] = 0
    assert_same(b.get(np.asarray(a), blocking=False).result, np.arange(1000.0))


def test_nobody_has_to_keep_anything(device):
    for _ in range(50):
        a = gpuarray.ones(100_000)
        a.set(np.asarray(gpuarray.zeros_pinned(100_000)), blocking=False)
        hosts = [(a + i).get(blocking=False) for i in range(4)]
        del a
        for i, transfer in enumerate(hosts):
            assert (transfer.result == i).all()


def test_await(x):
    async def use():
        host = await x.get(blocking=False)
        again, other = await asyncio.gather(*map(wait, (x.get(blocking=False), host_set(host))))
        return again is not host and other is x

    async def wait(transfer):
        return await transfer

    def host_set(host):
        return x.set(host, blocking=False)

    assert asyncio.run(use())


def test_repr(x):
    transfer = x.get(blocking=False)
    transfer.wait()
    assert repr(transfer) == "<gpuarray.Transfer done>"


def test_nothing_leaks(device):
    x = gpuarray.ones(10_000)
    host = np.ones(10_000)
    gpuarray.synchronize()
    x.get(blocking=False).wait()
    with nothing_leaks(device, x, host):
        for _ in range(20):
            x.get(blocking=False).wait()
            x.set(host, blocking=False).wait()
            x.get(host, blocking=False).wait()


@pytest.mark.cuda
@needs_late_work
def test_they_do_not_wait(cuda):
    gpuarray.zeros(SHAPE, "float32").get(blocking=False).wait()  # locks the pages
    transfer = zeros_later().get(blocking=False)
    assert not transfer.done
    assert repr(transfer) == "<gpuarray.Transfer pending>"
    assert not transfer.result.any()
    assert transfer.done


@pytest.mark.cuda
@needs_late_work
def test_the_source_of_a_set_is_read_later(cuda):
    source = gpuarray.zeros_pinned(SHAPE, "float32")
    with gpuarray.Stream():
        a = zeros_later()
        transfer = a.set(np.asarray(source), blocking=False)
        assert not transfer.done
        np.asarray(source)[7, 7] = 1
    assert transfer.result.sum().item() == 1


@pytest.mark.cuda
def test_a_forgotten_transfer_keeps_its_memory(cuda):
    source = gpuarray.zeros_pinned(SHAPE, "float32")
    with gpuarray.Stream():  # of which the memory of `source` does not know
        a = zeros_later()
        a.set(np.asarray(source), blocking=False)
    del source
    gc.collect()
    for _ in range(3):
        np.asarray(gpuarray.empty_pinned(SHAPE, "float32"))[...] = 5
    assert not a.get().any()
    a = zeros_later()
    a.get(blocking=False)
    del a
    gc.collect()
    host = np.asarray(gpuarray.zeros_pinned(SHAPE, "float32"))
    host[...] = 1
    gpuarray.synchronize()
    assert (host == 1).all()
