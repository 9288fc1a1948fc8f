# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Users' sources compiled by the real NVRTC; needs no CUDA device."""

import random
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from _support.device_code import ARCHITECTURE, needs_nvrtc, needs_toolkit_headers, symbols
from _support.process import run_python

import gpuarray
from gpuarray import CompileError, CompileWarning, DeviceError, Module, _core
from gpuarray._kernels.building import runs_on

pytestmark = needs_nvrtc

SCALE = 'extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }\n'


def module(code=None, **arguments):
    return Module(code, **{"arch": ARCHITECTURE, **arguments})


def defined(code=None, **arguments):
    return symbols(module(code, **arguments).image)


@pytest.mark.parametrize(
    "arguments",
    [
        {"options": ("-DFACTOR=2.0f",)},
        {"options": "-DFACTOR=2.0f"},
        {"options": ["-D", "FACTOR=2.0f", "-lineinfo"]},
        {"defines": {"FACTOR": "2.0f"}},
        {"defines": {"FACTOR": 2, "UNUSED": None, "LEFT_OUT": False}},
        {"options": ["-G", "-DFACTOR=2"]},
        {"options": ["-std=c++17", "-DFACTOR=2", "--use_fast_math"]},
        {"options": ["-DFACTOR=2", "-arch=sm_90a"]},
    ],
    ids=str,
)
def test_options_and_defines(arguments):
    assert "scale" in defined(SCALE, **arguments)


def test_values_of_defines_reach_the_source():
    checks = "static_assert(N == 3);\n#ifdef OFF\n#error\n#endif\n#ifndef ON\n#error\n#endif\n"
    defined(checks, defines={"N": 3, "ON": True, "OFF": False})
    with pytest.raises(CompileError, match="static assertion"):
        module(checks, defines={"N": 4, "ON": True})


@pytest.mark.parametrize("arch", [90, "90", (9, 0), "sm_90"], ids=str)
def test_spellings_of_an_architecture(arch):
    found = module(SCALE, defines={"FACTOR": 2}, arch=arch)
    assert found.architecture == "sm_90"
    assert "scale" in symbols(found.image)


def test_code_for_a_virtual_architecture_is_ptx():
    image = module(SCALE, defines={"FACTOR": 2}, arch="compute_90").image
    assert b".entry scale" in image


def test_ptx_of_a_source():
    assert ".target sm_90" in module(SCALE, defines={"FACTOR": 2}).ptx


def test_cxx_names_are_mangled_unless_extern_c():
    source = "__global__ void f(int* x) { *x = 1; }"
    assert "_Z1fPi" in defined(source)
    assert "f" in defined(source, extern_c=True)


def test_name_expressions_instantiate_templates():
    source = """
    template <class T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
    namespace inner { __device__ int counter; }
    """
    found = module(source, name_expressions=["fill<float>", "fill<double>", "&inner::counter"])
    assert {"_Z4fillIfEvPT_S0_", "_Z4fillIdEvPT_S0_"} <= symbols(found.image)
    with pytest.raises(CompileError, match="nothing"):
        module(source, name_expressions="nothing<int>")


@needs_toolkit_headers
def test_headers_of_the_toolkit_and_of_the_package():
    source = """
    #include <cuda_fp16.h>
    #include <cooperative_groups.h>
    #include <cuda/std/type_traits>
    #include "kernels/element/element.cuh"
    extern "C" __global__ void f(__half* x) { *x = __float2half(cuda::std::is_same_v<int, int>); }
    """
    assert "f" in defined(source)


def header(folder, text):
    folder.mkdir(exist_ok=True)
    (folder / "factor.h").write_text(text)
    return folder


INCLUDING = '#include "factor.h"\n' + SCALE


def test_headers_of_include_dirs(tmp_path):
    first = header(tmp_path / "a", "#define FACTOR 1")
    second = header(tmp_path / "b", "#define FACTOR 2")
    for folders in (first, [str(first), second]):
        assert "scale" in defined(INCLUDING, include_dirs=folders)
    different = {module(INCLUDING, include_dirs=folder).image for folder in (first, second)}
    assert len(different) == 2
    assert module(INCLUDING, options=["-I", str(first)]).image in different


def test_headers_beside_a_source_file(tmp_path):
    header(tmp_path, "#define FACTOR 1")
    (tmp_path / "scale.cu").write_text(INCLUDING)
    assert "scale" in defined(tmp_path / "scale.cu")
    assert "scale" in defined(path=str(tmp_path / "scale.cu"))


def test_include_path_of_the_environment(tmp_path, monkeypatch):
    with pytest.raises(CompileError, match=r"factor\.h"):
        module(INCLUDING)
    folder = header(tmp_path / "a", "#define FACTOR 1")
    monkeypatch.setenv("GPUARRAY_INCLUDE_PATH", f"/nowhere:{folder}")
    assert "scale" in defined(INCLUDING)


def test_a_syntax_error_gives_the_log_and_the_numbered_source():
    with pytest.raises(CompileError) as caught:
        module("int a;\nint b = ;\n", extern_c=True)
    message = str(caught.value)
    assert "code.cu(2): error: expected an expression" in message
    assert "\n> 2: int b = ;\n" in message


def test_a_log_that_is_not_utf_8(tmp_path):
    for directive, caught in (
        (b"error", pytest.raises(CompileError, match=r"na.+ve")),
        (b"warning", pytest.warns(CompileWarning, match=r"na.+ve")),
    ):
        (tmp_path / "factor.h").write_bytes(b"#define FACTOR 1\n#" + directive + b" na\xefve\n")
        with caught:
            module(INCLUDING, include_dirs=tmp_path)


def test_the_log_names_the_file(tmp_path):
    (tmp_path / "wrong.cu").write_text("wrong")
    with pytest.raises(CompileError, match=r"wrong\.cu\(1\): error"):
        module(tmp_path / "wrong.cu")


def test_warnings_of_the_compiler_are_python_warnings():
    source = 'extern "C" __global__ void f() { int unused; }'
    for _ in range(2):  # from the cache as well
        with pytest.warns(CompileWarning, match="unused") as caught:
            found = module(source)
        assert caught[0].filename == __file__
        assert "unused" in found.log


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"options": "--bogus"}, ValueError, "--bogus"),
        ({"arch": "sm_20"}, ValueError, "arch: NVRTC here compiles for"),
        ({"arch": "many"}, ValueError, "arch: NVRTC here compiles for"),
        ({"code": None}, TypeError, "code or a path"),
        ({"code": "a\0b"}, ValueError, "got other bytes"),
        ({"code": 3}, TypeError, "code: expected device code"),
        ({"code": "missing.cu"}, FileNotFoundError, "missing.cu"),
        ({"code": b"\1\0\2"}, ValueError, "got other bytes"),
        ({"device": "cpu"}, DeviceError, "cpu"),
    ],
    ids=str,
)
def test_refused_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        module(**{"code": "int x;", **arguments})


ONCE = """
import gpuarray
from gpuarray import Module
def count(code, **arguments):
    before = gpuarray.cache_info()
    image = Module(code, arch="sm_90", **arguments).image
    after = gpuarray.cache_info()
    return after.hits - before.hits, after.stores - before.stores
"""


def counts(code, folder):
    text = run_python(ONCE + code, GPUARRAY_CACHE_DIR=str(folder / "cache"))
    return [eval(line) for line in text.split("\n") if line]


def test_the_cache_knows_the_headers(tmp_path):
    inner, outer = tmp_path / "inner.h", tmp_path / "outer.h"
    inner.write_text("#define FACTOR 1")
    outer.write_text('#if 0\n#else\n# include "inner.h"\n#endif\n')
    call = f'''
source = """#include "outer.h"
{SCALE}"""
print(count(source, include_dirs={str(tmp_path)!r}))
'''
    assert counts(call + call.split("\n")[-2], tmp_path) == [(0, 1), (1, 0)]
    assert counts(call, tmp_path) == [(1, 0)]
    inner.write_text("#define FACTOR 2")
    assert counts(call, tmp_path) == [(0, 1)]
    assert counts(call, tmp_path) == [(1, 0)]
    inner.write_text("#define FACTOR 1")
    assert counts(call, tmp_path) == [(1, 0)]


@pytest.mark.parametrize("before", ["/**/", "/* a\n# b */"])
def test_the_cache_knows_headers_behind_comments(tmp_path, before):
    call = f"print(count('''{before} {INCLUDING}''', include_dirs={str(tmp_path)!r}))\n"
    for factor in (1, 2):
        header(tmp_path, f"#define FACTOR {factor}")
        assert counts(call, tmp_path) == [(0, 1)]
    assert counts(call, tmp_path) == [(1, 0)]


def test_the_cache_knows_a_header_that_appears_before_another(tmp_path):
    first, second = tmp_path / "a", header(tmp_path / "b", "#define FACTOR 1")
    call = f'print(count("""{INCLUDING}""", include_dirs={[str(first), str(second)]!r}))\n'
    assert counts(call, tmp_path) == [(0, 1)]
    assert counts(call, tmp_path) == [(1, 0)]
    header(first, "#define FACTOR 2")
    assert counts(call, tmp_path) == [(0, 1)]


def test_the_cache_knows_headers_that_are_asked_for(tmp_path):
    source = '#if __has_include("extra.h")\n#define FACTOR 2\n#else\n#define FACTOR 1\n#endif\n'
    call = f"print(count('''{source}{SCALE}''', include_dirs={str(tmp_path)!r}))\n"
    assert counts(call, tmp_path) == [(0, 1)]
    (tmp_path / "extra.h").touch()
    assert counts(call, tmp_path) == [(0, 1)]


def test_headers_whose_names_are_macros_are_not_cached(tmp_path):
    header(tmp_path, "#define FACTOR 1")
    source = f'#define NAME "factor.h"\n#include NAME\n{SCALE}'
    call = f"print(count('''{source}''', include_dirs={str(tmp_path)!r}))\n"
    assert counts(call * 2, tmp_path) == [(0, 0), (0, 0)]


def test_the_cache_knows_options_and_name_expressions(tmp_path):
    call = "print(count('template <int N> __global__ void f() {}', %s))\n"
    calls = ["options=()", "options='-DX'", "name_expressions='f<1>'", "name_expressions='f<2>'"]
    text = "".join(call % arguments for arguments in calls)
    assert counts(text, tmp_path) == [(0, 1)] * 4
    assert counts(text, tmp_path) == [(1, 0)] * 4


def test_a_missing_compiler_names_the_wheel():
    text = run_python(
        "import gpuarray\n"
        "try: gpuarray.Module('int x;', arch=90)\n"
        "except gpuarray.DeviceError as error: print(error)",
        GPUARRAY_LIBNVRTC="/nonexistent",
    )
    assert "/nonexistent was not found; pip install 'gpuarray-cuda[cuda13]'" in text


def test_many_questions_in_a_line_take_no_time():
    text = run_python(
        "import time; from gpuarray import _core\n"
        "source = '#__has_include(<a>)*/' * 5000\n"
        "begin = time.process_time()\n"
        "try: _core._compile_source(source, 'sm_90', 'f.cu', (), (), (), 'cubin')\n"
        "except RuntimeError: print(time.process_time() - begin)",
        GPUARRAY_LIBNVRTC="/nonexistent",
    )
    assert float(text) < 1


STAND_IN = """
#include <cstdio>
extern "C" {
int nvrtcVersion(int* major, int* minor) { *major = 13, *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = 1, 0; }
int nvrtcGetSupportedArchs(int* known) { return *known = 90, 0; }
int nvrtcCreateProgram(void** program) { *program = program; std::puts("created"); return 0; }
int nvrtcDestroyProgram(void**) { std::puts("destroyed"); std::fflush(stdout); return 0; }
int nvrtcAddNameExpression() { return 1; }
const char* nvrtcGetErrorString() { return "refused"; }
int nvrtcCompileProgram() { return 1; }
int nvrtcGetCUBINSize() { return 1; }
int nvrtcGetCUBIN() { return 1; }
int nvrtcGetPTXSize() { return 1; }
int nvrtcGetPTX() { return 1; }
int nvrtcGetLTOIRSize() { return 1; }
int nvrtcGetLTOIR() { return 1; }
int nvrtcGetProgramLogSize() { return 1; }
int nvrtcGetProgramLog() { return 1; }
int nvrtcGetLoweredName() { return 1; }
}
"""


def test_a_refused_name_expression_leaves_no_program(tmp_path):
    (tmp_path / "nvrtc.cc").write_text(STAND_IN)
    library = str(tmp_path / "libnvrtc.so")
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, tmp_path / "nvrtc.cc"], check=True)
    code = """
import gpuarray
try: gpuarray.Module("int x;", arch=90, name_expressions="x")
except gpuarray.DeviceError as error: print(error)
"""
    lines = run_python(code, GPUARRAY_LIBNVRTC=library).splitlines()
    assert sorted(lines[:2]) == ["created", "destroyed"]
    assert "nvrtcAddNameExpression: refused" in lines[2]


def test_without_a_device_a_module_is_compiled_only():
    if any(device.compute_capability for device in gpuarray.devices()):
        pytest.skip("there is a CUDA device")
    found = module(SCALE, defines={"FACTOR": 2})
    assert found.device is None
    assert "no device" in repr(found)
    with pytest.raises(DeviceError, match="without a device"):
        found.get_function("scale")
    with pytest.raises(DeviceError, match="arch="):
        Module(SCALE)


def test_what_runs_where():
    assert runs_on("sm_90", (9, 0))
    assert runs_on("sm_80", (8, 9))
    assert runs_on("sm_90a", (9, 0))
    assert runs_on("compute_75", (9, 0))
    assert runs_on("sm_120", (12, 1))
    for architecture in ("sm_80", "sm_91", "sm_100", "compute_100", "many"):
        assert not runs_on(architecture, (9, 0))
    assert not runs_on("sm_80a", (8, 6))
    assert not runs_on("sm_90", None)


def test_an_architecture_among_the_options():
    for options in ("--gpu-architecture=sm_80", ["-arch", "sm_80"], ["-lineinfo", "-arch=sm_80"]):
        found = Module(SCALE, options=options, defines={"FACTOR": 2})
        assert found.architecture == "sm_80"
        assert _core._cubin_architecture(found.image) == 80


def test_threads_compile_at_once():
    def compile_one(index):
        source = f'extern "C" __global__ void thread_{index}(int* x) {{ *x = {index}; }}'
        return symbols(module(source, options=f"-DX={random.getrandbits(60)}").image)

    with ThreadPoolExecutor(8) as pool:
        for index, found in enumerate(pool.map(compile_one, range(16))):
            assert f"thread_{index}" in found


def test_the_gil_is_free_while_compiling():
    """Another thread goes on: a compilation takes many of its steps."""
    steps, done = 0, threading.Event()

    def compile_one():
        module(SCALE, options=["-DFACTOR=2", f"-DX={random.getrandbits(60)}"])
        done.set()

    thread = threading.Thread(target=compile_one)
    thread.start()
    while not done.wait(0.0005):
        steps += 1
    thread.join()
    assert steps > 3


HEADERS = Path(__file__).resolve().parents[2] / "kernels"
FOLDERS = sorted(folder.name for folder in HEADERS.iterdir() if [*folder.glob("*.cuh")])


@pytest.mark.parametrize("folder", FOLDERS)
def test_our_own_headers(folder):
    """All that kernels include, with the fewest options that any kernel has."""
    names = sorted(file.name for file in HEADERS.joinpath(folder).glob("*.cuh"))
    # Those of <name>_kernels.cuh define kernels, for nvcc.
    source = "".join(
        f'#include "kernels/{folder}/{name}"\n' for name in names if "_kernels" not in name
    )
    assert _core._compile_source(source, ARCHITECTURE, "all.cu", (), (), (), "ptx")[0]
