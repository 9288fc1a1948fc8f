# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Kernels and functions are pickled by their sources, and by name where they have one."""

import copy
import gc
import multiprocessing
import pickle
import weakref

import numpy as np
import pytest
from _support import fused as pickled
from _support.device_code import needs_nvrtc
from _support.process import run_python, run_together

import gpuarray

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)
SCALE = 'extern "C" __global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }'


def round_trip(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", pickled.NAMES)
def test_pickle(device, name, protocol):
    original = getattr(pickled, name)
    made = round_trip(original, protocol)
    assert pickled.result(made, device) == pickled.result(original, device)
    if name in pickled.GLOBALS:
        assert made is original and copy.deepcopy(original) is original


@pytest.mark.parametrize("name", pickled.NAMES)
def test_cloudpickle(device, name):
    cloudpickle = pytest.importorskip("cloudpickle")
    original = getattr(pickled, name)
    made = cloudpickle.loads(cloudpickle.dumps(original))
    assert pickled.result(made, device) == pickled.result(original, device)


def test_cloudpickle_by_value(tmp_path):
    """Functions of __main__ and lambdas go to processes that cannot import them."""
    pytest.importorskip("cloudpickle")
    file = tmp_path / "functions"
    run_python(f"""
import cloudpickle, gpuarray
offset = 7
@gpuarray.fuse
def fused(x, y=2):
    return x * y - 1
@gpuarray.vectorize
def shifted(x):
    return x + offset
@gpuarray.fuse
def both(x):
    return shifted(fused(x))
local = gpuarray.fuse(lambda x: x * 11)
with open({str(file)!r}, "wb") as f:
    cloudpickle.dump([fused, shifted, both, local], f)
""")
    text = run_python(f"""
import pickle, gpuarray
x = gpuarray.arange(3.0, device="cpu")
with open({str(file)!r}, "rb") as f:
    print([f(x).get().tolist() for f in pickle.load(f)])
""")
    assert (
        text.strip() == "[[-1.0, 1.0, 3.0], [7.0, 8.0, 9.0], [6.0, 8.0, 10.0], [0.0, 11.0, 22.0]]"
    )


def test_a_local_function_says_that_pickle_needs_a_name():
    local = gpuarray.fuse(lambda x: x * 2)
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(local)


def test_spawned_processes():
    functions = [getattr(pickled, name) for name in pickled.NAMES]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.starmap(pickled.result, [(function, "cpu") for function in functions])
    assert found == [pickled.result(function, "cpu") for function in functions]


def test_in_place_scans(device):
    made = round_trip(pickled.flat)
    np.testing.assert_array_equal(made(gpuarray.arange(4.0)).get(), [0, 1, 3, 6])


def test_subclasses_keep_their_class():
    class Own(gpuarray.ElementwiseKernel):
        def __init__(self, factor):
            super().__init__("T x", "T y", f"y = {factor} * x", "own")

    function, arguments = Own(3).__reduce__()
    made = function(*arguments)
    assert type(made) is Own and made.operation == "y = 3 * x"


def test_device_functions_and_code():
    code = gpuarray.CUSource('extern "C" __device__ float mul(float a, float b) { return a * b; }')
    function = gpuarray.declare_device("mul", "float32(float32, float32)", link=code, abi="c")
    made = round_trip(function)
    assert (made.declaration, made.link[0].content) == (function.declaration, code.content)
    kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = mul(x, x)", functions=[function])
    assert round_trip(kernel)._compilation["cuda_only"]


@needs_nvrtc
def test_modules_for_an_architecture(tmp_path):
    file = tmp_path / "scale.cu"
    file.write_text(SCALE)
    module = gpuarray.Module(path=file, arch="sm_90", options="-lineinfo --use_fast_math")
    file.unlink()
    made = round_trip(module)
    assert made.image == module.image and made.kernels == ["scale"]
    assert repr(made) == repr(module)
    source = round_trip(gpuarray.SourceModule("__global__ void f() {}", arch="sm_90"))
    assert type(source) is gpuarray.SourceModule and source.kernels == ["f"]


def test_raw_kernels_without_a_device():
    kernel = round_trip(gpuarray.RawKernel(SCALE, "scale", options=("-lineinfo",)))
    assert (kernel.code, kernel.name, kernel.options) == (SCALE, "scale", ("-lineinfo",))
    of_module = round_trip(gpuarray.RawModule(code=SCALE).get_function("scale"))
    assert (of_module.code, of_module.name) == (SCALE, "scale")


@pytest.mark.cuda
def test_kernels(cuda):
    kernel = gpuarray.Module(SCALE).get_function("scale")
    typed = kernel.with_signature("float*, float")
    prepared = gpuarray.Module(SCALE).get_function("scale").prepare("Pf")
    raw = gpuarray.RawKernel(SCALE, "scale")
    for one in (kernel, typed, prepared):
        x = gpuarray.ones(32, "float32")
        made = round_trip(one)
        made[1, 32](x, 3)
        assert x.get().tolist() == [3.0] * 32 and repr(made) == repr(one)
    x = gpuarray.ones(32, "float32")
    round_trip(raw)((1,), (32,), (x, np.float32(2)))
    assert x.get().tolist() == [2.0] * 32
    foreign = gpuarray.Kernel.from_handle(kernel.handle, signature="float*, float")
    with pytest.raises(TypeError, match="only a Module's get_function makes kernels"):
        pickle.dumps(foreign)


@pytest.mark.cuda
def test_a_kernel_that_was_prepared_often_is_pickled_as_one_that_was_once(cuda):
    once, often = (gpuarray.Module(SCALE).get_function("scale") for _ in range(2))
    once.prepare("Pf")
    for _ in range(100):
        often = often.prepare("Pi").prepare("Pf").with_signature("float*, float")
    # The two name the types in other words.
    assert len(pickle.dumps(often)) < len(pickle.dumps(once)) + 50
    x = gpuarray.ones(32, "float32")
    round_trip(often)[1, 32](x, 3)
    assert (x.get() == 3).all()


@pytest.mark.cuda
def test_threads_prepare_and_pickle_one_kernel(cuda):
    kernel = gpuarray.Module(SCALE).get_function("scale")

    def work(number):
        for _ in range(200):
            kernel.prepare("Pf")
            function, (source, types) = kernel.__reduce__()
            assert types == "Pf" and source.__reduce__()[0] is not function
            kernel.with_signature("float*, float").__reduce__()

    run_together(work)


@pytest.mark.cuda
def test_a_kernel_is_freed_with_the_callback_that_holds_it(cuda):
    class Callback:
        def __call__(self, module):
            pass

    for prepared in (False, True):
        callback = Callback()
        callback.kernel = gpuarray.Module(SCALE, setup_callback=callback).get_function("scale")
        if prepared:
            callback.kernel.prepare("Pf")
        freed = weakref.ref(callback)
        del callback
        gc.collect()
        assert freed() is None
