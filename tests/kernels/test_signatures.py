# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Types of kernels' parameters, out of text, sources and symbols."""

import time

import numpy as np
import pytest

from gpuarray import _core
from gpuarray._kernels.signature import Row, infer, parse_signature

FLOATS = Row("const float* x", "p", ("float32",), True, 8)
DECLARATIONS = {
    "const float* x": FLOATS,
    "float const *x": FLOATS._replace(text="float const *x"),
    "float* const x": Row("float* const x", "p", ("float32",), False, 8),
    "float *__restrict__ x": Row("float *__restrict__ x", "p", ("float32",), False, 8),
    "float x[]": Row("float x[]", "p", ("float32",), False, 8),
    "double": Row("double", "v", ("float64",), False, 8),
    "unsigned long long n": Row("unsigned long long n", "v", ("uint64",), False, 8),
    "const long unsigned int n": Row("const long unsigned int n", "v", ("uint64",), False, 8),
    "std::uint8_t n": Row("std::uint8_t n", "v", ("uint8",), False, 1),
    "::size_t n": Row("::size_t n", "v", ("uint64",), False, 8),
    "bool b": Row("bool b", "v", ("bool",), False, 1),
    "__half h": Row("__half h", "v", ("float16",), False, 2),
    "const __nv_bfloat16* h": Row("const __nv_bfloat16* h", "p", ("bfloat16",), True, 8),
    "thrust::complex<float> z": Row("thrust::complex<float> z", "v", ("complex64",), False, 8),
    "cuda::std::complex<double>* z": Row(
        "cuda::std::complex<double>* z", "p", ("complex128",), False, 8
    ),
    "const complex64* z": Row("const complex64* z", "p", ("complex64",), True, 8),
    "float32 x": Row("float32 x", "v", ("float32",), False, 4),
    "void* p": Row("void* p", "p", (), False, 8),
    "const void* p": Row("const void* p", "p", (), True, 8),
    "float** rows": Row("float** rows", "p", (), False, 8),
    "float* const* rows": Row("float* const* rows", "p", (), True, 8),
    "const char* text": Row("const char* text", "p", ("int8", "uint8", "bool"), True, 8),
    "unsigned char c": Row("unsigned char c", "v", ("uint8",), False, 1),
    "float2 v": Row("float2 v", "u"),
    "Particle* p": Row("Particle* p", "p", (), False, 8),
    "T x": Row("T x", "u"),
    "Array<float, 2> a": Row("Array<float, 2> a", "u"),
    "const Array<float>* a": Row("const Array<float>* a", "p", (), True, 8),
    "float& x": Row("float& x", "u"),
    "void (*f)(int)": Row("void (*f)(int)", "u"),
    "struct Particle p": Row("struct Particle p", "u"),
}


@pytest.mark.parametrize(("text", "row"), DECLARATIONS.items())
def test_declarations(text, row):
    assert parse_signature(text) == (row,)
    assert parse_signature(f"int a,{text} , Map<int, float*> m")[1] == row


def test_texts():
    assert parse_signature("") == parse_signature("void") == parse_signature([]) == ()
    assert [row.kind for row in parse_signature("PfPi")] == ["p", "v", "p", "v"]
    assert [row.nbytes for row in parse_signature("PfFe?")] == [8, 4, 8, 2, 1]
    with pytest.raises(ValueError, match="expected a type, got nothing between two commas"):
        parse_signature("int a,, int b")


def test_sequences():
    rows = parse_signature(["P", np.float32, None, "const int* x", np.dtype("int64"), "f", "uint8"])
    assert [row.kind for row in rows] == ["p", "v", "u", "p", "v", "v", "v"]
    assert [row.dtypes for row in rows] == [
        *((), ("float32",), (), ("int32",), ("int64",), ("float32",), ("uint8",))
    ]
    for wrong in (1, 2.5, None):
        with pytest.raises(TypeError, match="signature: expected a str or a sequence of dtypes"):
            parse_signature(wrong)
    with pytest.raises(TypeError):
        parse_signature([np.dtype("datetime64[s]")])


SOURCE = r"""
// __global__ void scale(double* wrong);
/* __global__ void scale(int wrong) */
const char* text = "__global__ void scale(char)";
__global__ void scale(float* x, const float* factor,  // the factor, of 1
                      int n);
extern "C" __global__ void __launch_bounds__(256, 2)
scale(float* __restrict__ values, const float* __restrict__ by, const int count) { }
template <class T, int N>
__global__ __launch_bounds__(N) void generic(T* x, T a, int n) {}
static __global__ void plain() {}
__global__ void overloaded(float x) {}
__global__ void overloaded(int x) {}
__device__ void helper(float* x) {}
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) clustered(const int* x) {}
void __global__ turned(int* x) {}
__global__ void with_default(Map<int, float> map, int n[4]) {}
"""


def test_sources():
    assert [row[1:4] for row in infer("scale", SOURCE)] == [
        *(("p", ("float32",), False), ("p", ("float32",), True), ("v", ("int32",), False))
    ]
    assert [row.kind for row in infer("generic", SOURCE)] == ["p", "u", "v"]
    assert infer("plain", SOURCE) == ()
    assert [row.kind for row in infer("with_default", SOURCE)] == ["u", "p"]
    for name in ("clustered", "turned"):
        assert [row.dtypes for row in infer(name, SOURCE)] == [("int32",)]
    for name in ("overloaded", "helper", "absent", "scal"):
        assert infer(name, SOURCE) is None
    assert infer("scale") is None


SYMBOLS = {
    "_Z5scalePfPKfi": [
        ("p", ("float32",), False),
        ("p", ("float32",), True),
        ("v", ("int32",), False),
    ],
    "_Z5scaleIfEvPT_S1_i": [("p", ("float32",), False)] * 2 + [("v", ("int32",), False)],
    "_ZN2ns4fillIdLi3EEEvPT_S2_m": [
        *(("p", ("float64",), False), ("p", ("float64",), False), ("v", ("uint64",), False))
    ],
    "_Z5emptyv": [],
    "_Z3putP8Particle6float2": [("p", (), False), ("u", (), False)],
}


@pytest.mark.parametrize(("symbol", "rows"), SYMBOLS.items())
def test_symbols(symbol, rows):
    assert [row[1:4] for row in infer(symbol)] == rows


def test_demangling():
    assert _core._demangle("_Z5scaleIfEvPT_i") == "void scale<float>(float*, int)"
    assert _core._demangle("scale") == "scale"
    assert infer("_Zwrong") is None


@pytest.mark.parametrize(
    "source",
    ["__global__ " + "__a__() " * 60, "__global__ " + "__a__((" * 9000, "/*" * 50000],
    ids=["attributes", "parentheses", "comments"],
)
def test_hostile_sources_take_no_time(source):
    begin = time.process_time()
    assert infer("f", source) is None
    assert time.process_time() - begin < 1


def test_attributes_with_parentheses():
    source = "__global__ void __launch_bounds__(max(64, 2 * (N + 1)), 1) f(int n) {}"
    assert infer("f", source) == (Row("int n", "v", ("int32",), False, 4),)
