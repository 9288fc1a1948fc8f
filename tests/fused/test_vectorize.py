# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of numbers as operations on arrays, traced or compiled by Numba."""

import importlib
import os
import sys

import numpy as np
import pytest
from _support.compare import assert_same
from _support.device_code import needs_linker, needs_nvrtc
from _support.process import run_python

import gpuarray


def escape(x, y, limit):
    """Steps until z * z + c leaves the disc: a loop and a condition, which are not traced."""
    re, im = x, y
    for step in range(int(limit)):
        if re * re + im * im > 4.0:
            return step
        re, im = re * re - im * im + x, 2.0 * re * im + y
    return int(limit)


def test_a_function_is_declared_first():
    """What traces it is imported then."""
    code = """
    import gpuarray
    def scaled(x, factor):
        return gpuarray.exp(x) * factor
    print(gpuarray.declare_device(scaled, "float32(float32, float32)"))
    """
    assert "scaled" in run_python(code, GPUARRAY_DEVICE="cpu")


def needs_numba(*modules):
    """Skips where Numba is missing, or does not fit this NumPy."""
    try:
        for module in modules:
            importlib.import_module(module)
        if "numba.cuda" in modules:
            numba = importlib.import_module("numba")
            numba.cuda.compile(lambda x: x, (numba.int32,), device=True, cc=(9, 0))
    except Exception as error:
        pytest.skip(f"Numba: {error}")


def test_traced(device):
    @gpuarray.vectorize
    def f(x, y):
        """x y + 1."""
        return x * y + 1

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.arange(3, dtype=np.int16)
    assert_same(f(gpuarray.to_device(x), gpuarray.to_device(y)), x * y + 1)
    assert_same(f(gpuarray.to_device(x), 2), x * 2 + 1)
    assert f.__doc__ == "x y + 1."
    assert "multiply_functor" in f.source


def test_numbers_do_not_change(device):
    @gpuarray.vectorize
    def increment(x, y):
        x += y
        x *= 2
        return x

    a, b = gpuarray.arange(3, dtype="int32"), gpuarray.ones((2, 3), "float32")
    assert_same(increment(a, b), (np.arange(3, dtype=np.int32) + np.ones((2, 3), np.float32)) * 2)
    assert a.tolist() == [0, 1, 2]


def test_numbers_do_not_change_where_no_kernel_is_made(device, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)

    @gpuarray.vectorize
    def scaled_by_product(x, s, t):
        x *= s * t  # of Python's integers, which is left to Python
        return x

    a = gpuarray.ones(3)
    with pytest.raises(TypeError, match="left to Python"):
        scaled_by_product(a, 2, 3)
    assert a.tolist() == [1, 1, 1]
    assert scaled_by_product(2, 2, 3) == 12


def test_numbers_do_not_change_without_a_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/c++")
    a = gpuarray.ones(3, device="cpu")

    @gpuarray.vectorize
    def increment(x):
        x += 1
        return x

    with pytest.raises(ValueError, match="read-only"):
        increment(a)
    assert a.tolist() == [1, 1, 1]
    assert gpuarray.vectorize(lambda x: x + 1)(a).tolist() == [2, 2, 2]


def test_each_signature_has_its_own_reason(device, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    f = gpuarray.vectorize(lambda x: x if x > 0 else -x)
    assert f(-3) == 3
    with pytest.raises(TypeError, match="condition"):
        f(gpuarray.ones(3))
    assert f(-3) == 3


def test_several_results_and_names(device):
    f = gpuarray.vectorize(kernel_name="both")(lambda x: (gpuarray.sin(x), np.cos(x)))
    x = gpuarray.linspace(0, 1, 7)
    sine, cosine = f(x, stream=gpuarray.current_stream())
    assert_same(sine, gpuarray.sin(x).get())
    assert_same(cosine, gpuarray.cos(x).get())


def test_without_numba_the_line_is_named(device, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    f = gpuarray.vectorize(lambda x: x if x > 0 else -x)
    with pytest.raises(gpuarray.errors.FusionError, match=r"line \d+ of .*condition.*numba"):
        f(gpuarray.ones(3))
    with pytest.raises(TypeError, match="expected a function, got str"):
        gpuarray.vectorize("x")


def expected_steps(x, y, limit):
    steps = [escape(a, b, limit) for a, b in np.broadcast(x, y)]
    return np.reshape(steps, np.broadcast(x, y).shape)


@pytest.mark.filterwarnings("ignore::Warning:numba")
def test_compiled_by_numba(device):
    needs_numba("numba", *(["numba.cuda"] if device != "cpu" else []))
    f = gpuarray.vectorize(escape)
    x, y = np.linspace(-2, 1, 40), np.linspace(-1, 1, 30)[:, None]
    steps = f(gpuarray.to_device(x), gpuarray.to_device(y), 50)
    assert steps.shape == (30, 40)
    assert_same(steps.astype("int64"), expected_steps(x, y, 50))
    assert steps.device == device


@pytest.mark.filterwarnings("ignore::Warning:numba")
def test_numba_says_what_it_cannot_compile(device):
    needs_numba("numba", *(["numba.cuda"] if device != "cpu" else []))
    f = gpuarray.vectorize(lambda x: eval("x") if x > 0 else x)
    with pytest.raises(Exception, match="eval"):
        f(gpuarray.ones(3))


def scaled(x, factor):
    return gpuarray.where(x > 0.5, gpuarray.exp(x), x**2 + 1) * factor * 2.5


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


KERNEL = 'extern "C" __global__ void apply(int* x) { x[threadIdx.x] = collatz(x[threadIdx.x]); }'


@needs_nvrtc
@needs_linker
def test_functions_of_python_are_device_functions():
    """Compiled and linked for an architecture, without a device."""
    function = gpuarray.declare_device(scaled, "float32(float32, float32)")
    assert function.signature == "float scaled(float, float)"
    text = function.declaration + (
        'extern "C" __global__ void apply(float* x) { *x = scaled(*x, 2.0f); }'
    )
    module = gpuarray.Module(text, link=[function], arch="sm_90")
    assert b"apply" in module.image
    text = 'extern "C" __global__ void apply(float* x) { *x = halved(*x); }'
    assert b"apply" in gpuarray.Module(text, link=[halved], arch="sm_90").image
    with pytest.raises(TypeError, match="functions of Python take and return numbers, not float"):
        gpuarray.declare_device(scaled, "float32(CPointer(float32), float32)")


@needs_nvrtc
@needs_linker
@pytest.mark.filterwarnings("ignore::Warning:numba")
def test_functions_of_numba_link():
    needs_numba("numba", "numba.cuda")
    function = gpuarray.declare_device(collatz, "int32(int32)")
    module = gpuarray.Module(function.declaration + KERNEL, link=[function], arch="sm_90")
    assert b"apply" in module.image


on_card = pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="needs device code")


@on_card
@pytest.mark.cuda
def test_functions_of_python_run(cuda):
    function = gpuarray.declare_device(scaled, "float32(float32, float32)")
    double = gpuarray.ElementwiseKernel(
        "float32 x", "float32 y", "y = scaled(x, 2.0f)", functions=[function]
    )
    x = gpuarray.linspace(0, 1, 100).astype("float32")
    np.testing.assert_allclose(double(x).get(), scaled(x, 2).get(), rtol=1e-6)


@on_card
@pytest.mark.cuda
def test_device_functions_in_fused_functions(cuda):
    function = gpuarray.declare_device(scaled, "float32(float32, float32)")
    x = gpuarray.linspace(0, 1, 100).astype("float32")
    expected = scaled(x, 3)
    fused = gpuarray.fuse(lambda x, n: function(x, n) + 1)
    np.testing.assert_allclose(fused(x, 3).get(), (expected + 1).get(), rtol=1e-6)
    total = gpuarray.fuse(lambda x: function(x, 3).sum())
    np.testing.assert_allclose(total(x).item(), expected.sum().item(), rtol=1e-5)


def halved(x: "float32") -> "float32":  # noqa: F821
    return x / 2


@on_card
@pytest.mark.cuda
def test_annotated_functions_where_device_functions_are_expected(cuda):
    x = gpuarray.arange(10, dtype="float32")
    half = gpuarray.ElementwiseKernel("float32 x", "float32 y", "y = halved(x)", functions=[halved])
    assert half(x).tolist() == (x / 2).tolist()
    total = gpuarray.ReductionKernel(
        "float32 x", "float32 y", "halved(x)", "a + b", "", 0, functions=halved
    )
    assert total(x).item() == 22.5


def test_functions_that_are_not_declared(device):
    function = gpuarray.declare_device("f", "float32(float32)", abi="c")
    with pytest.raises(TypeError, match="f: expected 1 arguments, got 2"):
        gpuarray.fuse(lambda x: function(x, x))(gpuarray.ones(3, "float32"))
    with pytest.raises(TypeError, match="f: a device function is called in kernels"):
        function(gpuarray.ones(3, "float32"))
    for functions in (scaled, [scaled]):
        with pytest.raises(TypeError, match="scaled: expected dtypes as annotations"):
            gpuarray.ElementwiseKernel("T x", "T y", "y = scaled(x, 2)", functions=functions)


@on_card
@pytest.mark.cuda
@pytest.mark.filterwarnings("ignore::Warning:numba")
def test_functions_of_numba_run(cuda):
    needs_numba("numba", "numba.cuda")
    function = gpuarray.declare_device(collatz, "int32(int32)")
    steps = gpuarray.ElementwiseKernel(
        "int32 x", "int32 steps", "steps = collatz(x)", functions=[function]
    )
    n = np.arange(1, 1000, dtype=np.int32)
    assert_same(steps(gpuarray.to_device(n)), np.array([collatz(int(k)) for k in n], np.int32))


@pytest.mark.parametrize("make", [gpuarray.vectorize, gpuarray.fuse])
def test_ufuncs_are_functions_of_their_operands(device, make):
    x = gpuarray.arange(1.0, 4.0)
    for function in (np.sin, gpuarray.sin, np.add, gpuarray.add, np.equal):
        expected = getattr(np, function.__name__)(*[x.get()] * function.nin)
        got = make(function)(*[x] * function.nin)
        np.testing.assert_allclose(got.get(), expected, rtol=1e-15)
    assert make(np.add)(x, 2).tolist() == [3, 4, 5]
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        make(np.add)(x)


@pytest.mark.parametrize(("value", "kind"), [("a", "str"), (None, "NoneType")])
def test_messages_advise_only_what_helps(device, value, kind):
    function = gpuarray.vectorize(lambda a: a + 1, kernel_name="plus_one")
    with pytest.raises(TypeError, match=f"plus_one: expected GPUArrays and scalars, got {kind}$"):
        function(value)
    for other in ([1.0], (1.0,), np.ones(2)):
        with pytest.raises(TypeError, match=r"plus_one: got .*convert with gpuarray.to_device"):
            function(other)
