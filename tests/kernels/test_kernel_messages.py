# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The texts of errors of users' kernels: what is wrong where, and the way out."""

import inspect
import re
import textwrap

import pytest
from _support.device_code import ARCHITECTURE, needs_linker, needs_nvrtc
from _support.process import run_python

import gpuarray
from gpuarray import CompileError, Module

NO_DRIVER = {"GPUARRAY_LIBCUDA": "/none"}


def module(code, **arguments):
    return Module(code, **{"arch": ARCHITECTURE, **arguments})


def failing(kernel):
    """The text of the CompileError of a call, and the line of the call."""
    x = gpuarray.ones(3)
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(CompileError) as raised:
        kernel(x)
    return str(raised.value), f"{__file__}:{line}"


def test_an_element_wise_kernel_is_named(device):
    kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = missing_name(x)", "my_kernel")
    text, call = failing(kernel)
    assert text.startswith(
        f"{call}: my_kernel does not compile:\nmy_kernel\n> 1: y = missing_name(x)\n"
    )
    assert re.search(r"my_kernel(\(1\)|:1:\d+): error: .*missing_name", text)
    assert text.count("\n") < 20


def test_the_lines_around_an_error(device):
    lines = [f"auto v{number} = x;" for number in range(1, 12)]
    lines[5] = "auto v6 = missing(x);"
    kernel = gpuarray.ElementwiseKernel("T x", "T y", "\n".join([*lines, "y = x;"]), "long_one")
    text, _ = failing(kernel)
    shown = re.findall(r"^([> ]) (\d+): (.*)$", text, re.MULTILINE)[:7]
    assert [(mark, int(number)) for mark, number, _ in shown] == [
        *((" ", number) for number in (3, 4, 5)),
        (">", 6),
        *((" ", number) for number in (7, 8, 9)),
    ]
    assert shown[3][2] == lines[5]


@pytest.mark.parametrize(
    ("kernel", "file"),
    [
        (
            gpuarray.ElementwiseKernel(
                "T x", "T y", "y = x", "pre", preamble="int a;\nmissing b;", options="-DA=1"
            ),
            r"pre:preamble(\(2\)|:2:\d+)",
        ),
        (
            gpuarray.ElementwiseKernel("T x", "T y", "y = x", "end", after_loop="missing();"),
            r"end:after_loop(\(1\)|:1:\d+)",
        ),
        (
            gpuarray.ReductionKernel("T x", "T y", "missing(x)", "a + b", "y = a", 0, "mapped"),
            r"mapped:map_expr(\(1\)|:1:\d+)",
        ),
        (
            gpuarray.ReductionKernel("T x", "T y", "x", "missing(a, b)", "y = a", 0, "reduced"),
            r"reduced:reduce_expr(\(1\)|:1:\d+)",
        ),
        (
            gpuarray.ScanKernel("T x", "T y", "x", "missing(a, b)", name="scanned"),
            r"scanned:scan_expr(\(1\)|:1:\d+)",
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_part_of_a_kernel_is_named(device, kernel, file):
    text, call = failing(kernel)
    assert text.startswith(f"{call}: {kernel.name} does not compile:\n")
    assert re.search(rf"^{file}: error: .*missing", text, re.MULTILINE)


@needs_nvrtc
def test_an_error_in_a_module(tmp_path):
    file = tmp_path / "wrong.cu"
    file.write_text("// 1\n\nextern __device__ int a;\n__global__ void f() { missing(); }\n// 5\n")
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(CompileError) as raised:
        Module(path=file, arch=ARCHITECTURE)
    text = str(raised.value)
    assert text.startswith(f"{__file__}:{line}: {file} does not compile:\n{file}\n  1: // 1\n")
    assert "\n> 4: __global__ void f() { missing(); }\n  5: // 5\n" in text
    assert f'{file}(4): error: identifier "missing" is undefined' in text


@needs_nvrtc
def test_a_log_without_a_line_of_the_source(tmp_path):
    (tmp_path / "wrong.h").write_text("int f() { return missing; }\n")
    with pytest.raises(CompileError, match=r"code\.cu does not compile:\n.*wrong\.h\(1\): error: "):
        module('#include "wrong.h"\n', include_dirs=tmp_path)


@needs_nvrtc
@pytest.mark.parametrize(
    ("code", "header"),
    [
        ("__global__ void f(__half2* x) {}", "cuda_fp16.h"),
        ("__global__ void f(__nv_bfloat16* x) {}", "cuda_bf16.h"),
        ("__global__ void f(__nv_fp8_e4m3* x) {}", "cuda_fp8.h"),
        ("__global__ void f(cuFloatComplex* x) {}", "cuComplex.h"),
        ("__global__ void f(int32_t* x) {}", "cstdint"),
        ("__global__ void f(curandState* x) {}", "curand_kernel.h"),
        ("__global__ void f(double* x) { *x = M_PI; }", "cmath"),
    ],
)
def test_the_header_of_a_name_is_named(code, header):
    with pytest.raises(CompileError, match=rf"is declared by a header: #include <{header}>"):
        module(code)


@needs_nvrtc
def test_the_header_of_a_namespace_is_named():
    with pytest.raises(CompileError, match=r"#include <cooperative_groups\.h>"):
        module("namespace cg = cooperative_groups;\n__global__ void f() {}")


@needs_nvrtc
@pytest.mark.parametrize("linked", [False, pytest.param(True, marks=needs_linker)])
def test_a_function_that_nothing_defines(linked):
    code = 'extern "C" __device__ float ext(float);\n__global__ void f(float* x) { *x = ext(*x); }'
    more = {"link": gpuarray.CUSource("__device__ int other;")} if linked else {}
    with pytest.raises(
        CompileError,
        match=r'link=gpuarray\.declare_device\("ext", signature, link=code\), which '
        r'defines it in extern "C"',
    ):
        module(code, **more)
    with pytest.raises(CompileError, match=r'\'ext\(float\)\' is declared and called.*extern "C"'):
        module(code.replace('extern "C" ', ""), **more)


@needs_nvrtc
def test_options_in_one_text():
    assert module("__global__ void f() {}", options="--use_fast_math -lineinfo").kernels
    quoted = module("__global__ void f(char c = *TEXT) {}", options="-DTEXT='\"a b\"' -lineinfo")
    assert quoted.kernels == ["_Z1fc"]
    with pytest.raises(ValueError, match='options: No closing quotation: "-D\'A"'):
        module("__global__ void f() {}", options="-D'A")
    raw = gpuarray.RawKernel("", "f", options="--use_fast_math -lineinfo")
    assert raw.options == ("--use_fast_math", "-lineinfo")


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_999", "sm_91", 999, "sm_9", "lovelace", "compute_99"])
def test_unknown_architectures(arch):
    with pytest.raises(ValueError, match=r"arch: NVRTC here compiles for sm_\d+, .*sm_90.*; got '"):
        Module("__global__ void f() {}", arch=arch)
    if isinstance(arch, str):
        with pytest.raises(ValueError, match=r"arch: NVRTC here compiles for"):
            Module("__global__ void f() {}", options=f"-arch={arch}")


@needs_nvrtc
@pytest.mark.parametrize("arch", [90, "sm_90a", (9, 0), "compute_90"])
def test_known_architectures(arch):
    assert Module('extern "C" __global__ void f() {}', arch=arch).kernels == ["f"]


@needs_nvrtc
def test_names_of_kernels_without_a_device():
    code = """
        template <class T> __global__ void g(T* x) { *x = 1; }
        extern "C" __global__ void f(float* x) { *x = 2; }
        __global__ void h() {}
        extern "C" __device__ __noinline__ int d(int a) { return a * 2; }
        __device__ int v;
    """
    names = ["_Z1gIfEvPT_", "_Z1hv", "f"]
    for arch in ("sm_90", "compute_90"):
        made = Module(code, arch=arch, name_expressions="g<float>")
        assert made.kernels == names
    again = Module(made.image, arch="sm_90")
    assert again.kernels == names


def test_raw_kernels_without_a_gpu_name_what_works_here():
    code = """
        import gpuarray
        kernel = gpuarray.RawKernel('extern "C" __global__ void f() {}', "f")
        try:
            kernel((1,), (1,), ())
        except gpuarray.DeviceError as error:
            print(error)
    """
    text = run_python(textwrap.dedent(code), **NO_DRIVER, GPUARRAY_DEVICE="cpu")
    assert "there is none here (" in text and "set_default_device" not in text
    assert "arch='sm_90'" in text and "ElementwiseKernel" in text


def test_the_warning_without_a_device_names_the_users_line(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import gpuarray\n\n\nx = gpuarray.linspace(0, 1, 3)\n")
    text = run_python(
        "import runpy, sys, warnings\n"
        "warnings.showwarning = lambda m, c, file, line, *a: print(file, line)\n"
        f"runpy.run_path({str(program)!r})",
        **NO_DRIVER,
        GPUARRAY_DEVICE="",
    )
    assert text.split() == [str(program), "4"]


@needs_nvrtc
def test_a_line_warns_once(tmp_path):
    """As warnings.warn does: a filter may name the module, and each line is shown once."""
    program = tmp_path / "program.py"
    program.write_text(
        "import gpuarray, warnings\n"
        "for name in 'fgf':\n"
        "    code = f'__global__ void {name}() {{ int unused_{name}; }}'\n"
        f"    gpuarray.Module(code, arch={ARCHITECTURE!r})\n"
        "warnings.filterwarnings('ignore', module='__main__')\n"
        f"gpuarray.Module(code.replace('_f', '_h'), arch={ARCHITECTURE!r})\n"
    )
    text = run_python(
        "import runpy, warnings\n"
        "warnings.showwarning = lambda m, c, file, line, *a: print(line)\n"
        f"runpy.run_path({str(program)!r}, run_name='__main__')"
    )
    assert text.split() == ["4", "4"]


@needs_nvrtc
def test_warnings_of_the_compiler_name_the_users_line():
    code = "__global__ void f() { int unused; }"
    for make in (Module, gpuarray.SourceModule):
        with pytest.warns(gpuarray.CompileWarning) as caught:
            line = inspect.currentframe().f_lineno + 1
            make(code, arch=ARCHITECTURE)
        assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)]


def host_message(text, preamble=""):
    """Return the error of a kernel for the cpu device."""
    x = gpuarray.ones(3, device="cpu")
    with pytest.raises(CompileError) as caught:
        gpuarray.ElementwiseKernel("T x", "T y", text, "my_kernel", preamble=preamble)(x)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "y = __half2float(x)",
        "y = threadIdx.x",
        "y = curand_uniform(x)",
        "y = cuda::std::abs(x)",
        "y = float2{1, 2}.x",
        "__syncthreads(); y = x",
    ],
)
def test_names_of_cuda_on_the_cpu_device(text):
    message = host_message(text)
    assert "is CUDA's, and the cpu device's compiler does not know it" in message
    assert "#ifdef __CUDACC__" in message and "#include <cu" not in message


def test_headers_on_the_cpu_device():
    assert "#ifdef __CUDACC__" in host_message("y = x", "#include <cub/cub.cuh>")
    message = host_message("y = x", "#include <own/missing.h>")
    assert "<own/missing.h> is in no folder" in message and "by CPATH, or by -I in CXX" in message
    assert "CUDA" not in message


def test_other_errors_on_the_cpu_device_have_no_advice():
    for text in ("y = ext(x)", "y = x +", "y = x.real"):
        message = host_message(text)
        assert "CUDA" not in message and "#include" not in message
