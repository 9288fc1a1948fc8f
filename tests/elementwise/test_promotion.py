# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Result dtypes: NumPy's promotion, weak Python scalars, typed NumPy scalars (NEP 50)."""

import operator

import numpy as np
import pytest
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, PAIRS, kind, promote
from _support.samples import ordinary
from _support.tables import IN_PLACE

import gpuarray

PYTHON_SCALARS = [True, 1, 2.5, 1 + 2j]
OPERATORS = [operator.add, operator.mul, operator.truediv, operator.lt, operator.pow]


def stand_in(dtype):
    """A dtype that NumPy knows and that promotes with scalars as this one does."""
    return np.dtype(np.float16) if dtype == BFLOAT16 else dtype


def back(dtype, original):
    return BFLOAT16 if original == BFLOAT16 and dtype == np.float16 else dtype


def test_sum_of_every_pair_has_the_promoted_dtype(device):
    for a, b in PAIRS:
        got = gpuarray.ones(2, a) + gpuarray.ones(2, b)
        assert got.dtype == promote(a, b), f"{a} + {b}"
        assert (gpuarray.ones((), a) + gpuarray.ones(2, b)).dtype == got.dtype, "0-d arrays count"


@pytest.mark.parametrize("scalar", PYTHON_SCALARS, ids=repr)
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_python_scalars_are_weak(device, op, scalar):
    cases = Collector()
    for dtype in DTYPES:
        x = ordinary(stand_in(dtype), (4,))
        for flipped in (False, True):
            cases.check(f"{dtype} {flipped}", check_weak, op, x, dtype, scalar, flipped)
    cases.finish()


def check_weak(op, x, dtype, scalar, flipped):
    if op is operator.pow:
        x = np.abs(x).astype(x.dtype)  # negative exponents: test_integer_arithmetic

    def apply(array):
        return op(scalar, array) if flipped else op(array, scalar)

    with np.errstate(all="ignore"):
        expected = apply(x)
    got = apply(gpuarray.to_device(x).astype(dtype))
    assert got.dtype == back(expected.dtype, dtype)
    rtol = 0.05 if dtype == BFLOAT16 or expected.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(
        got.get().astype(complex), expected.astype(complex), rtol=rtol, equal_nan=True
    )


@pytest.mark.parametrize("flipped", [False, True])
def test_numpy_scalars_have_their_dtype(device, flipped):
    for a, b in PAIRS:
        scalar = np.ones((), b)[()]
        x = gpuarray.ones(3, a)
        got = scalar + x if flipped else x + scalar
        assert isinstance(got, gpuarray.GPUArray)
        assert got.dtype == promote(a, b), f"{a} and scalar {b}"


def test_numpy_zero_dimensional_arrays_are_typed_scalars(device):
    x = gpuarray.ones(3, np.float32)
    got = x * np.array(2.0)
    assert got.dtype == np.float64
    assert got.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("dtype", [d for d in DTYPES if kind(d) in "iu"], ids=str)
def test_python_integers_must_fit(device, dtype):
    info = np.iinfo(dtype)
    x = gpuarray.ones(2, dtype)
    assert (x * info.max).tolist() == [info.max] * 2
    for value in (info.max + 1, info.min - 1):
        for op in (operator.add, operator.mul, operator.floordiv, operator.and_):
            with pytest.raises(OverflowError, match="out of bounds"):
                op(x, value)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if kind(d) in "iu"], ids=str)
def test_comparison_with_python_integers_of_any_size(device, dtype):
    """NumPy 2 compares exactly, even with integers that the dtype cannot hold."""
    info = np.iinfo(dtype)
    host = np.array([info.min, 0, 1, info.max], dtype)
    x = gpuarray.to_device(host)
    for value in (info.max, info.min, info.max + 1, info.min - 1, 2**64, -(2**63) - 1, 10**30):
        for op in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
            assert_same(op(x, value), op(host, value), what=f"{op.__name__} {value}")
            assert_same(op(value, x), op(value, host), what=f"{value} {op.__name__}")


def test_comparison_of_int64_with_uint64_is_exact(device):
    signed = np.array([-1, 0, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)], np.int64).reshape(-1, 1)
    unsigned = np.array([0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    x, y = gpuarray.to_device(signed), gpuarray.to_device(unsigned)
    for op in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        assert_same(op(x, y), op(signed, unsigned), what=op.__name__)
        assert_same(op(y, x), op(unsigned, signed), what=op.__name__)
    assert_same(x == np.uint64(2**63 - 1), signed == np.uint64(2**63 - 1))


def test_comparison_with_floats_is_in_the_promoted_dtype(device):
    host = np.array([2**53, 2**53 + 1], np.int64)
    x = gpuarray.to_device(host)
    assert_same(x == 2.0**53, host == 2.0**53)
    half = gpuarray.to_device(np.array([0.1], np.float16))
    assert (half == 0.1).tolist() == [True]
    assert (half == np.float64(0.1)).tolist() == [False]


def test_python_floats_beyond_the_dtype_become_infinite(device):
    x = gpuarray.ones(2, np.float16)
    with np.errstate(over="ignore"):
        assert (x + 1e6).tolist() == (np.ones(2, np.float16) + 1e6).tolist() == [np.inf, np.inf]


def test_python_float_with_an_integer_array_gives_float64(device):
    for dtype in (np.int8, np.uint64, bool):
        assert (gpuarray.ones(2, dtype) * 0.5).dtype == np.float64
    assert (gpuarray.ones(2, np.float32) * 0.1).dtype == np.float32
    assert (gpuarray.ones(2, np.float32) * 1j).dtype == np.complex64
    assert (gpuarray.ones(2, np.int32) * 1j).dtype == np.complex128


@pytest.mark.parametrize("name", IN_PLACE)
def test_reflected_operators(device, name):
    symbol = getattr(operator, IN_PLACE[name].__name__[1:].rstrip("_"), None)
    symbol = symbol or getattr(operator, IN_PLACE[name].__name__[1:] + "_")
    host = np.array([1, 2, 3, 5], np.int32)
    got = symbol(7, gpuarray.to_device(host))
    assert_same(got, symbol(7, host))


def test_two_scalars_go_through_functions(device):
    got = gpuarray.add(2, 3)
    assert got.shape == ()
    assert got.item() == 5
    assert str(got.device) == device


@pytest.mark.parametrize(
    "other", ["text", None, [1, 2], {}, object()], ids=lambda v: type(v).__name__
)
def test_other_operands_are_refused(device, other):
    x = gpuarray.ones(2)
    with pytest.raises(TypeError):
        x + other
    with pytest.raises(TypeError):
        other - x


def test_other_types_may_answer_an_operator(device):
    class Other:
        def __radd__(self, array):
            return ("added", array)

    x = gpuarray.ones(2)
    assert (x + Other())[0] == "added"


def test_equality_with_other_types_is_pythons(device):
    x = gpuarray.ones(2)
    assert (x == "text") is False
    assert (x != "text") is True
