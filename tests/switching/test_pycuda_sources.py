# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sources as PyCUDA's users write them for nvcc, with its headers and types."""

import numpy as np
import pytest
from _support.process import inherited_driver, run_python

import gpuarray
import gpuarray.pycuda.driver as drv
import gpuarray.pycuda.gpuarray as ga
from gpuarray.pycuda import compiler
from gpuarray.pycuda.compiler import SourceModule
from gpuarray.pycuda.elementwise import ElementwiseKernel
from gpuarray.pycuda.reduction import ReductionKernel

HEADERS = (
    "assert.h cassert cfloat climits cmath cstdint cstdio cstdlib cstring float.h limits.h math.h"
    " stdint.h stdio.h stdlib.h string.h"
)
VALUES = """
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

__global__ void values(double *x) {
  x[0] = INT_MIN; x[1] = LLONG_MAX; x[2] = FLT_MAX; x[3] = DBL_EPSILON; x[4] = M_PI;
  x[5] = INFINITY; x[6] = NAN; x[7] = sizeof(uint64_t) + sizeof(int8_t); x[8] = UINT_MAX;
}
"""
COMPLEX = """
#include <pycuda-complex.hpp>
typedef pycuda::complex<double> number;

__global__ void functions(number *out, const number *in) {
  number z = in[0];
  out[0] = z * z + number(1, 2);
  out[1] = pow(z, 2);
  out[2] = exp(z) / sqrt(z);
  out[3] = number(norm(z), arg(z));
  out[4] = number(abs(z), z.real() + imag(conj(z)));
}
"""


@pytest.mark.cuda
@pytest.mark.parametrize("header", HEADERS.split())
def test_headers_of_the_c_library(cuda, header):
    module = SourceModule(f"#include <{header}>\n__global__ void f(int *x) {{ *x = 3; }}")
    x = np.zeros(1, np.int32)
    module.get_function("f")(drv.Out(x), block=(1, 1, 1))
    assert x.tolist() == [3]


@pytest.mark.cuda
def test_values_of_the_c_library(cuda):
    x = np.zeros(9)
    SourceModule(VALUES).get_function("values")(drv.Out(x), block=(1, 1, 1))
    single, double = np.finfo(np.float32), np.finfo(np.float64)
    expected = [-(2**31), 2.0**63, single.max, double.eps, np.pi, np.inf, np.nan, 9, 2**32 - 1]
    np.testing.assert_array_equal(x, np.array(expected, np.float64))


@pytest.mark.cuda
def test_types_of_the_c_library(cuda):
    source = "__global__ void f(uint *x) { const ushort n = 5; *x = n + (uint)sizeof(ulong); }"
    x = np.zeros(1, np.uint32)
    SourceModule(source).get_function("f")(drv.Out(x), block=(1, 1, 1))
    assert x.tolist() == [13]
    # A source may have its own of the same type.
    SourceModule("typedef unsigned int uint; __global__ void f(uint *x) {}")


@pytest.mark.cuda
def test_complex_numbers(cuda):
    z, out = 3 - 4j, np.zeros(5, np.complex128)
    function = SourceModule(COMPLEX).get_function("functions")
    function(drv.Out(out), drv.In(np.array([z])), block=(1, 1, 1))
    expected = [z * z + 1 + 2j, z**2, np.exp(z) / np.sqrt(z), 25 + 1j * np.angle(z), 5 + 7j]
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_headers_of_elementwise_and_reduction_kernels(device):
    host = np.array([1 + 2j, 3 - 1j], np.complex64)
    a = ga.to_gpu(host)
    square = ElementwiseKernel(
        "pycuda::complex<float> *x, pycuda::complex<float> *y",
        "y[i] = x[i] * x[i]",
        preamble="#include <pycuda-complex.hpp>\n#include <math.h>",
    )
    b = ga.empty_like(a)
    square(a, b)
    np.testing.assert_allclose(b.get(), host * host, rtol=1e-6)
    norms = ReductionKernel(
        np.float32,
        neutral="0",
        reduce_expr="a + b",
        map_expr="norm(x[i])",
        arguments="pycuda::complex<float> *x",
        preamble="#include <pycuda-complex.hpp>",
    )
    assert norms(a).get() == 15


@pytest.mark.cuda
def test_sources_of_other_types(cuda):
    class Template:
        def __str__(self):
            return "__global__ void f(int *x) { *x = 4; }"

    x = np.zeros(1, np.int32)
    SourceModule(Template()).get_function("f")(drv.Out(x), block=(1, 1, 1))
    assert x.tolist() == [4]


def test_what_is_no_source():
    with pytest.raises(TypeError, match="code"):
        compiler.compile(None, arch="sm_90")


@pytest.mark.cuda
def test_what_the_last_kernel_prints_is_seen(cuda):
    code = """
import gpuarray.pycuda.autoinit
from gpuarray.pycuda.compiler import SourceModule
source = '#include <stdio.h>\\n__global__ void f() { printf("thread %d\\\\n", threadIdx.x); }'
SourceModule(source).get_function("f")(block=(2, 1, 1))
"""
    printed = run_python(code, **inherited_driver())
    assert printed.splitlines() == ["thread 0", "thread 1"]


def test_the_version_of_cuda():
    version = drv.get_version()
    assert len(version) == 3 and version >= (0, 0, 0)
    known = gpuarray.cuda.runtime.runtimeGetVersion()
    assert 1000 * version[0] + 10 * version[1] == known


def test_memory_like_an_array(device):
    host = np.arange(6, dtype=np.int16)
    assert drv.mem_alloc_like(host).nbytes == 12
    with pytest.raises(ValueError, match="at least 1"):
        drv.mem_alloc_like(host[:0])
