# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Streams: current ones, order between them, synchronisation."""

import sys
import threading

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray


def test_synchronize(device):
    x = gpuarray.ones(10**6)
    x += 1
    gpuarray.synchronize()
    gpuarray.synchronize(device)
    x.device.synchronize()
    gpuarray.current_stream().synchronize()
    assert gpuarray.current_stream().done


def test_current_stream_of_a_block(device):
    before = gpuarray.current_stream()
    stream = gpuarray.Stream()
    with stream as inner:
        assert inner is stream
        assert gpuarray.current_stream() == stream
        x = gpuarray.ones(5)
    assert gpuarray.current_stream() == before
    assert x.tolist() == [1] * 5
    with pytest.raises(KeyError), stream:
        raise KeyError
    assert gpuarray.current_stream() == before


def test_stream_objects(device):
    stream = gpuarray.Stream()
    assert stream.device == device
    assert stream == stream
    assert hash(stream) == hash(stream)
    assert device in repr(stream)
    assert stream.done
    stream.wait(gpuarray.current_stream())
    assert isinstance(stream.ptr, int)


def test_streams_of_the_thread(device):
    stream = gpuarray.Stream()
    seen = []
    with stream:
        thread = threading.Thread(target=lambda: seen.append(gpuarray.current_stream(device)))
        thread.start()
        thread.join()
    # Free-threaded Python 3.14 starts threads in a copy of the context, which has the stream.
    inherits = getattr(sys.flags, "thread_inherit_context", False)
    if device != "cpu":
        assert (seen[0] == stream) == bool(inherits)
    assert len(seen) == 1


def test_stream_arguments(device):
    stream = gpuarray.Stream()
    x = gpuarray.to_device(np.arange(5.0), stream=stream)
    assert x.get(stream=stream).tolist() == [0, 1, 2, 3, 4]
    x.set(np.zeros(5), stream=stream)
    assert gpuarray.asnumpy(x, stream).tolist() == [0] * 5
    for bad in ("text", 1.5, object()):
        with pytest.raises(TypeError, match="stream"):
            x.get(stream=bad)


def test_arrays_cross_streams_in_order(device):
    """No synchronisation by hand: each use waits for the one before."""
    first, second = gpuarray.Stream(), gpuarray.Stream()
    expected = np.zeros(1 << 20, np.int64)
    x = gpuarray.to_device(expected)
    for step in range(20):
        with first:
            x += step
        with second:
            x *= 2
            y = x + 1
        expected = (expected + step) * 2
    assert_same(y, expected + 1)
    assert_same(x, expected)


def test_freed_memory_is_not_reused_early(device):
    first, second = gpuarray.Stream(), gpuarray.Stream()
    for value in range(30):
        with first:
            x = gpuarray.full(1 << 18, value, np.int32)
            total = (x * 3).sum()
            del x
        with second:
            noise = gpuarray.full(1 << 18, -1, np.int32)
            noise *= noise
            del noise
        assert total.item() == 3 * value << 18


@pytest.mark.cuda
def test_streams_of_another_device_are_refused(cuda):
    cpu_stream = gpuarray.Stream("cpu")
    with pytest.raises(gpuarray.DeviceError, match=r"cuda:0.*cpu"):
        gpuarray.zeros(3).get(stream=cpu_stream)


@pytest.mark.cuda
def test_cuda_stream_protocol(cuda):
    stream = gpuarray.Stream()
    assert stream.__cuda_stream__() == (0, stream.ptr)
    borrowed = gpuarray.Stream.from_external(stream)
    assert borrowed.ptr == stream.ptr
    assert gpuarray.zeros(3).get(stream=stream.ptr).tolist() == [0, 0, 0]
    for number in (1, 2):
        with gpuarray.Stream.from_external(number):
            assert gpuarray.ones(3).sum().item() == 3


@pytest.mark.cuda
def test_operations_are_asynchronous(cuda):
    x = gpuarray.ones((4096, 4096))
    gpuarray.synchronize()
    for _ in range(5):
        x @ x
    assert not gpuarray.current_stream().done
    gpuarray.synchronize()
    assert gpuarray.current_stream().done


def test_cpu_streams_have_no_handle_to_give():
    stream = gpuarray.Stream("cpu")
    assert stream.ptr == 0
    with pytest.raises(gpuarray.DeviceError, match="cpu"):
        stream.__cuda_stream__()


class Lent:
    def __init__(self, given):
        self.given = given

    def __cuda_stream__(self):
        return self.given


BAD_PROTOCOLS = {
    "no tuple": (1, TypeError, "int"),
    "list": ([0, 1], TypeError, "list"),
    "text": ("01", TypeError, "str"),
    "none": (None, TypeError, "NoneType"),
    "empty": ((), ValueError, "0 elements"),
    "short": ((0,), ValueError, "1 elements"),
    "long": ((0, 1, 2), ValueError, "3 elements"),
    "text handle": ((0, "1"), TypeError, "str"),
    "float handle": ((0, 1.0), TypeError, "float"),
    "no handle": ((0, None), TypeError, "NoneType"),
    "text version": (("0", 1), TypeError, "str"),
    "later version": ((1, 1), ValueError, "version 0.*got 1"),
    "negative version": ((-1, 1), ValueError, "version 0.*got -1"),
    "negative handle": ((0, -5), ValueError, "handle.*-5"),
    "large handle": ((0, 2**80), OverflowError, "int"),
}


@pytest.mark.parametrize("name", BAD_PROTOCOLS)
def test_bad_cuda_streams(device, name):
    given, error, message = BAD_PROTOCOLS[name]
    a = gpuarray.zeros(3)
    for take in (
        lambda stream: a.get(stream=stream),
        lambda stream: gpuarray.add(a, 1, stream=stream),
        lambda stream: gpuarray.zeros(3, stream=stream),
        gpuarray.Stream.from_external,
    ):
        with pytest.raises(error, match=message):
            take(Lent(given))


def test_negative_handles(device):
    with pytest.raises(ValueError, match=r"handle.*-5"):
        gpuarray.zeros(3).get(stream=-5)
