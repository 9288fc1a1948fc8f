# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Modules of the user's own code, loaded and called on a CUDA device."""

import gc
import os

import numpy as np
import pytest
from _support.device_code import ITEMS, compile_item, needs_linker
from _support.process import run_python

import gpuarray
from gpuarray import CompileError, DeviceError, LinkableCode, Module
from gpuarray._kernels.symbols import find_symbol, source_name

pytestmark = pytest.mark.cuda
on_card = pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="needs device code")

SCALE = """
extern "C" __global__ void scale(float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
"""
FILL = """
template <class T, int N> __global__ void fill(T* x, T value) { x[threadIdx.x] = value + N; }
"""


def call(kernel, x, *arguments):
    kernel[1, x.size](x, *arguments)
    return x.get()


def test_a_kernel_of_a_source(cuda):
    x = gpuarray.arange(5, dtype="float32")
    kernel = Module(SCALE).get_function("scale")
    assert call(kernel, x, np.float32(2), np.int32(5)).tolist() == [0, 2, 4, 6, 8]


def test_a_source_of_a_file(cuda, tmp_path):
    (tmp_path / "constant.h").write_text("#define VALUE 7")
    (tmp_path / "fill.cu").write_text(
        '#include "constant.h"\nextern "C" __global__ void fill(int* x) { *x = VALUE; }'
    )
    for module in (Module(tmp_path / "fill.cu"), Module(path=str(tmp_path / "fill.cu"))):
        assert call(module.get_function("fill"), gpuarray.zeros(1, "int32")) == [7]


def test_templates_by_name_expressions(cuda):
    names = ["fill<float, 1>", "fill<int, 2>"]
    module = Module(FILL, name_expressions=names)
    assert call(module.get_function(names[0]), gpuarray.zeros(2, "f4"), np.float32(3))[1] == 4
    assert call(module.get_function(names[1]), gpuarray.zeros(2, "i4"), np.int32(3))[1] == 5
    with pytest.raises(LookupError, match=r"fill<float, 1>"):
        module.get_function("fill<float,3>")


def test_cxx_names(cuda):
    module = Module("__global__ void one(int* x) { *x = 1; }")
    assert call(module.get_function("one"), gpuarray.zeros(1, "i4")) == [1]
    assert [source_name(symbol) for symbol in module.kernels] == ["one"]


def test_extern_c_of_the_whole_source(cuda):
    module = Module("__global__ void one(int* x) { *x = 1; }", extern_c=True)
    assert module.kernels == ["one"]


def test_unknown_names_suggest_others(cuda):
    module = Module(SCALE)
    with pytest.raises(LookupError, match=r"no kernel 'scales'; did you mean 'scale'\?"):
        module.get_function("scales")
    with pytest.raises(LookupError, match="no variable 'weights'"):
        module.get_global("weights")


WEIGHTS = """
__constant__ float weights[4];
__device__ int counter = 5;
extern "C" __global__ void apply(float* x) {
  x[threadIdx.x] = weights[threadIdx.x] * 10;
  if (threadIdx.x == 0) counter += 1;
}
"""


def test_variables_are_arrays(cuda):
    module = Module(WEIGHTS)
    weights = module.get_global("weights", "float32")
    counter = module.get_global("counter", "int32", ())
    assert weights.shape == (4,)
    assert module.get_global("weights", "float32", (2, 2)).shape == (2, 2)
    assert module.get_global("weights").nbytes == 16
    weights.set(np.arange(4, dtype="float32"))
    x = gpuarray.zeros(4, "float32")
    for _ in range(2):
        module.get_function("apply")[1, 4](x)
    assert x.get().tolist() == [0, 10, 20, 30]
    assert counter.get() == 7
    with pytest.raises(ValueError, match="'weights' has 16 bytes"):
        module.get_global("weights", "float32", 5)


def test_arrays_of_variables_keep_the_code_loaded(cuda):
    counter = Module(WEIGHTS).get_global("counter", "int32")
    gc.collect()
    assert counter.get().tolist() == [5]


def test_kernels_keep_the_code_loaded(cuda):
    kernel = Module(SCALE).get_function("scale")
    gc.collect()
    x = gpuarray.ones(3, "float32")
    assert call(kernel, x, np.float32(4), np.int32(3)).tolist() == [4, 4, 4]


def test_unloading(cuda):
    module = Module(SCALE)
    kernel = module.get_function("scale")
    module.unload()
    module.unload()
    with pytest.raises(ValueError, match="unloaded"):
        module.get_function("scale")
    with pytest.raises(ValueError, match="unload"):
        kernel[1, 1](gpuarray.zeros(1, "f4"), np.float32(1), np.int32(1))


def test_callbacks_run_once_with_the_module(cuda):
    calls = []

    def callbacks(name):
        return {
            "setup_callback": lambda module: calls.append((name, "setup", module)),
            "teardown_callback": lambda module: calls.append((name, "teardown", module)),
        }

    code = LinkableCode(SCALE, **callbacks("code"))
    module = Module(code, **callbacks("module"))
    assert calls == [("code", "setup", module), ("module", "setup", module)]
    module.get_function("scale")
    assert len(calls) == 2
    module.unload()
    module.unload()
    assert calls[2:] == [("module", "teardown", module), ("code", "teardown", module)]


def test_what_is_in_use_is_not_torn_down(cuda):
    calls = []
    module = Module(SCALE, teardown_callback=calls.append)
    kernel = module.get_function("scale")
    x = gpuarray.ones(3, "float32")
    with gpuarray.capture() as graph:
        kernel[1, 3](x, np.float32(2), np.int32(3))
        with pytest.raises(gpuarray.CaptureError, match="unload: a graph is being captured"):
            module.unload()
    with pytest.raises(ValueError, match="a captured graph uses the module"):
        module.unload()
    assert calls == []
    module.get_function("scale")[1, 3](x, np.float32(2), np.int32(3))
    graph.launch()
    assert x.get().tolist() == [4, 4, 4]
    del graph
    module.unload()
    assert calls == [module]


def test_callbacks_may_use_the_module(cuda):
    found = []
    module = Module(
        WEIGHTS,
        setup_callback=lambda module: module.get_global("counter", "i4").fill(1),
        teardown_callback=lambda module: found.append(module.get_global("counter", "i4").get()),
    )
    module.get_function("apply")[1, 1](gpuarray.zeros(1, "f4"))
    module.unload()
    assert found[0].tolist() == [2]


def test_a_setup_that_fails_unloads(cuda):
    def fail(module):
        raise KeyError("setup")

    calls = []
    with pytest.raises(KeyError, match="setup"):
        Module(LinkableCode(SCALE, None, calls.append, calls.append), setup_callback=fail)
    assert len(calls) == 2  # what was set up is torn down


def test_teardown_at_the_end_of_the_process(cuda):
    code = f"""
import os, sys
import gpuarray
source = '''{SCALE}'''
def fail(module):
    raise KeyError("teardown")
gpuarray.Module(source, device="cuda:0", teardown_callback=lambda module: print("end"))
gpuarray.Module(source, device="cuda:0", teardown_callback=fail)
print("made", flush=True)
if os.fork() == 0:
    sys.exit()
os.wait()
"""
    names = ("GPUARRAY_LIBCUDA", "GPUARRAY_LIBNVRTC", "GPUARRAY_TEST_DRIVER")
    variables = {name: os.environ[name] for name in names if name in os.environ}
    assert run_python(code, **variables) == "made\nend\n"


def test_errors_leave_nothing_loaded(cuda):
    with pytest.raises(CompileError, match=r"code\.cu"):
        Module("nonsense")
    with pytest.raises(DeviceError):
        Module(SCALE, device="cpu")


@on_card
def test_code_that_the_device_does_not_run_is_compiled_only(cuda):
    major, _ = gpuarray.device(cuda).compute_capability
    elsewhere = Module(SCALE, arch="sm_80" if major == 9 else "sm_90")
    assert elsewhere.device is None
    assert b"scale" in elsewhere.image


def test_code_for_another_architecture(cuda):
    with pytest.raises(DeviceError, match="does not run code for sm_130"):
        Module(SCALE, arch="sm_130", device=cuda)
    cubin = bytearray(64)
    cubin[:9] = b"\x7fELF\2\1\1\x33\7"
    cubin[18:20], cubin[48], cubin[58] = b"\xbe\0", 75, 64
    with pytest.raises(DeviceError, match="the cubin is for sm_75, cuda:0"):
        Module(bytes(cubin))


def test_other_spellings(cuda):
    source = SCALE.replace('extern "C"', "")
    x = gpuarray.ones(3, "float32")
    gpuarray.SourceModule(source, options=["-DX", "-O3"]).get_function("scale")(
        x, np.float32(2), np.int32(3), block=(3, 1, 1), grid=(1, 1)
    )
    gpuarray.RawKernel(SCALE, "scale", ("-DX",))((1,), (3,), (x, np.float32(3), np.int32(3)))
    raw = gpuarray.RawModule(code=FILL, name_expressions=["fill<float, 1>"])
    raw.get_function("fill<float, 1>")((1,), (1,), (x, np.float32(0)))
    assert x.get().tolist() == [1, 6, 6]
    for refused in ({"backend": "nvcc"}, {"jitify": True}, {"translate_cucomplex": True}):
        with pytest.raises(ValueError, match="nvrtc"):
            gpuarray.RawModule(code=SCALE, **refused)


def test_names_of_symbols():
    assert source_name("plain") == "plain"
    assert source_name("_Z3onePi") == "one"
    assert source_name("_ZN5outer3oneEPi") == "outer::one"
    assert source_name("_Z4fillIfLi1EEvPT_S0_") == "fill<float, 1>"
    symbols = ["_Z4fillIfLi1EEvPT_S0_", "_Z3onePi", "_Z3onePf"]
    assert find_symbol("fill", (), symbols) == symbols[0]
    with pytest.raises(LookupError, match=r"several.*one\(int\*\), one\(float\*\)"):
        find_symbol("one", (), symbols)


MUL = 'extern "C" __device__ float mul(float a, float b) { return a * b; }\n'


@on_card
@needs_linker
@pytest.mark.parametrize("lto", [None, False])
@pytest.mark.parametrize("kind", ITEMS)
def test_linked_functions_are_called(cuda, kind, lto, tmp_path):
    if lto is False and "lto" in kind:
        pytest.skip("there is no LTO-IR without LTO")
    (tmp_path / "source.cu").write_text(MUL)
    item = compile_item(tmp_path / "source.cu", kind, tmp_path / "made")
    function = gpuarray.declare_device("mul", "float32(float32, float32)", link=item, abi="c")
    module = Module(
        "__global__ void f(float* x) { x[0] = mul(x[1], x[2]); }", link=function, lto=lto
    )
    assert call(module.get_function("f"), gpuarray.to_device(np.float32([0, 3, 5])))[0] == 15


@on_card
@needs_linker
@pytest.mark.parametrize("kind", ITEMS)
def test_kernels_of_every_kind(cuda, kind, tmp_path):
    (tmp_path / "source.cu").write_text(SCALE)
    item = compile_item(tmp_path / "source.cu", kind, tmp_path / "made")
    x = gpuarray.arange(5, dtype="float32")
    kernel = Module(item).get_function("scale")
    assert call(kernel, x, np.float32(2), np.int32(5)).tolist() == [0, 2, 4, 6, 8]
