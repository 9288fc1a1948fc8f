# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The engine of expressions: its dispatch, the code of its kernels, and the host's compiler."""

import re
import shutil

import numpy as np
import pytest
from _support.compare import assert_same
from _support.device_code import ARCHITECTURE, needs_linker, needs_nvrtc
from _support.modules import kernel_order
from _support.process import run_python

import gpuarray
from gpuarray import _core

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float32", "complex128"]
# How arrays are walked.
WALKS = {
    "flat": {},
    "rows": {"dims": 2},
    "vectors": {"dims": 3, "vectors": True},
    "wide": {"dims": 6, "wide": True},
    "wide vectors": {"dims": 2, "vectors": True, "wide": True},
    "tiles": {"dims": 2, "turned": 0b010},
    "tiles of all inputs": {"dims": 4, "turned": 0b110},
}


def element(name, dtype, written=False, memory=None):
    return name, dtype, "element", written, memory or dtype


def scalar(name, dtype):
    return name, dtype, "scalar", False, dtype


def axpy(dtype="float32", **options):
    parameters = [element("x", dtype), element("y", dtype), scalar("a", dtype)]
    parameters.append(element("z", dtype, written=True))
    return _core._Program("axpy", "z = a * x + y;", parameters, results=3, **options)


class Axpy(_core._Dispatcher):
    """Counts the programs that it makes."""

    def __init__(self, ranks=False):
        super().__init__("axpy", ("x", "y", "a"), 1, ranks)
        self.signatures = []

    def _specialize(self, signature):
        self.signatures.append(signature)
        return axpy(signature[0][1], ordered=False)


def code_of(program, form="ptx", **walk):
    code = _core._compile_source(
        program.source("cuda", **walk), ARCHITECTURE, "k.cu", ("--fmad=false",), (), (), form
    )[0]
    return code.decode() if form == "ptx" else code


@needs_nvrtc
@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_walk_compiles_for_all_kinds_of_dtypes(dtype, walk):
    image = _core._compile_cubin(axpy(dtype).source("cuda", **WALKS[walk]), 9, 0)
    assert b".text.gpuarray_kernel\0" in image


@needs_nvrtc
@pytest.mark.parametrize("walk", WALKS)
def test_kernels_wait_for_the_grid_before_them(walk):
    assert kernel_order().faults(code_of(axpy(), **WALKS[walk])) == ({}, 1)


# Some compilers leave the kind of memory open.
VECTOR_LOAD = r"\bld(\.global)?\.v4\.[fub]32"


@needs_nvrtc
def test_contiguous_arrays_are_read_and_written_by_vectors():
    text = code_of(axpy())
    assert len(re.findall(VECTOR_LOAD, text)) == 2  # what is overwritten is not read
    assert text.count("st.global.v4.u32") == 1
    assert not re.search(VECTOR_LOAD, code_of(axpy(), dims=2))
    assert re.search(VECTOR_LOAD, code_of(axpy(), dims=2, vectors=True))


@needs_nvrtc
def test_other_roles_and_conversions_compile():
    program = _core._Program(
        "roles",
        "z = x[i] + p[i] + (double)h + c.real();",
        [
            ("x", "float32", "raw", False, "float32"),
            ("p", "int32", "pointer", False, "int32"),
            element("h", "float16", memory="int64"),
            scalar("c", "complex64"),
            element("z", "float64", written=True, memory="bfloat16"),
        ],
        results=4,
    )
    for walk in WALKS.values():
        assert b".text.gpuarray_kernel\0" in code_of(program, "cubin", **walk)


@needs_nvrtc
@needs_linker
def test_device_functions_are_inlined():
    source = 'extern "C" __device__ float mul(float a, float b) { return a * b; }\n'
    mul = gpuarray.declare_device(
        "mul", "float32(float32, float32)", link=gpuarray.CUSource(source), abi="c"
    )
    program = _core._Program(
        "product",
        "z = mul(x, y)",
        [element("x", "float32"), element("y", "float32"), element("z", "float32", True)],
    )
    image = gpuarray.Module(program.source("cuda"), link=mul, arch=ARCHITECTURE).image
    assert b".text.gpuarray_kernel\0" in image
    assert b".text.mul\0" not in image


def test_one_program_for_each_signature(device):
    kernel = Axpy()
    x = gpuarray.arange(6, dtype="float32")
    for _ in range(2):
        assert_same(kernel(x, x, 2), np.arange(6, dtype="float32") * 3)
        kernel(x.reshape(2, 3), x.reshape(2, 3), 2)
        kernel(x, y=x, a=2.5)
        kernel(x, x, np.float64(2))
        assert kernel(x, x, 2, out=x) is x
        x[...] = gpuarray.arange(6, dtype="float32")
    pair = (("array", "float32"), ("array", "float32"))
    assert kernel.signatures == [
        (*pair, ("weak", "int")),
        (*pair, ("weak", "float")),
        (*pair, ("scalar", "float64")),
        (*pair, ("weak", "int"), ("array", "float32")),
    ]


def test_ranks_in_signatures(device):
    kernel = Axpy(ranks=True)
    x = gpuarray.arange(6, dtype="int64")
    kernel(x, x, 2)
    kernel(x.reshape(2, 3), x[:3], 2)
    assert [signature[0][2] for signature in kernel.signatures] == [1, 2]


def test_results_may_be_arguments(device):
    class Update(_core._Dispatcher):
        def _specialize(self, signature):
            f = "float32"
            return _core._Program(
                "update",
                "z = z + x; w = z * 2;",
                [element("z", f, True), element("x", f), element("w", f, True)],
                results=(2, 0, 2),
            )

    update = Update("update", ("z", "x"))
    for arrange in (lambda x: x, lambda x: x[::2], lambda x: x.reshape(5, 4).T[1:, ::-1]):
        host = np.arange(20, dtype="float32")
        z = gpuarray.to_device(host)
        first, second, third = update(arrange(z), gpuarray.ones(1, "float32"))
        assert first is third
        expected = arrange(host)
        expected += 1
        assert_same(z, host)
        assert_same(second, expected)
        assert_same(first, 2 * expected)


def test_programs_that_do_not_fit(device):
    class Wrong(_core._Dispatcher):
        def _specialize(self, signature):
            return program

    x = gpuarray.ones(3, "float32")
    program = axpy()
    with pytest.raises(TypeError, match="got 5 arguments, expected 4"):
        Wrong("wrong", "abcde")(x, x, 1, x, x)
    with pytest.raises(TypeError, match="x does not fit its program"):
        Wrong("wrong", "abc")(x.astype("int8"), x, 1)
    with pytest.raises(TypeError, match="a does not fit its program"):
        Wrong("wrong", "abc")(x, x, x)
    program = "a str"
    with pytest.raises(TypeError, match="expected a _Program, a _Fold or None, got str"):
        Wrong("wrong", "abc")(x, x, 1)
    with pytest.raises(AttributeError, match="_specialize"):
        _core._Dispatcher("bare", ("x",))(x)


@pytest.mark.parametrize(
    ("parameters", "options", "message"),
    [
        ([("x", "float32", "element", False)], {}, "expected tuples of 5"),
        ([("x", "float32", "array", False, "float32")], {}, "expected 'element', 'scalar'"),
        ([("x", "float32", "raw", False, "float64")], {}, "x: only elements are converted"),
        ([element("x", "float32")], {"results": 1}, "no array parameter has the index 1"),
        ([scalar("a", "float32")], {"results": (0,)}, "no array parameter has the index 0"),
        ([element(f"x{k}", "int8") for k in range(33)], {}, "at most 32 parameters, got 33"),
    ],
)
def test_malformed_programs(parameters, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        _core._Program("wrong", "", parameters, **options)


RUN = """
    import gpuarray
    kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = x + {added}", "plus")
    try:
        with gpuarray.device("cpu"):
            print(kernel(gpuarray.arange(3)), gpuarray.cache_info())
    except gpuarray.DeviceError as error:
        print("DeviceError:", error)
"""


def test_without_a_host_compiler(tmp_path):
    code = RUN.format(added=1)
    empty = {"PATH": str(tmp_path), "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
    text = run_python(code, CXX="", **empty)
    assert "DeviceError: expressions on cpu need a C++ compiler: none of c++, g++" in text
    assert "install one or set CXX" in text
    text = run_python(code, CXX="no-such-compiler", **empty)
    assert "no-such-compiler, which CXX names, was not found" in text


def test_host_code_is_kept_on_disk(tmp_path):
    folder = tmp_path / "cache"
    texts = [run_python(RUN.format(added=7), GPUARRAY_CACHE_DIR=str(folder)) for _ in range(2)]
    assert texts[0].startswith("[7 8 9]")
    assert "hits=0, stores=1" in texts[0]
    assert "hits=1, stores=0" in texts[1]


def test_headers_of_the_user_are_part_of_the_key(tmp_path):
    header = tmp_path / "step.hpp"
    code = f"""
        import gpuarray
        kernel = gpuarray.ElementwiseKernel(
            "T x", "T y", "y = x + kStep", "plus", preamble='#include "step.hpp"',
            options=["-I{tmp_path}"],
        )
        with gpuarray.device("cpu"):
            print(kernel(gpuarray.arange(3)))
    """
    for step in (1, 5, 1):
        header.write_text(f"constexpr int kStep = {step};\n")
        text = run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache"))
        assert text.split() == f"[{step} {step + 1} {step + 2}]".split()


IN_ONE_PROCESS = """
    import os
    import gpuarray
    def run(**arguments):
        kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = x + kStep", "plus", **arguments)
        with gpuarray.device("cpu"):
            return int(kernel(gpuarray.zeros(1, "int32"))[0])
"""


@pytest.mark.parametrize(
    "include",
    [
        '#include "step.hpp"',
        '/**/ #include "step.hpp"',
        '/* a\n# b */ #include "step.hpp"',
        '/* a */ /* b */ %: /* c */ include "step.hpp"',
        '\f\v# include "step.hpp"',
        '#inc\\\nlude "step.hpp"',
        '#import "step.hpp"',
        '#define NAME "step.hpp"\n#include NAME',
    ],
)
def test_headers_that_change_in_one_process(tmp_path, include):
    code = (
        IN_ONE_PROCESS
        + f"""
    for step in (1, 5, 1):
        with open("step.hpp", "w") as header:
            header.write(f"constexpr int kStep = {{step}};")
        print(run(preamble={include!r}, options=["-I" + os.getcwd()]))
    """
    )
    assert run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache")).split() == ["1", "5", "1"]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("options", "-I ."),
        ("options", "-I."),
        ("CXX", "-I ."),
        ("CXX", "-isystem ."),
        ("CXX", "-include ./step.hpp"),
    ],
)
def test_headers_that_options_bring(tmp_path, where, words):
    code = (
        IN_ONE_PROCESS
        + f"""
    words = {words!r}.replace(".", os.getcwd(), 1)
    if {where!r} == "CXX":
        os.environ["CXX"] = "c++ " + words
    options = words.split() if {where!r} == "options" else ()
    include = "" if "-include" in words else '#include "step.hpp"'
    for step in (1, 5, 1):
        with open("step.hpp", "w") as header:
            header.write(f"constexpr int kStep = {{step}};")
        print(run(preamble=include, options=options))
    """
    )
    assert run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache")).split() == ["1", "5", "1"]


def test_a_compiler_that_changes_in_one_process(tmp_path):
    code = (
        IN_ONE_PROCESS
        + """
    for step in (1, 5):
        os.environ["CXX"] = f"c++ -DkStep={step}"
        print(run())
    """
    )
    assert run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache")).split() == ["1", "5"]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_kernels_have_their_own_variables(tmp_path, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    code = (
        IN_ONE_PROCESS
        + """
    for step in (1, 5):
        print(run(preamble=f"inline int kStep = {step};"))
        print(run(preamble=f"template <class T> struct S {{ static int value; }};"
                           f"template <class T> int S<T>::value = {step};\\n"
                           f"#define kStep S<int>::value"))
    """
    )
    text = run_python(code, CXX=compiler, GPUARRAY_CACHE_DIR=str(tmp_path / "cache"))
    assert text.split() == ["1", "1", "5", "5"]


def test_without_a_temporary_folder(tmp_path):
    variables = {"TMPDIR": "/nonexistent", "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
    text = run_python(RUN.format(added=1), **variables)
    assert "DeviceError: no folder for the compiler in /nonexistent, which TMPDIR names" in text
    code = """
        import gpuarray
        with gpuarray.device("cpu"):
            print(gpuarray.fuse(lambda x: x * 2 + 1)(gpuarray.arange(3)))
    """
    assert run_python(code, **variables) == "[1 3 5]\n"
