# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the sources of expressions include and take for granted: no more than they use."""

import re
from pathlib import Path

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.device_code import needs_nvrtc

import gpuarray
from gpuarray import _core
from gpuarray._common.dtype_table import CTYPES

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = re.compile(r'#include "kernels/(.*?)"')
HOST_ONLY = re.compile(r"#ifndef __CUDACC__\n.*?#endif", re.DOTALL)


def program(operation, dtype="float32", **options):
    """Return the program that computes z of x and y by this text."""
    names = {"x": False, "y": False, "z": True}
    parameters = [(name, dtype, "element", written, dtype) for name, written in names.items()]
    return _core._Program("named", operation, parameters, **options)


def included(source):
    """Return the headers of kernels/ that the CUDA compiler reads for a source."""
    names, found = INCLUDES.findall(source), set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            text = (ROOT / "kernels" / name).read_text()
            names += INCLUDES.findall(HOST_ONLY.sub("", text))
    return found


def calls(rows, dtype):
    """Return the text that calls the functors of rows of ops.def."""
    text = ""
    for name, arity, *_ in rows:
        functor = f"gpuarray::{name}_functor<{CTYPES[dtype]}>"
        given = [f"{functor}::first{{}}"] + [f"{CTYPES[dtype]}{{}}"] * (arity - 1)
        text += f"{functor}::apply({', '.join(given)});"
    return text


@needs_nvrtc
@pytest.mark.parametrize("dtype", CTYPES)
def test_functors_come_with_what_they_need(dtype):
    rows = [row for row in _core.op_table() if dtype in row[3]]
    assert rows
    operation = f"z = x; {calls(rows, dtype)}"
    image = _core._compile_cubin(program(operation, dtype).source("cuda"), 9, 0)
    assert b".text.gpuarray_kernel\0" in image


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32"])
@pytest.mark.parametrize("op", ["add", "maximum", "negative", "where", "sqrt", "i0", "floor"])
def test_a_functor_alone_comes_with_what_it_needs(op, dtype):
    rows = [row for row in _core.op_table() if row[0] == op and dtype in row[3]]
    operation = f"z = x; {calls(rows, dtype)}"
    image = _core._compile_cubin(program(operation, dtype).source("cuda"), 9, 0)
    assert b".text.gpuarray_kernel\0" in image


def test_sources_include_what_they_use():
    axpy = program("z = 2 * x + y;")
    simple = included(axpy.source("cuda"))
    assert "elementwise/flat.cuh" in simple
    assert not {name for name in simple if "math" in name or "rows" in name or "tile" in name}
    assert "element/math.cuh" in included(program("z = x + y;", "complex64").source("cuda"))
    rows = included(axpy.source("cuda", dims=2))
    assert {"elementwise/rows.cuh"} == {name for name in rows if "rows" in name}
    quotient = gpuarray.fuse(lambda x, y: x * y / y)._specialize((("array", "float32"),) * 2)
    functions = {name for name in included(quotient.source("cuda")) if "math" in name}
    assert functions == {"element/math_arithmetic.cuh"}


@pytest.mark.parametrize("text", ["z = math::sin(x);", "z = real(complex<float>(x));"])
def test_texts_may_name_functions(text):
    for name, named in {
        "operation": program(text),
        "preamble": program("z = f(x);", preamble=text),
        "include": program("", preamble='#include "own.h"\n'),
    }.items():
        assert "expression/operators.cuh" in included(named.source("cuda")), name


def test_many_large_functors_are_compiled_once():
    def function(x, count):
        for _ in range(count):
            x = gpuarray.sin(x) * x
        return x

    for count, rolled in ((7, "false"), (8, "true")):
        fused = gpuarray.fuse(lambda x, n=count: function(x, n))
        source = fused._specialize((("array", "float32"),)).source("cuda")
        assert f"ExpressionOperands<2, 1, false, {rolled}>" in source


@pytest.mark.parametrize("shape", [(4096,), (64, 33), (3, 1000)])
def test_one_element_for_all_and_an_element_each(device, shape):
    axpy = gpuarray.ElementwiseKernel("T x, T y, T a", "T z", "z = a * x + y", "axpy")
    x, y = np.arange(2.0 * np.prod(shape), dtype="float32").reshape(2, *shape)
    # Arrays that are not contiguous have a walk of their own.
    for arrange in (layouts.contiguous, layouts.strided):
        for other in (y.reshape(-1)[:1], y, y[..., :1], y.reshape(-1)[:1]):
            assert_same(axpy(arrange(x), gpuarray.to_device(other), 2), 2 * x + other)
