# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Events: order between streams, time, waiting."""

import numpy as np
import pytest

import gpuarray


def test_an_event_of_work(device):
    event = gpuarray.Event()
    assert event.done and event.query()
    x = gpuarray.ones(10**6) * 2
    assert event.record() is event
    event.synchronize()
    assert event.done
    assert x.sum().item() == 2 * 10**6
    assert event.device == device
    assert device in repr(event)
    assert isinstance(event.ptr, int)


def test_elapsed_time_is_in_milliseconds(device):
    stream = gpuarray.Stream()
    start, end = gpuarray.Event(), gpuarray.Event()
    with stream:
        start.record()
        stream.launch_host_func(_sleep, 0.05)
        end.record()
    assert 45 < start.elapsed_time(end) < 5000
    assert start.elapsed_time(start) == 0


def _sleep(seconds):
    import time

    time.sleep(seconds)


def test_streams_record_and_wait(device):
    first, second = gpuarray.Stream(), gpuarray.Stream()
    with first:
        x = gpuarray.arange(10**6)
    event = first.record()
    second.wait_event(event)
    second.wait_stream(first)
    second.wait(event)
    event.wait(second)
    given = gpuarray.Event(timing=False)
    assert second.record(given) is given
    given.synchronize()
    assert first.done
    np.testing.assert_array_equal(x.get(stream=second), np.arange(10**6))


def test_what_cannot_be_measured(device):
    timed, recorded = gpuarray.Event(), gpuarray.Event().record()
    with pytest.raises(ValueError, match="not recorded"):
        recorded.elapsed_time(timed)
    untimed = gpuarray.Event(timing=False).record()
    with pytest.raises(ValueError, match="timing=False"):
        untimed.elapsed_time(recorded)
    with pytest.raises(ValueError, match="interprocess"):
        gpuarray.Event(interprocess=True)
    assert gpuarray.Event(timing=False, interprocess=True).timing is False


@pytest.mark.parametrize(
    "call",
    [
        lambda event, stream: event.elapsed_time(3),
        lambda event, stream: event.record("text"),
        lambda event, stream: stream.wait_event(stream),
        lambda event, stream: stream.wait_stream(event),
        lambda event, stream: stream.record(stream),
        lambda event, stream: stream.launch_host_func(3),
        lambda event, stream: stream.launch_host_func(),
    ],
)
def test_other_types_raise(device, call):
    with pytest.raises(TypeError, match="expected"):
        call(gpuarray.Event(), gpuarray.Stream())


@pytest.mark.cuda
def test_events_of_another_device_are_refused(cuda):
    with pytest.raises(gpuarray.DeviceError, match=r"cuda:0.*cpu"):
        gpuarray.Event().record(gpuarray.Stream("cpu"))
    with pytest.raises(gpuarray.DeviceError, match="cpu"):
        gpuarray.Event("cpu").record().elapsed_time(gpuarray.Event().record())
