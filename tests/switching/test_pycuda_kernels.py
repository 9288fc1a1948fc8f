# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's SourceModule and the ways to launch its functions."""

import os

import numpy as np
import pytest

import gpuarray
import gpuarray.pycuda.driver as drv
from gpuarray.pycuda import compiler
from gpuarray.pycuda.compiler import SourceModule
from gpuarray.pycuda.gpuarray import vec

SOURCE = """
__constant__ float weights[2];

__global__ void scale(float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void weigh(float *x) { x[threadIdx.x] *= weights[threadIdx.x]; }
struct Pair { float first; float second; };
__global__ void add_pairs(Pair *x, Pair y) {
  x[threadIdx.x].first += y.first;
  x[threadIdx.x].second += y.second;
}
"""
pytestmark = pytest.mark.cuda


@pytest.fixture
def scale(cuda):
    return SourceModule(SOURCE).get_function("scale")


def test_arguments_of_all_kinds(scale):
    expected = [0, 2, 4]
    x = gpuarray.arange(3, dtype="float32")
    scale(x, np.float32(2), np.int32(3), block=(3, 1, 1))
    assert x.get().tolist() == expected
    x = gpuarray.arange(3, dtype="float32")
    scale(x.gpudata, np.float32(2), np.int32(3), block=(3, 1, 1), grid=(1,))
    assert x.get().tolist() == expected
    allocation = drv.to_device(np.arange(3, dtype=np.float32))
    scale(allocation, np.float32(2), np.int32(3), block=(3, 1, 1), grid=(1, 1))
    scale(int(allocation), np.float32(1), np.int32(3), block=(3, 1, 1), grid=(1, 1))
    assert drv.from_device(allocation, 3, np.float32).tolist() == expected
    host = np.arange(3, dtype=np.float32)
    scale(drv.InOut(host), np.float32(2), np.int32(3), block=(3, 1, 1), shared=64)
    assert host.tolist() == expected


@pytest.mark.parametrize("kind", ["managed", "pagelocked"])
def test_memory_of_both_sides(scale, kind):
    host = getattr(drv, f"{kind}_empty")(4, np.float32)
    host[:] = 1
    scale(host[1:], np.float32(2), np.int32(3), block=(3, 1, 1))
    drv.Context.synchronize()
    assert host.tolist() == [1, 2, 2, 2]


def test_the_order_of_work_on_allocations(scale):
    streams = [drv.Stream() for _ in range(4)]
    allocation = drv.to_device(np.ones(1000, np.float32))
    for stream in streams:
        scale(
            allocation, np.float32(2), np.int32(1000), block=(256, 1, 1), grid=(4, 1), stream=stream
        )
    target = drv.pagelocked_empty(1000, np.float32)
    drv.memcpy_dtoh_async(target, allocation, streams[0])
    streams[0].synchronize()
    assert target.tolist() == [16] * 1000


def test_the_order_of_work_on_addresses(scale):
    stream = drv.Stream()
    x = gpuarray.ones(1000, "float32") + 1
    scale(x.gpudata, np.float32(3), np.int32(1000), block=(256, 1, 1), grid=(4, 1), stream=stream)
    assert (x + 1).get().tolist() == [7] * 1000


def test_arrays_of_other_layouts_are_passed_by_address(scale):
    x = gpuarray.ones((2, 3), "float32", order="F")
    scale(x, np.float32(2), np.int32(6), block=(6, 1, 1))
    assert x.get().tolist() == [[2] * 3] * 2


def test_times_are_in_seconds(scale):
    x = gpuarray.ones(3, "float32")
    seconds = scale(x, np.float32(2), np.int32(3), block=(3, 1, 1), time_kernel=True)
    assert 0 <= seconds < 10
    assert scale(x, np.float32(2), np.int32(3), block=(3, 1, 1)) is None
    host = np.ones(3, np.float32)
    assert (
        scale(drv.InOut(host), np.float32(2), np.int32(3), block=(3, 1, 1), time_kernel=True) >= 0
    )
    assert host.tolist() == [2] * 3
    scale.prepare("Pfi")
    timed = scale.prepared_timed_call((1, 1), (3, 1, 1), x, 2, 3)
    assert 0 <= timed() < 10
    assert x.get().tolist() == [8] * 3


@pytest.mark.parametrize("types", ["Pfi", ["P", np.float32, np.int32], [np.intp, "f", "i"]])
def test_prepared_calls(scale, types):
    x = gpuarray.ones(3, "float32")
    allocation = drv.to_device(np.ones(3, np.float32))
    assert scale.prepare(types) is scale
    stream = drv.Stream()
    scale.prepared_call((1, 1), (3, 1, 1), x, 2, 3)
    scale.prepared_call((1, 1), (3, 1, 1), x.gpudata, 2, 3, shared_size=16)
    scale.prepared_async_call((1, 1), (3, 1, 1), stream, x, 2, 3)
    scale.prepared_async_call((1, 1), (3, 1, 1), None, allocation, 2, 3)
    assert x.get().tolist() == [8] * 3
    assert drv.from_device(allocation, 3, np.float32).tolist() == [2] * 3


def test_variables_are_addresses(cuda):
    module = SourceModule(SOURCE)
    address, nbytes = module.get_global("weights")
    assert nbytes == 8
    drv.memcpy_htod(address, np.float32([3, 4]))
    x = gpuarray.ones(2, "float32")
    module.get_function("weigh")(x, block=(2, 1, 1))
    assert x.get().tolist() == [3, 4]


def test_structs_by_value_and_by_address(cuda):
    function = SourceModule(SOURCE).get_function("add_pairs")
    pairs = np.zeros(3, vec.float2)
    function(drv.InOut(pairs), vec.make_float2(1, 2), block=(3, 1, 1))
    assert pairs["x"].tolist() == [1] * 3 and pairs["y"].tolist() == [2] * 3
    beside = drv.to_device(pairs)
    function(beside, vec.make_float2(1, 1), block=(3, 1, 1))
    assert drv.from_device_like(beside, pairs)["x"].tolist() == [2] * 3


def test_host_arrays_beside_allocations(cuda):
    function = SourceModule(
        "__global__ void f(float *o, const float *a, const float *b) { *o = *a + *b; }"
    ).get_function("f")
    result = np.zeros(1, np.float32)
    function(
        drv.Out(result), drv.to_device(np.float32([2])), drv.In(np.float32([5])), block=(1, 1, 1)
    )
    assert result.tolist() == [7]


def test_attributes(scale):
    assert scale.num_regs == scale.kernel.num_regs
    assert scale.max_threads_per_block == scale.kernel.max_threads_per_block
    for name in ("shared", "local", "const"):
        assert getattr(scale, f"{name}_size_bytes") == getattr(scale.kernel, f"{name}_size_bytes")
    scale.set_cache_config(drv.func_cache.PREFER_L1)
    with pytest.raises(ValueError, match="7"):
        scale.set_cache_config(7)


def test_bad_calls(scale):
    x = gpuarray.ones(3, "float32")
    with pytest.raises(TypeError, match="block"):
        scale(x, np.float32(2), np.int32(3))
    with pytest.raises(TypeError):
        scale(x, np.float32(2), block=(3, 1, 1))
    with pytest.raises(TypeError, match=r"NumPy|numpy"):
        scale(x.get(), np.float32(2), np.int32(3), block=(3, 1, 1))
    with pytest.raises(ValueError, match="texture"):
        scale(x, np.float32(2), np.int32(3), block=(3, 1, 1), texrefs=[object()])
    with pytest.raises(ValueError, match="texture"):
        scale.prepare("Pfi", texrefs=[object()])


def test_sources(cuda):
    with pytest.raises(drv.CompileError, match=r"code\.cu"):
        SourceModule("nonsense")
    with pytest.raises(LookupError, match="did you mean 'scale'"):
        SourceModule(SOURCE).get_function("scales")
    module = SourceModule(
        'extern "C" __global__ void f(int *x) { *x = N; }', no_extern_c=True, options=["-DN=4"]
    )
    x = gpuarray.zeros(1, "int32")
    module.get_function("f")(x, block=(1, 1, 1))
    assert x.get() == [4]
    with pytest.raises(ValueError, match="'fatbin'"):
        compiler.compile(SOURCE, target="fatbin")


@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="needs device code")
def test_modules_of_bytes_and_files(cuda, tmp_path):
    image = compiler.compile(SOURCE)
    (tmp_path / "scale.cubin").write_bytes(image)
    for module in (drv.module_from_buffer(image), drv.module_from_file(tmp_path / "scale.cubin")):
        x = gpuarray.ones(3, "float32")
        module.get_function("scale")(x, np.float32(2), np.int32(3), block=(3, 1, 1))
        assert x.get().tolist() == [2] * 3
    with pytest.raises(ValueError, match="options"):
        drv.module_from_buffer(image, options=[1])
