# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""RawKernel and RawModule, which compile at their first use for the device of the launch."""

import io

import numpy as np
import pytest
from _support.process import run_python

import gpuarray
from gpuarray import CompileError, RawKernel, RawModule

SCALE = """
extern "C" __global__ void scale(float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
"""
VARIABLE = """
__device__ int count = 3;
extern "C" __global__ void copy_count(int* x) { *x = count; }
"""


def test_making_one_needs_no_device():
    kernel = RawKernel("nonsense", "scale", ("-DX",))
    assert (kernel.name, kernel.code, kernel.options) == ("scale", "nonsense", ("-DX",))
    assert kernel.backend == "nvrtc" and kernel.file_path is None
    assert not kernel.enable_cooperative_groups
    module = RawModule(path="missing.cu", name_expressions=["f<float>"])
    assert module.get_function("f<float>").file_path == "missing.cu"
    assert repr(kernel) == "<gpuarray.RawKernel scale>"


def test_a_module_of_kernels_is_imported_where_there_is_no_driver():
    code = "from gpuarray import RawKernel; k = RawKernel('x', 'f'); print(k.name)"
    variables = {"GPUARRAY_LIBCUDA": "/nonexistent", "GPUARRAY_LIBNVRTC": "/nonexistent"}
    assert run_python(code, **variables) == "f\n"


def test_the_first_use_on_the_cpu_device_is_an_error():
    with gpuarray.device("cpu"):
        kernel = RawKernel(SCALE, "scale")
        for use in (kernel.compile, lambda: kernel((1,), (1,), (1, 2, 3)), lambda: kernel.num_regs):
            with pytest.raises(gpuarray.DeviceError, match="device code runs on CUDA devices"):
                use()


@pytest.mark.parametrize(
    "refused", [{"backend": "nvcc"}, {"jitify": True}, {"translate_cucomplex": True}]
)
def test_what_only_nvcc_does_is_refused_at_once(refused):
    with pytest.raises(ValueError, match="nvrtc"):
        RawModule(code=SCALE, **refused)
    with pytest.raises(ValueError, match="nvrtc"):
        RawKernel(SCALE, "scale", **refused)


def test_wrong_arguments_are_refused_at_once():
    with pytest.raises(TypeError, match="either code or path"):
        RawModule()
    with pytest.raises(TypeError, match="either code or path"):
        RawModule(code=SCALE, path="scale.cu")
    with pytest.raises(TypeError, match="code as a str, got int"):
        RawKernel(3, "scale")
    with pytest.raises(TypeError, match="name"):
        RawKernel(SCALE, 3)
    with pytest.raises(TypeError, match="options: expected a str"):
        RawKernel(SCALE, "scale", (3,))
    with pytest.raises(TypeError, match="tuple of arguments, got int"):
        RawKernel(SCALE, "scale")((1,), (1,), 3)


@pytest.mark.cuda
def test_launches_take_the_arguments_by_name(cuda):
    kernel = RawKernel(SCALE, "scale")
    x = gpuarray.ones(3, "float32")
    stream = gpuarray.Stream()
    kernel((1,), (3,), (x, np.float32(2), np.int32(3)))
    kernel(grid=(1,), block=(3,), args=[x, np.float32(3), np.int32(2)])
    kernel((1, 1, 1), (4, 1, 1), args=(x, 5, 1), shared_mem=64, stream=stream)
    assert x.get().tolist() == [30, 6, 2]


@pytest.mark.cuda
def test_a_launch_is_on_the_device_of_its_arrays(cuda):
    kernel = RawKernel(SCALE, "scale")
    x = gpuarray.ones(3, "float32")
    with gpuarray.device("cpu"):
        kernel((1,), (3,), (x, np.float32(2), np.int32(3)))
    assert x.get().tolist() == [2, 2, 2]


@pytest.mark.cuda
def test_one_kernel_on_two_devices(two_cuda_devices):
    kernel = RawKernel(SCALE, "scale")
    arrays = [gpuarray.ones(2, "float32", device=device) for device in two_cuda_devices]
    for factor, x in enumerate(arrays, start=2):
        kernel((1,), (2,), (x, np.float32(factor), np.int32(2)))
    assert [x.get().tolist() for x in arrays] == [[2, 2], [3, 3]]


@pytest.mark.cuda
def test_attributes_are_those_of_the_kernel(cuda):
    kernel = RawKernel(SCALE, "scale")
    assert kernel.attributes == kernel.kernel.attributes
    for name, value in kernel.attributes.items():
        assert getattr(kernel, name) == value
    kernel.max_dynamic_shared_size_bytes = 4096
    assert kernel.max_dynamic_shared_size_bytes == 4096
    assert kernel.attributes["max_dynamic_shared_size_bytes"] == 4096


@pytest.mark.cuda
def test_a_wrong_source_is_an_error_at_first_use(cuda):
    kernel = RawKernel("nonsense", "scale")
    with pytest.raises(CompileError, match=r"code\.cu"):
        kernel.compile()
    with pytest.raises(CompileError, match=r"code\.cu"):
        kernel((1,), (1,), ())
    kernel = RawModule(code=SCALE).get_function("scales")
    with pytest.raises(LookupError, match="did you mean 'scale'"):
        kernel.compile()


@pytest.mark.cuda
def test_compile_gives_the_log(cuda):
    log = io.StringIO()
    module = RawModule(code=SCALE)
    module.compile(log_stream=log)
    assert log.getvalue() == module.module.log
    assert module.module is module.module


@pytest.mark.cuda
def test_variables_of_a_module(cuda):
    module = RawModule(code=VARIABLE)
    module.get_global("count").view("int32").fill(8)
    x = gpuarray.zeros(1, "int32")
    module.get_function("copy_count")((1,), (1,), (x,))
    assert x.get().tolist() == [8]


@pytest.mark.cuda
def test_cooperative_launches(cuda):
    kernel = RawKernel(SCALE, "scale", enable_cooperative_groups=True)
    x = gpuarray.ones(3, "float32")
    kernel((1,), (3,), (x, np.float32(2), np.int32(3)))
    assert x.get().tolist() == [2, 2, 2]


@pytest.mark.cuda
def test_arrays_of_any_layout_are_passed_by_address(cuda):
    x = gpuarray.ones((2, 3), "float32", order="F")
    RawKernel(SCALE, "scale")((1,), (6,), (x, np.float32(2), 6))
    assert x.get().tolist() == [[2] * 3] * 2


@pytest.mark.cuda
def test_numpy_arrays_of_one_element_are_passed_by_value(cuda):
    source = """
    struct Pair { double first; int second; };
    extern "C" __global__ void add(double* x, const Pair pair, float more) {
      *x += pair.first + pair.second + more;
    }
    """
    pairs = np.array([(1.5, 2)], np.dtype([("first", "f8"), ("second", "i4")], align=True))
    x = gpuarray.zeros(1)
    kernel = RawKernel(source, "add")
    kernel((1,), (1,), (x, pairs, np.array([[4]], np.float32)))
    assert x.get().tolist() == [7.5]
    with pytest.raises(TypeError, match="NumPy array"):
        kernel((1,), (1,), (x, np.zeros(2, pairs.dtype), 1.0))
