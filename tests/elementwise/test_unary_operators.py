# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every unary operation of the table, on every dtype and layout, against NumPy."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_close, assert_same
from _support.dtypes import BFLOAT16, DTYPES, kind
from _support.samples import ordinary, special
from _support.tables import SYMBOLS, UNARY, expected_or_error

import gpuarray

# NumPy's angle is a Python function that takes real numbers its own way.
PLAIN = [op for op in UNARY if op.name != "angle"]

# 1 / 0 of integers is undefined in C and in NumPy; here it is 0 (see test_integer_arithmetic).
UNDEFINED_AT_ZERO = {"reciprocal"}


INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def values_for(op, dtype):
    values = special(dtype)
    if op.name in UNDEFINED_AT_ZERO and kind(dtype) in "biu":
        values = values[values != 0]
    if kind(dtype) == "c" and not op.is_exact(dtype):
        values = ordinary(dtype, (40,))  # special values: test_complex_functions
    return values[: values.size // 2 * 2].reshape(2, -1)


def check_unary(op, function, x, values, what):
    expected = expected_or_error(op.numpy, values)
    if expected is TypeError:
        with pytest.raises(TypeError, match=r"dtype|loop|bool"):
            function(x)
    elif op.is_exact(values.dtype):
        assert_same(function(x), expected, what=what)
    else:
        reference = op.precise(expected.dtype, values)
        ulps = 32 if kind(values.dtype) == "c" else 4
        assert_close(function(x), reference, expected.dtype, ulps=ulps, what=what)


@pytest.mark.parametrize("op", PLAIN, ids=str)
def test_every_dtype_and_layout_matches_numpy(device, op):
    cases = Collector()
    for dtype in DTYPES:
        values = values_for(op, dtype)
        for layout in layouts.ALL:
            what = f"{dtype} {layout.__name__}"
            cases.check(what, check_unary, op, op.gpu, layout(values), values, what)
    cases.finish()


@pytest.mark.parametrize("op", [op for op in PLAIN if op.name in SYMBOLS], ids=str)
def test_python_operator_is_the_function(device, op):
    cases = Collector()
    for dtype in DTYPES:
        values = values_for(op, dtype)
        x = gpuarray.to_device(values)
        cases.check(str(dtype), check_unary, op, SYMBOLS[op.name], x, values, str(dtype))
    cases.finish()


@pytest.mark.parametrize("op", PLAIN, ids=str)
def test_zero_dimensions_and_no_elements(device, op):
    for shape in [(), (0,), (3, 0, 2), (1, 1)]:
        is_bitwise = op.name in ("invert", "bitwise_count")
        values = ordinary(np.int32 if is_bitwise else np.float32, shape)
        result = op.gpu(gpuarray.to_device(values))
        assert isinstance(result, gpuarray.GPUArray)
        assert result.shape == shape
        assert result.dtype == op.numpy(values).dtype


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_angle_of_complex_numbers(device, dtype):
    values = special(dtype)
    got = gpuarray.angle(gpuarray.to_device(values))
    reference = np.angle(values.astype(np.clongdouble))
    assert_close(got, reference, values.real.dtype, ulps=4)


def test_positive_is_a_copy(device):
    x = gpuarray.to_device(np.arange(4))
    y = +x
    y[0] = 100
    assert x.tolist() == [0, 1, 2, 3]


def test_float16_results_round_once_to_even(device):
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    got = gpuarray.sqrt(gpuarray.to_device(every))
    with np.errstate(invalid="ignore"):
        assert_same(got, np.sqrt(every.astype(np.float64)).astype(np.float16))


def test_bfloat16_results_round_once_to_even(device):
    every = np.arange(2**16, dtype=np.uint16).view(BFLOAT16)
    got = gpuarray.sqrt(gpuarray.to_device(every))
    with np.errstate(invalid="ignore"):
        assert_same(got, np.sqrt(every.astype(np.float64)).astype(BFLOAT16))


def test_frexp_gives_both_parts(device):
    values = special(np.float64)
    mantissa, exponent = gpuarray.frexp(gpuarray.to_device(values))
    expected = np.frexp(values)
    assert_same(mantissa, expected[0])
    finite = np.isfinite(values)
    assert_same(exponent.get()[finite], expected[1][finite])


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
def test_bitwise_count(device, dtype):
    info = np.iinfo(dtype if dtype != "bool" else "int8")
    host = np.array([0, 1, 2, 3, 100, info.max, info.max - 1, info.min, info.min + 1], dtype)
    made = gpuarray.bitwise_count(gpuarray.to_device(host))
    assert made.dtype == np.uint8
    np.testing.assert_array_equal(made.get(), np.bitwise_count(host))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64"])
@pytest.mark.parametrize("exponents", ["int8", "int32", "int64", "uint8", "bool"])
def test_ldexp_of_integers(device, dtype, exponents):
    host, powers = np.array([0, 1, 3, 100]).astype(dtype), np.array([1, 0, 7, 3]).astype(exponents)
    expected = np.ldexp(host, powers)
    made = gpuarray.ldexp(gpuarray.to_device(host), gpuarray.to_device(powers))
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(made.get(), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_ldexp(device, dtype):
    host = np.array([0.0, -0.0, 1.5, -1.75, 3e-5, 1e4, np.inf, -np.inf, np.nan])
    host = host.astype(BFLOAT16 if dtype == "bfloat16" else dtype)[:, None]
    powers = np.array([0, 1, -1, 20, -30, 257, -261, 1200, -1200, 2**31 - 1, -(2**31), 2**62])
    narrow = np.clip(powers, -(2**31), 2**31 - 1).astype(np.int32)
    with np.errstate(all="ignore"):
        expected = np.ldexp(host.astype(np.float64), narrow).astype(host.dtype)
    x = gpuarray.to_device(host)
    assert_same(gpuarray.ldexp(x, gpuarray.to_device(powers)), expected)
    assert gpuarray.ldexp(x, 3).dtype == host.dtype
    out = gpuarray.empty_like(x)
    assert gpuarray.ldexp(x, 1, out=out) is out
    assert_same(out, expected[:, 1:2])


@pytest.mark.parametrize(
    "scalar", [0, 255, -3, 70000, 2**40, True, 2.5, np.uint8(255), np.int32(3)]
)
@pytest.mark.parametrize("exponents", [[], [1, -2], 3], ids=str)
def test_ldexp_of_a_scalar(device, scalar, exponents):
    powers = np.array(exponents, np.int64)
    with np.errstate(all="ignore"):
        expected = np.ldexp(scalar, powers)
    assert_same(gpuarray.ldexp(scalar, gpuarray.to_device(powers)), expected)


@pytest.mark.parametrize("scalar", [1000, True, 2.5, np.float16(3), np.int8(3)])
@pytest.mark.parametrize("exponent", [10, True, np.int8(3)])
def test_ldexp_of_two_scalars(device, scalar, exponent):
    got, expected = gpuarray.ldexp(scalar, exponent), np.ldexp(scalar, exponent)
    assert (got.dtype, got.item()) == (expected.dtype, expected.item())


def test_ldexp_errors(device):
    x = gpuarray.ones(2)
    for exponents in (1.0, x, gpuarray.ones(2, "uint64"), gpuarray.ones(2, "bfloat16")):
        with pytest.raises(TypeError, match="ldexp: x2 must be integers"):
            gpuarray.ldexp(x, exponents)
    with pytest.raises(TypeError, match="ldexp: x1 must be real, got complex64"):
        gpuarray.ldexp(gpuarray.ones(2, "complex64"), 1)
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.ldexp(np.ones(2), 1)
    np.testing.assert_array_equal(np.ldexp(x, 1).get(), [2, 2])
    np.testing.assert_array_equal(gpuarray.ldexp(1.5, gpuarray.to_device([1, 2])).get(), [3, 6])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "bool"])
def test_i0(device, dtype):
    host = np.array([0, 1e-3, 0.5, 1, 3.75, 7.99, 8, 8.01, 11, 50, 80, 700, -2, -9, np.nan])
    host = (host if "float" in dtype else host[3:11]).astype(dtype)
    made = gpuarray.i0(gpuarray.to_device(host))
    with np.errstate(all="ignore"):
        expected = np.i0(host.astype(np.float64))
    assert made.dtype == (dtype if "float" in dtype else "float64")
    rtol = {"float16": 1e-3, "float32": 2e-7}.get(dtype, 3e-15)
    with np.errstate(over="ignore"):
        expected = expected.astype(made.dtype)
    np.testing.assert_allclose(made.get(), expected, rtol)
    assert gpuarray.i0(gpuarray.zeros(3, dtype)).tolist() == [1, 1, 1]


def test_bools_squared(device):
    host = np.array([True, False])
    x = gpuarray.to_device(host)
    for exponent in (2, 3, 0, np.int8(2), 2.0, True):
        made, expected = x**exponent, host**exponent
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)
    with pytest.raises(TypeError, match="int8"):
        x **= 2
    with pytest.raises(ValueError, match="negative integer powers"):
        x**-1
