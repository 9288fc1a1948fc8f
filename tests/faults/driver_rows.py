# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The functions of the driver, each with a program that reaches it."""

import gc

import numpy as np
from faults.rows import (
    Foreign,
    Row,
    Table,
    World,
    capture,
    first_use,
    in_thread,
    module,
    quiet,
)

import gpuarray
from gpuarray import driver
from gpuarray.memory import DriverResource, using_allocator

LARGE = 3 << 20  # bytes that no pool of ours keeps


def large(w: World) -> None:
    with using_allocator(DriverResource()):
        gpuarray.empty(LARGE, np.uint8)


def upload(w: World) -> gpuarray.GPUArray:
    return gpuarray.to_device(np.ones(3), device="cuda:0")


def two_streams(w: World) -> None:
    w.stream.wait(gpuarray.current_stream())


def drop_stream(w: World) -> None:
    gpuarray.Stream().synchronize()


def new_event(w: World) -> None:
    gpuarray.Event().record()


def elapsed(w: World) -> float:
    start, end = gpuarray.Event(), gpuarray.Event()
    start.record()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def pinned(w: World) -> None:
    with gpuarray.pinned(np.ones(1 << 12)):
        pass


def drop_pinned(w: World) -> None:
    gpuarray.empty_pinned(1 << 12, np.uint8)
    gpuarray.synchronize()
    gpuarray.release_pinned_memory()


def external(w: World) -> gpuarray.Stream:
    return gpuarray.ExternalStream(w.stream.ptr)


def on_external(w: World) -> None:
    with external(w):
        gpuarray.zeros(5)


def open_shared(w: World) -> None:
    opened = gpuarray.open_shared(w.lent)
    opened.get()
    del opened
    gc.collect()


def write_beside_value(w: World) -> None:
    x = gpuarray.to_device(np.arange(5.0))
    value = x[1]
    x += 1
    assert value.item() == 1


def between_hosts(w: World) -> None:
    x = np.empty_like(w.host)
    with gpuarray.pinned(x):
        w.managed.get(out=x, blocking=False).wait()


def scale(w: World) -> None:
    w.kernel[1, 4](gpuarray.ones(4, np.float32), 4)


def call_host(w: World) -> None:
    w.stream.launch_host_func(lambda: None)
    w.stream.synchronize()


def free_shared(w: World) -> None:
    gpuarray.empty_shared(7)


def unload(w: World) -> None:
    module().unload()


def capture_and_drop(w: World) -> None:
    capture(w)
    gc.collect()


def to_peer(w: World) -> gpuarray.GPUArray:
    return w.a.to_device("cuda:1")


TELLS_OF_ANOTHER = "only names the error of another call, which is told by its number then"

ROWS: Table = {
    "cuInit": first_use(upload, raises=gpuarray.DeviceError, stays=True),
    "cuGetErrorName": TELLS_OF_ANOTHER,
    "cuGetErrorString": TELLS_OF_ANOTHER,
    "cuDeviceGetCount": first_use(upload, raises=gpuarray.DeviceError, stays=True),
    "cuDeviceGet": first_use(upload),
    "cuDeviceGetName": first_use(lambda w: gpuarray.device("cuda:0").name),
    "cuDeviceGetAttribute": first_use(upload),
    "cuDeviceTotalMem": first_use(lambda w: gpuarray.device("cuda:0").total_memory),
    "cuDeviceGetDefaultMemPool": first_use(upload),
    "cuDevicePrimaryCtxRetain": first_use(upload),
    "cuDeviceGetUuid": Row(lambda w: w.shared.share()),
    "cuDeviceCanAccessPeer": Row(to_peer),
    "cuProfilerStart": Row(lambda w: driver.profile(True)),
    "cuProfilerStop": Row(lambda w: driver.profile(False)),
    "cuCtxGetCurrent": Row(lambda w: w.a + w.b),
    "cuCtxSetCurrent": Row(lambda w: in_thread(lambda: w.a + w.b)),
    "cuCtxSynchronize": Row(lambda w: gpuarray.synchronize()),
    "cuCtxEnablePeerAccess": Row(to_peer),
    "cuMemAlloc": Row(free_shared),
    "cuMemFree": quiet(free_shared),
    "cuMemAllocFromPoolAsync": Row(large),
    "cuMemFreeAsync": quiet(large),
    "cuMemPoolGetAttribute": Row(lambda w: DriverResource().usage()),
    "cuMemPoolSetAttribute": first_use(upload),
    "cuMemPoolTrimTo": quiet(lambda w: gpuarray.memory.release_cached()),
    "cuMemPoolSetAccess": Row(to_peer),
    "cuMemHostAlloc": Row(lambda w: gpuarray.empty_pinned(LARGE, np.uint8)),
    "cuMemFreeHost": quiet(drop_pinned),
    "cuMemHostRegister": Row(pinned),
    "cuMemHostUnregister": Row(pinned),
    "cuMemAllocManaged": Row(lambda w: gpuarray.empty_managed(LARGE, np.uint8)),
    "cuMemPrefetchAsync": Row(lambda w: w.managed.prefetch("cuda:0")),
    "cuMemAdvise": Row(lambda w: w.managed.advise("read_mostly")),
    "cuMemGetInfo": Row(lambda w: gpuarray.memory_info()),
    "cuMemGetAddressRange": Row(lambda w: w.shared.share()),
    "cuPointerGetAttribute": Row(lambda w: w.shared.share()),
    "cuPointerGetAttributes": Row(lambda w: gpuarray.asarray(Foreign(w.a))),
    "cuMemcpyAsync": Row(between_hosts),
    "cuMemcpyHtoDAsync": Row(lambda w: w.a.set(w.host)),
    "cuMemcpyDtoHAsync": Row(lambda w: w.a.get()),
    "cuMemcpyDtoDAsync": Row(write_beside_value),
    "cuMemcpyPeerAsync": Row(to_peer),
    "cuMemsetD8Async": Row(lambda w: gpuarray.ones(1 << 20, np.float32).cumsum()),
    "cuStreamCreateWithPriority": Row(drop_stream),
    "cuStreamGetPriority": Row(lambda w: external(w).priority),
    "cuStreamGetFlags": Row(lambda w: external(w).non_blocking),
    "cuStreamDestroy": quiet(drop_stream),
    "cuStreamSynchronize": Row(lambda w: w.stream.synchronize()),
    "cuStreamQuery": Row(lambda w: w.stream.done),
    "cuLaunchHostFunc": Row(call_host),
    "cuStreamWaitEvent": Row(two_streams),
    "cuStreamBeginCapture": Row(capture_and_drop),
    "cuStreamEndCapture": Row(capture_and_drop),
    "cuStreamIsCapturing": Row(on_external),
    "cuThreadExchangeStreamCaptureMode": Row(lambda w: gpuarray.fft.fft(w.a)),
    "cuGraphGetNodes": Row(capture_and_drop),
    "cuGraphInstantiateWithFlags": Row(capture_and_drop),
    "cuGraphLaunch": Row(lambda w: w.graph.launch()),
    "cuGraphExecDestroy": quiet(capture_and_drop),
    "cuGraphDestroy": quiet(capture_and_drop),
    "cuEventCreate": Row(new_event),
    "cuEventRecord": Row(new_event),
    "cuEventQuery": Row(lambda w: w.recorded.query()),
    "cuEventSynchronize": Row(lambda w: w.recorded.synchronize()),
    "cuEventElapsedTime": Row(elapsed),
    "cuEventDestroy": quiet(new_event),
    "cuIpcGetMemHandle": Row(lambda w: w.shared.share()),
    "cuIpcOpenMemHandle": Row(open_shared),
    "cuIpcCloseMemHandle": quiet(open_shared),
    "cuIpcGetEventHandle": Row(lambda w: w.shared.share()),
    "cuIpcOpenEventHandle": Row(open_shared),
    "cuLibraryLoadData": Row(lambda w: module()),
    "cuLibraryUnload": Row(unload),
    "cuLibraryGetModule": Row(lambda w: module()),
    "cuLibraryGetGlobal": Row(lambda w: module().get_global("factor")),
    "cuLibraryGetKernel": Row(lambda w: module().get_function("scale")),
    "cuLibraryGetKernelCount": Row(lambda w: module().kernels),
    "cuLibraryEnumerateKernels": Row(lambda w: module().kernels),
    "cuKernelGetName": Row(lambda w: module().kernels),
    "cuKernelGetFunction": Row(lambda w: module().get_function("scale")),
    "cuFuncGetParamInfo": Row(lambda w: module().get_function("scale")),
    "cuFuncGetAttribute": Row(lambda w: module().get_function("scale")),
    "cuFuncSetAttribute": Row(lambda w: setattr(w.kernel, "max_dynamic_shared_size_bytes", 60_000)),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": Row(lambda w: w.kernel.occupancy(32)),
    "cuOccupancyMaxPotentialBlockSize": Row(lambda w: w.kernel.suggested_block()),
    "cuLaunchKernelEx": Row(scale),
}
