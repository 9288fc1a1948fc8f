# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.cuda: CuPy's devices, streams and events."""

import pickle
import sys
import threading

import pytest

import gpuarray
import gpuarray as cp
from gpuarray.cuda import Device, Event, ExternalStream, Stream


def test_every_name_of_the_package_is_documented():
    for name in cp.cuda.__all__:
        value = getattr(cp.cuda, name)
        assert value.__doc__, name


def test_import_is_at_first_use():
    from _support.process import run_python

    out = run_python("""
        import sys, gpuarray
        print("gpuarray.cuda" in sys.modules, "gpuarray.lib" in sys.modules)
        gpuarray.cuda, gpuarray.lib
        print("gpuarray.cuda" in sys.modules, "gpuarray.lib" in sys.modules)
        print("libcuda" in open("/proc/self/maps").read())
    """)
    assert out.split() == ["False", "False", "True", "True", "False"]


def test_device_is_that_of_arrays(device):
    current = Device()
    a = cp.arange(3)
    assert current.device == gpuarray.device(device)
    assert current == Device(0) == Device(a.device) == Device(current)
    assert current == a.device and a.device == current
    assert a.device.id == current.id == int(current) == cp.cuda.get_device_id() == 0
    assert hash(current) == hash(a.device)
    assert current != 0 and a.device != 0  # as in CuPy
    assert not current < Device(0) and current <= Device(0)
    assert pickle.loads(pickle.dumps(current)) == current
    assert repr(current) == "<gpuarray.cuda.Device 0>"


def test_devices_that_do_not_exist(device):
    with pytest.raises(gpuarray.DeviceError, match=r"expected a number from 0 to \d+, got 99"):
        Device(99)
    with pytest.raises(gpuarray.DeviceError, match="got -1"):
        Device(-1)
    with pytest.raises(TypeError, match="expected an int or None, got str"):
        Device("first")


def test_device_tells_of_its_memory(device):
    free, total = Device().mem_info
    assert 0 < free <= total == gpuarray.device(device).total_memory
    Device().synchronize()


def test_blocks_and_use_of_devices(device):
    other = gpuarray.device("cpu")
    with gpuarray.device(device):
        with Device(other) as entered:
            assert entered == Device(other)
            assert gpuarray.default_device() == other
            Device(gpuarray.device(device)).use()
            assert gpuarray.default_device() == device
            Device(other).use()
            assert gpuarray.default_device() == other
        assert gpuarray.default_device() == device


def test_use_concerns_one_thread(device):
    found = []

    def work():
        Device(gpuarray.device("cpu")).use()
        found.append(gpuarray.default_device())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["cpu"]
    assert gpuarray.default_device() == device


def test_the_cpu_device_has_no_compute_capability():
    with gpuarray.device("cpu"):
        assert Device().attributes == {}
        for name in ("compute_capability", "pci_bus_id"):
            with pytest.raises(gpuarray.DeviceError, match="cpu"):
                getattr(Device(), name)


@pytest.mark.cuda
def test_what_a_cuda_device_tells(cuda):
    device = Device(0)
    major, minor = device.device.compute_capability
    assert device.compute_capability == f"{major}{minor}"
    attributes = device.attributes
    assert attributes["MultiProcessorCount"] == device.device.multiprocessors
    assert attributes["ComputeCapabilityMajor"] == major
    assert len(device.pci_bus_id.split(":")) == 3
    assert Device.from_pci_bus_id(device.pci_bus_id) == device


def test_there_is_no_device_at_a_wrong_place(device):
    with pytest.raises(gpuarray.DeviceError, match=r"no device at '0000:ff:1f\.7'"):
        Device.from_pci_bus_id("0000:ff:1f.7")


def test_is_available(device):
    assert cp.cuda.is_available() == any(one.kind == "cuda" for one in gpuarray.devices())


def test_streams_are_taken_everywhere(device):
    stream = Stream(non_blocking=True)
    with stream as entered:
        assert entered is stream
        assert cp.cuda.get_current_stream() == stream
        assert gpuarray.current_stream() == stream
        a = cp.arange(4.0)
    assert cp.asnumpy(a, stream=stream).tolist() == [0, 1, 2, 3]
    assert a.get(stream=stream).tolist() == [0, 1, 2, 3]
    assert cp.sum(a, stream=stream).item() == 6
    stream.synchronize()
    assert stream.done
    assert stream.ptr == stream.stream.ptr
    assert stream.device_id == 0
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert hash(stream) == hash(stream.stream)
    assert stream.priority == stream.stream.priority
    assert "Stream" in repr(stream)


def test_null_is_the_stream_that_is_current_at_first(device):
    main = gpuarray.current_stream()
    assert Stream.null == main == cp.cuda.get_current_stream()
    with Stream():
        assert Stream.null == main
        with Stream.null:
            assert gpuarray.current_stream() == main
    assert Stream(null=True) == Stream.null
    Stream.null.synchronize()
    assert Stream.ptds == gpuarray.per_thread_default_stream()
    assert Stream(ptds=True) == Stream.ptds
    with pytest.raises(ValueError, match="at most one of null and ptds"):
        Stream(null=True, ptds=True)


def test_use_of_streams(device):
    before = gpuarray.current_stream()
    one, two, three = Stream(), Stream(), Stream()
    with one:
        two.use()
        assert gpuarray.current_stream() == two
        three.use()
        assert gpuarray.current_stream() == three
        with two:
            assert gpuarray.current_stream() == two
        assert gpuarray.current_stream() == three
    assert gpuarray.current_stream() == before


@pytest.mark.cuda
def test_use_of_streams_in_blocks_of_others(cuda):
    before = gpuarray.current_stream()
    one, other = Stream(), gpuarray.Stream()
    for first in (gpuarray.Stream(), one):
        with first, other:
            with pytest.raises(RuntimeError, match="write with stream"):
                one.use()
            assert gpuarray.current_stream() == other
    assert gpuarray.current_stream() == before


def test_events(device):
    start, end = Event(), Event(block=True)
    assert isinstance(start, Event) and isinstance(start, gpuarray.Event)
    assert not isinstance(3, Event)
    stream = Stream()
    start.record()
    start.record(stream)
    with stream:
        a = cp.ones(10) + 1
    assert stream.record(end) is end
    assert isinstance(stream.record(), Event)
    Stream.null.wait_event(end)
    end.synchronize()
    assert end.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0
    assert a.sum() == 20
    assert not Event(disable_timing=True, interprocess=True).timing


def test_host_functions(device):
    called = []
    stream = Stream()
    stream.launch_host_func(called.append, 3)
    stream.add_callback(lambda *args: called.append(args), "arg")
    stream.synchronize()
    assert called == [3, (stream, 0, "arg")]


def test_external_streams(device):
    made = gpuarray.Stream()
    stream = ExternalStream(made.ptr)
    assert stream == made and made == stream and stream != 3
    assert ExternalStream(made.ptr, 0) == stream
    assert isinstance(stream, cp.cuda.stream.BaseStream)
    assert Stream.from_external(Stream._of(made)) == made
    with stream:
        assert cp.arange(3).sum() == 3


def test_captures_are_ended_only_once(device):
    stream = Stream(non_blocking=True)
    assert not stream.is_capturing()
    with pytest.raises(RuntimeError, match="begin_capture was not called"):
        stream.end_capture()
    if device == "cpu":
        with pytest.raises(gpuarray.DeviceError, match="cpu"):
            stream.begin_capture()
        assert not stream.is_capturing()


@pytest.mark.cuda
def test_capture(cuda):
    a = cp.zeros(4)
    stream = Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        with pytest.raises(RuntimeError, match="captured already"):
            stream.begin_capture()
        a += 1
        graph = stream.end_capture()
    assert isinstance(graph, cp.cuda.Graph)
    graph.launch()
    graph.launch(stream)
    stream.synchronize()
    assert a.get().tolist() == [2] * 4


def test_marks_do_nothing_without_the_library(monkeypatch):
    from gpuarray.cuda import nvtx

    monkeypatch.setitem(sys.modules, "nvtx", None)
    nvtx.Mark("a")
    nvtx.RangePush("b")
    nvtx.RangePop()


def test_marks_are_those_of_the_library(monkeypatch):
    from types import SimpleNamespace

    from gpuarray.cuda import nvtx

    calls = []
    library = SimpleNamespace(
        mark=lambda message, color: calls.append(("mark", message, color)),
        push_range=lambda message, color: calls.append(("push", message, color)),
        pop_range=lambda: calls.append("pop"),
    )
    monkeypatch.setitem(sys.modules, "nvtx", library)
    nvtx.Mark("a", 1)
    nvtx.MarkC("b", 0xFF)
    nvtx.RangePush("c", 9)
    nvtx.RangePushC("d", 7)
    nvtx.RangePop()
    nvtx.RangePop()
    colors = nvtx._COLORS
    assert calls == [
        ("mark", "a", colors[1]),
        ("mark", "b", 0xFF),
        ("push", "c", colors[1]),
        ("push", "d", 7),
        "pop",
        "pop",
    ]


def test_profiler_leaves_the_cpu_device_alone():
    with gpuarray.device("cpu"):
        with cp.cuda.profile():
            a = cp.ones(3)
        cp.cuda.profiler.start()
        cp.cuda.profiler.stop()
    assert a.sum() == 3
