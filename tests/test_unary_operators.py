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
        values = ordinary(np.float32, shape) if op.name != "invert" else ordinary(np.int32, shape)
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
