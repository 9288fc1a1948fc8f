# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""declare_device compares what it declares with what CUDA C++ and PTX define."""

import re

import pytest

from gpuarray import CUSource, PTXSource, declare_device

PLAIN = 'extern "C" __device__ float mul(float a, float b) { return a * b; }'
NUMBA = 'extern "C" __device__ int mul(float* r, float a, float b) { *r = a * b; return 0; }'
PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .func  (.param .b32 func_retval0) mul(
	.param .b32 mul_param_0,
	.param .b32 mul_param_1
)
{
	ret;
}
"""
PTX_OF_NUMBA = PTX.replace("\t.param .b32 mul_param_0,", "\t.param .b64 r,\n\t.param .b32 x,")
SIGNATURE = "float32(float32, float32)"


@pytest.mark.parametrize(
    ("code", "abi"),
    [
        (CUSource(PLAIN), "c"),
        (CUSource(NUMBA), "numba"),
        (PTXSource(PTX), "c"),
        (PTXSource(PTX_OF_NUMBA), "numba"),
    ],
)
def test_the_abi_of_the_code_is_named(code, abi):
    other = {"c": "numba", "numba": "c"}[abi]
    assert declare_device("mul", SIGNATURE, link=code, abi=abi).abi == abi
    with pytest.raises(TypeError, match=rf"called as '.* mul\(.*defines '.* mul.*give abi='{abi}'"):
        declare_device("mul", SIGNATURE, link=code, abi=other)


def test_the_message_has_both_prototypes():
    with pytest.raises(TypeError) as raised:
        declare_device("mul", SIGNATURE, link=CUSource(PLAIN, "mul.cu"))
    assert str(raised.value) == (
        "declare_device: with abi='numba', mul is called as 'int mul(float*, float, float)', but "
        "mul.cu defines 'float mul(float a, float b)': give abi='c'"
    )


@pytest.mark.parametrize(
    ("code", "signature"),
    [
        ("double mul(double a, double b)", SIGNATURE),
        ("float mul(float a)", SIGNATURE),
        ("float mul(float a, int b)", SIGNATURE),
        ("float mul(float* a, float b)", SIGNATURE),
        ("void mul(float a, float b)", SIGNATURE),
        ("float mul(float a, float b)", "void(float32, float32)"),
        ("float mul(double* a, long long n)", "float32(CPointer(float32), int64)"),
    ],
)
def test_other_parameters_are_refused(code, signature):
    source = CUSource(f'extern "C" __device__ {code};')
    with pytest.raises(TypeError, match=re.escape(code) + r"': correct the signature"):
        declare_device("mul", signature, link=source, abi="c")


@pytest.mark.parametrize(
    ("code", "signature"),
    [
        ('extern "C" __device__ float mul(float, float);', SIGNATURE),
        (
            'extern "C" {\n__device__ inline float\nmul(float a,\n float b) { return a; }\n}',
            SIGNATURE,
        ),
        ('extern "C" __noinline__ __device__ float mul(const float a, float b);', SIGNATURE),
        ("// mul(int)\n__device__ float mul(float a, float b) { return a; }", SIGNATURE),
        ("__device__ int mul(int); __device__ float mul(float, float);", SIGNATURE),
        ("__device__ float twice(float x) { return mul(x, x); }", SIGNATURE),
        ("template <class T> __device__ T mul(T a) { return a; }", SIGNATURE),
        ("__global__ void mul(int* x) {}", SIGNATURE),
        ("#define DEVICE __device__\nDEVICE double mul(int);", SIGNATURE),
        ("#define mul(a) __device__ int\n", SIGNATURE),
        (
            "__device__ float mul(const float* __restrict__ x, long n);",
            "float32(CPointer(float32), int64)",
        ),
        ("__device__ unsigned long mul(size_t n);", "uint64(uint64)"),
        ("__device__ void mul(void* p, char c);", "void(CPointer(float32), int8)"),
        ("__device__ float* mul();", "float32*()"),
        ("struct S { int x; };\n__device__ float mul(S s, float b);", SIGNATURE),
        ("__device__ float mul2(int); __device__ float xmul(int);", SIGNATURE),
        ("__device__ __attribute__((noinline)) float mul(float a, float b);", SIGNATURE),
    ],
)
def test_what_fits_or_leaves_doubt_is_taken(code, signature):
    assert declare_device("mul", signature, link=CUSource(code), abi="c").name == "mul"


def test_widened_integers_of_ptx():
    assert declare_device("mul", "uint8(int8, int16)", link=PTXSource(PTX), abi="c")
    with pytest.raises(TypeError, match=r"defines '\.b32 mul\(\.b32, \.b32\)'"):
        declare_device("mul", "float64(float64, float32)", link=PTXSource(PTX), abi="c")
    without = PTX.replace("(.param .b32 func_retval0) ", "")
    assert declare_device("mul", "void(float32, float32)", link=PTXSource(without), abi="c")
    with pytest.raises(TypeError, match="correct the signature"):
        declare_device("mul", SIGNATURE, link=PTXSource(without), abi="c")
