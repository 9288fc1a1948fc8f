# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Kernels compiled at run time; needs the compiler (NVRTC) but no CUDA device."""

import os
import threading

import pytest
from _support.process import run_python
from _support.stub_driver import build_stub

import gpuarray
from gpuarray import _core

COMPILER = _core._cuda_libraries()["NVRTC"]
needs_compiler = pytest.mark.skipif(
    COMPILER["absent_reason"] != "", reason=COMPILER["absent_reason"]
)

# The C++ types, rarest last: each row of ops.def is compiled for the first that it has.
TYPES = {
    "float32": "float",
    "int32": "int32_t",
    "bool": "bool",
    "float16": "half",
    "bfloat16": "bfloat16",
    "complex64": "complex<float>",
    "float64": "double",
    "complex128": "complex<double>",
    "uint8": "uint8_t",
}
PARAMS = {"flat": "FlatParams", "rows": "RowsParams", "tile": "TileParams"}
HEAD = """\
#include "kernels/elementwise/{path}.cuh"
#include "kernels/element/functors.cuh"
using namespace gpuarray;
"""
KERNEL = (
    'extern "C" __global__ void gpuarray_kernel(const __grid_constant__ {params} p) {{ {body}; }}\n'
)


def row(op):
    return next(row for row in _core.op_table() if row[0] == op)


def path_source(path, op, dtype):
    name, arity, *_ = row(op)
    loop = TYPES[dtype]
    functor = f"{name}_functor<{loop}>"
    inputs = ", ".join([f"{functor}::first", *[loop] * (arity - 1)])
    out = f"{functor}::result"
    turned = "2, " if path == "tile" else ""
    body = f"{path}_kernel<{turned}Converting<{functor}, {loop}, {out}>, {out}, {inputs}>(p)"
    params = f"{PARAMS[path]}<{1 + arity}>"
    return HEAD.format(path=path) + KERNEL.format(params=params, body=body)


def other_source(headers, params, body):
    lines = [f'#include "kernels/{header}"\n' for header in headers]
    return "".join(lines) + "using namespace gpuarray;\n" + KERNEL.format(params=params, body=body)


OTHER_SOURCES = {
    "mixed dtypes": other_source(
        ["elementwise/rows.cuh", "element/functors.cuh"],
        "RowsParams<3>",
        "rows_kernel<Converting<add_functor<float>, float, half>, half, int8_t, double>(p)",
    ),
    "conversion": other_source(
        ["elementwise/tile.cuh"],
        "TileParams<2>",
        "tile_kernel<Converting<cast_functor<int32_t>, int32_t, int32_t>, int32_t, float>(p)",
    ),
    "any strides": other_source(
        ["elementwise/elementwise.cuh", "element/functors.cuh"],
        "ElementwiseParams<3>",
        "binary_kernel<power_functor<complex<double>>, complex<double>>(p)",
    ),
    "matmul": other_source(["matmul/matmul.cuh"], "MatmulParams", "matmul_kernel<bfloat16, 1>(p)"),
    "dot": other_source(
        ["matmul/dot.cuh"], "ReduceParams", "dot_kernel<complex<float>, true, false>(p, p.source)"
    ),
    "reduction": other_source(
        ["reduce/reduce.cuh", "reduce/reduce_ops.cuh"],
        "ReduceParams",
        "reduce_kernel<sum_reducer<int8_t>>(p)",
    ),
}
SCANNERS = {
    "float32 sums": "add_scanner<float>",
    "int32 sums": "add_scanner<int32_t, int64_t>",
    "bfloat16 products": "multiply_scanner<bfloat16>",
    "complex128 sums": "add_scanner<complex<double>>",
    "int8 extremes": "maximum_scanner<int8_t>",
    "bits": "bitwise_xor_scanner<uint64_t>",
    "bools": "logical_and_scanner<bool>",
}
FOLDS = {
    "reduction": ("reduction", "a + b", "0", "float32"),
    "reduction without identity": ("reduction", "a.re < b.re ? a : b", "", "complex64"),
    "inclusive scan": ("inclusive_scan", "a * b", "", "float64"),
    "exclusive scan": ("exclusive_scan", "a | b", "0", "uint8"),
}


def check_machine_code(image):
    assert image.startswith(b"\x7fELF")
    assert b".text.gpuarray_kernel\0" in image


@needs_compiler
@pytest.mark.parametrize("op", [row[0] for row in _core.op_table()])
def test_every_operation_compiles_for_contiguous_arrays(op):
    dtype = next(dtype for dtype in TYPES if dtype in row(op)[3])
    check_machine_code(_core._compile_cubin(path_source("flat", op, dtype), 9, 0))


@needs_compiler
@pytest.mark.parametrize("path", ["flat", "rows", "tile"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "complex128", "uint8", "bool"])
def test_every_path_compiles_for_all_kinds_of_dtypes(path, dtype):
    check_machine_code(_core._compile_cubin(path_source(path, "multiply", dtype), 8, 0))


@needs_compiler
@pytest.mark.parametrize("what", OTHER_SOURCES)
def test_other_kernels_compile(what):
    check_machine_code(_core._compile_cubin(OTHER_SOURCES[what], 9, 0))


@needs_compiler
@pytest.mark.parametrize("what", SCANNERS)
def test_scans_compile(what):
    scanner = SCANNERS[what]
    for path, items in (("rows", ""), ("columns", f", scan_items<{scanner}>"), ("columns", ", 1")):
        body = f"scan_{path}_kernel<{scanner}{items}>(p)"
        source = other_source([f"scan/scan_{path}.cuh", "scan/scan_ops.cuh"], "ScanParams", body)
        check_machine_code(_core._compile_cubin(source, 9, 0))


@needs_compiler
@pytest.mark.parametrize("what", FOLDS)
def test_reductions_and_scans_of_users_compile(what):
    kind, combine, identity, dtype = FOLDS[what]
    parameters = [
        ("x", dtype, "element", False, dtype),
        ("w", dtype, "raw", False, dtype),
        ("s", "int32", "scalar", False, "int32"),
    ]
    fold = _core._Fold(
        "fold",
        kind,
        "s > 0 ? x : w[i]",
        combine,
        parameters,
        dtype,
        ("y", dtype),
        finish="y = a",
        identity=identity,
        types=[("T", dtype)],
        preamble="__device__ T unused(T x) { return x; }",
    )
    check_machine_code(_core._compile_cubin(fold.source("cuda:0"), 9, 0))


@needs_compiler
def test_headers_are_those_of_the_build(tmp_path, monkeypatch):
    header = tmp_path / "kernels" / "elementwise" / "flat.cuh"
    header.parent.mkdir(parents=True)
    header.write_text("#error of another program")
    monkeypatch.chdir(tmp_path)
    check_machine_code(_core._compile_cubin(path_source("flat", "add", "float32"), 9, 0))


@needs_compiler
def test_unknown_architecture_gives_ptx_of_the_one_below():
    source = path_source("flat", "add", "float32")
    text = _core._compile_cubin(source, 7, 6).decode()
    assert ".target sm_75" in text
    assert ".entry gpuarray_kernel(" in text


@needs_compiler
def test_architecture_before_all_known_is_refused():
    with pytest.raises(gpuarray.DeviceError, match=r"does not support compute capability 1\.3"):
        _core._compile_cubin(path_source("flat", "add", "float32"), 1, 3)


@needs_compiler
def test_error_holds_the_log_and_the_numbered_source():
    source = 'extern "C" __global__ void wrong() {\n  missing_name = 1;\n}\n'
    with pytest.raises(gpuarray.CompileError) as error:
        _core._compile_cubin(source, 9, 0)
    text = str(error.value)
    assert 'gpuarray_kernel.cu(2): error: identifier "missing_name" is undefined' in text
    assert '\n  1: extern "C" __global__ void wrong() {\n> 2:   missing_name = 1;\n  3: }\n' in text
    assert isinstance(error.value, RuntimeError)


@needs_compiler
def test_missing_header_is_an_error_that_names_it():
    with pytest.raises(gpuarray.CompileError, match=r"no_such\.cuh"):
        _core._compile_cubin('#include "kernels/no_such.cuh"\n', 9, 0)


@needs_compiler
def test_threads_compile_at_the_same_time_and_alike():
    sources = [path_source("flat", op, "float32") for op in ("add", "sin", "negative", "where")]
    alone = [_core._compile_cubin(source, 9, 0) for source in sources]
    together = [None] * len(sources)

    def compile(index):
        together[index] = _core._compile_cubin(sources[index], 9, 0)

    threads = [threading.Thread(target=compile, args=[index]) for index in range(len(sources))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


@pytest.mark.parametrize(
    "arguments", [(1, 9, 0), ("", "9", 0), ("", 9, -1), ("", 9), ("", 2**70, 0)]
)
def test_bad_arguments(arguments):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        _core._compile_cubin(*arguments)


ASK = """
    import gpuarray
    from gpuarray import _core
    print(_core._cuda_libraries()["NVRTC"])
    try:
        _core._compile_cubin("", 9, 0)
    except gpuarray.DeviceError as error:
        print(error)
"""


def test_absent_compiler_says_what_to_install():
    text = run_python(ASK, GPUARRAY_LIBNVRTC="/nowhere/libnvrtc.so")
    assert "'path': '', 'version': (0, 0, 0)" in text
    assert "no run-time compiler: /nowhere/libnvrtc.so was not found" in text
    assert "pip install 'gpuarray-cuda[cuda13]'" in text


def test_library_that_is_no_compiler_is_refused(tmp_path):
    text = run_python(ASK, GPUARRAY_LIBNVRTC=_core.__file__)
    assert "has no nvrtcVersion" in text
    broken = tmp_path / "libnvrtc.so"
    broken.write_bytes(b"not a library")
    assert "could not be loaded" in run_python(ASK, GPUARRAY_LIBNVRTC=str(broken))


FIND = """
    import gpuarray
    from gpuarray import _core
    print(gpuarray.devices())
    print(_core.cuda_absent_reason())
"""


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    try:
        return str(build_stub(tmp_path_factory.mktemp("stub")))
    except FileNotFoundError:
        pytest.skip("needs a C++ compiler")


@pytest.mark.skipif(_core.build_config()["cuda_built"], reason="this build has device code")
def test_build_without_device_code_needs_a_compiler(stub):
    text = run_python(FIND, GPUARRAY_LIBCUDA=stub, GPUARRAY_LIBNVRTC="/nowhere/libnvrtc.so")
    assert "(Device('cpu'),)" in text
    assert "this build has no device code" in text
    assert "/nowhere/libnvrtc.so was not found; pip install 'gpuarray-cuda[cuda13]'" in text


@needs_compiler
def test_compiler_stands_for_device_code(stub):
    text = run_python(FIND, GPUARRAY_LIBCUDA=stub)
    assert text.splitlines() == ["(Device('cuda:0'), Device('cpu'))", ""]


@needs_compiler
def test_named_compiler_is_taken():
    text = run_python(ASK, GPUARRAY_LIBNVRTC=os.path.realpath(COMPILER["path"]))
    assert f"'version': {COMPILER['version']}" in text


def test_libraries_of_cuda_are_listed():
    found = _core._cuda_libraries()
    assert {"NVRTC", "nvJitLink", "cuBLAS"} <= set(found)
    for library in found.values():
        assert library["variable"].startswith("GPUARRAY_LIB")
        assert (library["path"] == "") == (library["absent_reason"] != "")


def test_absent_library_says_where_it_was_looked_for():
    text = run_python(
        "from gpuarray import _core\n"
        "for title, row in _core._cuda_libraries().items(): print(title, row['absent_reason'])",
        **{f"GPUARRAY_LIB{name}": "/nowhere" for name in ("NVRTC", "NVJITLINK", "CUBLAS")},
    )
    for title in ("NVRTC", "nvJitLink", "cuBLAS"):
        assert f"{title} /nowhere was not found" in text
