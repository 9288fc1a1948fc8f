# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.cuda.runtime: addresses and handles as the CUDA runtime has them."""

import ctypes
import re

import numpy as np
import pytest

import gpuarray
import gpuarray as cp
from gpuarray.cuda import runtime


def test_devices(device):
    count = sum(one.kind == "cuda" for one in gpuarray.devices())
    assert runtime.getDeviceCount() == (1 if device == "cpu" else count)
    assert runtime.getDevice() == 0
    with cp.cuda.Device(0):
        runtime.setDevice(0)
    runtime.deviceSynchronize()
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    assert runtime.deviceCanAccessPeer(0, 0) == int(gpuarray.can_access_peer(device, device))


def test_properties(device):
    found = runtime.getDeviceProperties(0)
    here = gpuarray.device(device)
    assert found["name"].decode() == here.name
    assert found["totalGlobalMem"] == here.total_memory
    assert found["multiProcessorCount"] == here.multiprocessors
    if device != "cpu":
        assert (found["major"], found["minor"]) == here.compute_capability
        assert len(found["maxThreadsDim"]) == len(found["maxGridSize"]) == 3


def test_versions():
    version = gpuarray.show_config(mode="dicts")["libraries"]["NVRTC"]["version"]
    found = runtime.runtimeGetVersion()
    if version:
        major, minor = map(int, version.split(".")[:2])
        assert found == major * 1000 + minor * 10
    assert found >= 0


def test_cpu_has_no_driver_attributes():
    with gpuarray.device("cpu"):
        for call in (
            lambda: runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0),
            lambda: runtime.deviceGetPCIBusId(0),
            lambda: runtime.deviceGetByPCIBusId("0000:00:00.0"),
        ):
            with pytest.raises(gpuarray.DeviceError):
                call()


@pytest.mark.cuda
def test_attributes(cuda):
    major = runtime.deviceGetAttribute(runtime.cudaDevAttrComputeCapabilityMajor, 0)
    assert major == gpuarray.device(cuda).compute_capability[0]
    assert runtime.deviceGetByPCIBusId(runtime.deviceGetPCIBusId(0)) == 0
    assert runtime.driverGetVersion() >= 11000


def test_no_driver():
    from _support.process import run_python

    out = run_python(
        """
        from gpuarray.cuda import runtime
        from gpuarray import DeviceError
        try:
            runtime.driverGetVersion()
        except DeviceError as error:
            print(error)
        """,
        GPUARRAY_LIBCUDA="/nowhere",
    )
    assert out.startswith("there is no CUDA driver:")


def test_memory_by_address(device):
    host = np.arange(16, dtype=np.uint8)
    back = np.zeros(16, np.uint8)
    one, two = runtime.malloc(16), runtime.malloc(16)
    stream = runtime.streamCreate()
    try:
        runtime.memcpy(one, host.ctypes.data, 16, runtime.memcpyHostToDevice)
        runtime.memset(two, 5, 16)
        runtime.memcpyAsync(two, one + 4, 8, runtime.memcpyDeviceToDevice, stream)
        runtime.memsetAsync(two + 15, 1, 1, stream)
        runtime.streamSynchronize(stream)
        runtime.memcpy(back.ctypes.data, two, 16, runtime.memcpyDeviceToHost)
        assert back.tolist() == [*range(4, 12), *[5] * 7, 1]
        runtime.memcpy(back.ctypes.data, one, 16, runtime.memcpyDefault)
        assert back.tolist() == host.tolist()
        runtime.memcpy(back.ctypes.data, host.ctypes.data + 8, 8, runtime.memcpyHostToHost)
        assert back[:8].tolist() == list(range(8, 16))
        runtime.memcpy(0, 0, 0, runtime.memcpyHostToDevice)
        runtime.memset(0, 0, 0)
        with pytest.raises(ValueError, match=r"expected a constant memcpy\.\.\., got 7"):
            runtime.memcpy(one, two, 8, 7)
    finally:
        runtime.free(one)
        runtime.free(two)
        runtime.streamDestroy(stream)
    runtime.free(0)
    with pytest.raises(ValueError, match=re.escape(f"{one:#x} is no address")):
        runtime.free(one)


def test_memory_in_stream_order(device):
    one, two = runtime.streamCreate(), runtime.streamCreate()
    place = runtime.mallocAsync(8000, one)
    runtime.memsetAsync(place, 5, 8000, one)
    back = np.zeros(8000, np.uint8)
    runtime.memcpyAsync(back.ctypes.data, place, 8000, runtime.memcpyDeviceToHost, two)
    assert (back == 5).all()
    target = runtime.malloc(8000)
    runtime.memcpyAsync(target, place, 8000, runtime.memcpyDeviceToDevice, two)
    runtime.freeAsync(place, two)
    with pytest.raises(ValueError, match=re.escape(f"freeAsync: {place:#x} is no address")):
        runtime.freeAsync(place, two)
    later = runtime.mallocAsync(8000, one)
    runtime.memsetAsync(later, 7, 8000, one)
    runtime.streamSynchronize(one)
    runtime.memcpy(back.ctypes.data, target, 8000, runtime.memcpyDeviceToHost)
    assert (back == 5).all()
    runtime.freeAsync(later, one)
    runtime.freeAsync(target, 0)
    runtime.freeAsync(0, one)
    assert runtime.mallocAsync(0, one) == 0
    runtime.streamDestroy(one)
    runtime.streamDestroy(two)


def test_memory_that_the_host_uses(device):
    for allocate, release in (
        (runtime.hostAlloc, runtime.freeHost),
        (runtime.mallocManaged, runtime.free),
    ):
        address = allocate(8)
        content = (ctypes.c_uint8 * 8).from_address(address)
        content[:] = range(8)
        assert list(content) == list(range(8))
        release(address)


def test_streams_and_events(device):
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    start, end = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventBlockingSync)
    assert start != end
    runtime.eventRecord(start, 0)
    runtime.streamWaitEvent(stream, start)
    with cp.cuda.ExternalStream(stream):
        a = cp.ones(1000).sum()
    runtime.eventRecord(end, stream)
    runtime.eventSynchronize(end)
    runtime.eventQuery(end)
    runtime.streamSynchronize(stream)
    runtime.streamQuery(stream)
    assert runtime.eventElapsedTime(start, end) >= 0
    assert a == 1000
    for event in (start, end):
        runtime.eventDestroy(event)
    runtime.streamDestroy(stream)
    with pytest.raises(ValueError, match="is no event that eventCreate returned"):
        runtime.eventDestroy(start)
    with pytest.raises(ValueError, match="is no stream that streamCreate returned"):
        runtime.streamDestroy(12345)


def test_errors_are_those_of_gpuarray():
    assert runtime.CUDARuntimeError is gpuarray.CudaError
    from gpuarray.cuda._handles import _require_done

    with pytest.raises(runtime.CUDARuntimeError, match="streamQuery") as caught:
        _require_done("streamQuery", False)
    assert caught.value.status == 600


@pytest.mark.cuda
def test_a_profiler_may_be_told_when_to_record(cuda):
    runtime.profilerStart()
    runtime.profilerStop()
