# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the test driver is for: late work, injected errors, memory that shows mistakes, kernels."""

import textwrap
from pathlib import Path

import pytest
from _support.process import run_python
from _support.stub_driver import build_test_driver

BY_HAND = """
import ctypes, os, sys
sys.path.insert(0, {tests!r})
from _support.cuda_driver import CudaDriver
cu = CudaDriver(os.environ["GPUARRAY_LIBCUDA"])
"""


def variables(mode="late", **others):
    try:
        return {**build_test_driver(mode), **others}
    except FileNotFoundError:
        pytest.skip("there is no C++ compiler")


def run(code, mode="late", **others):
    head = BY_HAND.format(tests=str(Path(__file__).resolve().parents[3] / "tests"))
    return run_python(head + textwrap.dedent(code), **variables(mode, **others)).split()


def test_a_missing_wait_gives_the_old_value():
    code = """
        memory = cu.pointer("cuMemAlloc", 4)
        first, second = cu.stream(), cu.stream()
        for value in range(1, 5):
            cu.fill(memory, value, 4, first)
            print(cu.read(memory, 1, second)[0], cu.read(memory, 1, first)[0])
    """
    assert run(code) == ["203", "1", "1", "2", "2", "3", "3", "4"]


def test_a_random_order_is_that_of_its_seed():
    code = """
        memory = cu.pointer("cuMemAlloc", 1)
        streams = [cu.stream() for _ in range(4)]
        for value in range(40):
            cu.fill(memory, value, 1, streams[value % 4])
            print(cu.read(memory, 1, streams[3])[0] if value % 7 == 6 else -1)
    """
    seen = [tuple(run(code, f"random:{seed}")) for seed in (1, 1, 2, 3)]
    assert seen[0] == seen[1]
    assert len(set(seen)) > 1


def test_memory_freed_in_the_order_of_a_stream_is_reused_there_at_once():
    code = """
        stream = cu.stream()
        go = cu.stall(stream)
        first = cu.pointer("cuMemAllocAsync", 1000, stream)
        cu.check("cuMemFreeAsync", first, stream)
        print(cu.pointer("cuMemAllocAsync", 1000, cu.stream()) == first)
        print(cu.pointer("cuMemAllocAsync", 1000, stream) == first)
        go.set()
    """
    assert run(code) == ["False", "True"]


def test_host_code_cannot_touch_device_memory():
    code = """
        child = os.fork()
        if child == 0:
            memory = cu.pointer("cuMemAlloc", 4)
            ctypes.c_int.from_address(memory).value
            os._exit(0)
        print(os.WTERMSIG(os.waitpid(child, 0)[1]))
    """
    assert run(code) == ["11"]


KERNELS = r"""
extern "C" __global__ void turn(int* data) {
  __shared__ int shared[64];
  shared[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void sum(int* data) {
  int value = data[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) data[threadIdx.x / 32] = value;
}
extern "C" __global__ void wild(int* data) { data[int64_t(1) << 40] = 1; }
extern "C" __global__ void stuck(int* data) {
  if (threadIdx.x == 0) __syncthreads();
  else __shfl_down_sync(0xffffffffu, data[0], 1);
}
"""

LAUNCH = """
import numpy as np
nvrtc = ctypes.CDLL(os.environ["GPUARRAY_LIBNVRTC"])
program, size = ctypes.c_void_p(), ctypes.c_size_t()
text = os.environ["KERNELS"].encode()
nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernels.cu", 0, None, None)
assert nvrtc.nvrtcCompileProgram(program, 0, None) == 0
nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
image = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetCUBIN(program, image)
library = cu.pointer("cuLibraryLoadData", image, None, None, 0, None, None, 0)
memory, host = cu.pointer("cuMemAlloc", 512), np.arange(128, dtype=np.int32)
cu.check("cuMemcpyHtoD", memory, host.ctypes.data, 512)

def launch(name, blocks, threads):
    kernel = cu.pointer("cuLibraryGetKernel", library, name)
    value = ctypes.c_uint64(memory)
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    shape = [ctypes.c_uint(n) for n in (blocks, 1, 1, threads, 1, 1, 0)]
    cu.check("cuLaunchKernel", kernel, *shape, 0, arguments, None)
    return cu.status("cuCtxSynchronize")

def result():
    cu.check("cuMemcpyDtoH", host.ctypes.data, memory, 512)
    return host
"""


def test_kernels_with_barriers_and_shuffles():
    code = """
        assert launch(b"turn", 2, 64) == 0
        assert (result().reshape(2, 64)[:, ::-1] == np.arange(128).reshape(2, 64)).all()
        expected = host.reshape(4, 32).sum(axis=1)
        assert launch(b"sum", 1, 128) == 0
        assert (result()[:4] == expected).all()
    """
    run(LAUNCH + textwrap.dedent(code), KERNELS=KERNELS)


@pytest.mark.parametrize("name, status", [("wild", "700"), ("stuck", "719")])
def test_a_failed_kernel_is_an_error_that_stays(name, status):
    code = f"""
        print(launch(b"{name}", 1, 64))
        print(cu.status("cuMemGetInfo", ctypes.byref(size), ctypes.byref(size)))
    """
    assert run(LAUNCH + textwrap.dedent(code), KERNELS=KERNELS) == [status, status]


def test_the_nth_call_fails_once():
    code = """
        driver = cu._library
        print(*[cu.status("cuCtxSynchronize") for _ in range(4)])
        assert driver.test_driver_fail(b"cuCtxSynchronize", ctypes.c_int64(2), 719) == 0
        print(*[cu.status("cuCtxSynchronize") for _ in range(3)])
        assert driver.test_driver_fail(b"cuNoSuchFunction", ctypes.c_int64(1), 1) == 1
    """
    found = run(code, GPUARRAY_TEST_DRIVER_FAIL="cuCtxSynchronize:3:2")
    assert found == ["0", "0", "2", "0", "0", "719", "0"]


def test_out_of_memory_is_reported_and_passes():
    code = """
        import gpuarray, numpy as np
        x = gpuarray.to_device(np.arange(5.0))
        used = gpuarray.memory_stats()["bytes_in_use"]
        for n in (1, 2, 3):
            cu._library.test_driver_fail(b"cuMemAllocFromPoolAsync", ctypes.c_int64(1), 2)
            y = gpuarray.zeros(1 << (14 + n))
            cu._library.test_driver_fail(b"cuMemAllocFromPoolAsync", ctypes.c_int64(1), 1)
            try:
                gpuarray.zeros(1 << (20 + n))
                print("none")
            except gpuarray.CudaError as error:
                print(error.status if hasattr(error, "status") else "CudaError")
            del y
            assert (x + x).get().tolist() == [0, 2, 4, 6, 8]
            assert gpuarray.memory_stats()["bytes_in_use"] == used
    """
    assert "none" not in run(code)


def test_several_devices():
    code = """
        import gpuarray, numpy as np
        assert [str(d) for d in gpuarray.devices()] == ["cuda:0", "cuda:1", "cpu"]
        x = gpuarray.to_device(np.arange(1000.0), device="cuda:0")
        y = x.to_device("cuda:1") + 1
        assert str(y.device) == "cuda:1"
        assert (y.get() == np.arange(1000.0) + 1).all()
    """
    run(code, GPUARRAY_TEST_DRIVER_DEVICES="2")


OTHER_PROCESS = """
    class Handle(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_ubyte * 64)]

    def open_handle(name, result, handle, *flags):
        types = [ctypes.c_void_p, Handle, *[ctypes.c_uint for _ in flags]]
        address, found = ctypes.c_void_p(), ctypes.c_int()
        cu._library.cuGetProcAddress_v2(name, ctypes.byref(address), 12000, 0, None)
        return ctypes.CFUNCTYPE(ctypes.c_int, *types)(address.value)(result, handle, *flags)

    handle, memory = Handle(), ctypes.c_uint64()
    if len(sys.argv) > 1:
        handle.bytes[:] = bytes.fromhex(sys.argv[1])
        assert open_handle(b"cuIpcOpenMemHandle", ctypes.addressof(memory), handle, 1) == 0
        assert cu.read(memory.value, 4, 0) == bytes([7] * 4)
        cu.fill(memory.value, 9, 4, 0)
        cu.check("cuIpcCloseMemHandle", memory.value)
    else:
        memory = cu.pointer("cuMemAlloc", 10000)
        cu.fill(memory, 7, 10000, 0)
        event = cu.event(4 | 2)
        cu.check("cuEventRecord", event, 0)
        cu.check("cuIpcGetMemHandle", ctypes.byref(handle), memory)
        out = ctypes.c_uint64()
        print(open_handle(b"cuIpcOpenMemHandle", ctypes.addressof(out), handle, 1))
        subprocess.run([sys.executable, "-c", TEXT, bytes(handle.bytes).hex()], check=True)
        print(*cu.read(memory, 5, 0))
"""


def test_memory_of_another_process():
    code = textwrap.dedent(OTHER_PROCESS)
    head = BY_HAND.format(tests=str(Path(__file__).resolve().parents[3] / "tests"))
    text = f"import subprocess\nTEXT = {head + code!r}\n"
    assert run(text + code) == ["201", "9", "9", "9", "9", "7"]
