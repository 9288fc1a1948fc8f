# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every binary operation of the table, on every pair of dtypes and layouts, against NumPy."""

import array
import collections
import operator

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_close, assert_same
from _support.dtypes import DTYPES, PAIRS, kind
from _support.samples import exponents, few, ordinary
from _support.tables import BINARY, BY_NAME, SYMBOLS, expected_or_error

import gpuarray

# Of two equal elements either may be the result, which shows in the sign of zero only.
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin"}
# Sums of logarithms cancel: their error is that of the larger operand.
CANCELLING = {"logaddexp", "logaddexp2"}


def operands_for(op, a, b):
    """A column and a row, so that every value of one meets every value of the other."""
    complex_rounding = "c" in (kind(a), kind(b)) and not op.is_exact(a, b)
    x = ordinary(a, (12,), seed=1) if complex_rounding else few(a)
    y = ordinary(b, (11,), seed=2) if complex_rounding else few(b)
    if op.name == "power" and {kind(a), kind(b)} <= set("biu"):
        y = exponents(b)
    if op.name == "power" and complex_rounding:
        y = y / 8 if kind(b) in "fc" else y % 4
        y = y.astype(b)
    return x.reshape(-1, 1), y.reshape(1, -1)


def check_result(op, got, expected, x, y, what):
    if op.is_exact(x.dtype, y.dtype):
        assert_same(got, expected, what=what, signed_zero=op.name not in EITHER_ZERO)
        return
    reference = op.precise(expected.dtype, x, y)
    scale = 0.0
    if op.name in CANCELLING:
        with np.errstate(invalid="ignore"):
            scale = np.maximum(np.abs(x.astype(np.float64)), np.abs(y.astype(np.float64)))
        scale = np.where(np.isfinite(scale), np.maximum(scale, 1), 1)
    ulps = 32 if kind(expected.dtype) == "c" else 4
    assert_close(got, reference, expected.dtype, ulps=ulps, what=what, scale=scale)


def check_pair(op, a, b):
    x, y = operands_for(op, a, b)
    expected = expected_or_error(op.numpy, x, y)
    if expected is TypeError:
        with pytest.raises(TypeError, match=r"dtype|loop|bool"):
            op.gpu(gpuarray.to_device(x), gpuarray.to_device(y))
        return
    broadcast = op.gpu(gpuarray.to_device(x), gpuarray.to_device(y))
    check_result(op, broadcast, expected, x, y, "broadcast")
    whole_x, whole_y = (np.ascontiguousarray(v) for v in np.broadcast_arrays(x, y))
    for first, second in layouts.TWO:
        got = op.gpu(first(whole_x), second(whole_y))
        check_result(op, got, expected, x, y, f"{first.__name__}, {second.__name__}")
    got = op.gpu(layouts.strided(whole_x), layouts.contiguous(y))
    check_result(op, got, expected, x, y, "strided, row")


@pytest.mark.parametrize("op", BINARY, ids=str)
def test_every_pair_of_dtypes_matches_numpy(device, op):
    cases = Collector()
    for a, b in PAIRS:
        cases.check(f"{a}, {b}", check_pair, op, a, b)
    cases.finish()


@pytest.mark.parametrize("op", [op for op in BINARY if op.name in SYMBOLS], ids=str)
def test_python_operator_is_the_function(device, op):
    cases = Collector()
    for a, b in PAIRS:
        cases.check(f"{a}, {b}", check_symbol, op, a, b)
    cases.finish()


def check_symbol(op, a, b):
    x, y = operands_for(op, a, b)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    if expected_or_error(op.numpy, x, y) is TypeError:
        with pytest.raises(TypeError):
            SYMBOLS[op.name](gx, gy)
        return
    assert_same(SYMBOLS[op.name](gx, gy), op.gpu(gx, gy).get())


@pytest.mark.parametrize("op", BINARY, ids=str)
def test_commonest_loops_over_many_elements(device, op):
    """Long enough for the vectorised loop, its tail, and several blocks."""
    for size in (1, 3, 4, 31, 1023, 70001):
        dtype = expected_dtype(op)
        x, y = ordinary(dtype, (size,), seed=3), ordinary(dtype, (size,), seed=4)
        if op.name == "power":
            x, y = np.abs(x), np.clip(y, -5, 5)
        got = op.gpu(gpuarray.to_device(x), gpuarray.to_device(y))
        check_result(op, got, op.numpy(x, y), x, y, f"{size} elements")


def expected_dtype(op):
    is_float = expected_or_error(op.numpy, np.ones(1, "f4"), np.ones(1, "f4")) is not TypeError
    return np.float32 if is_float else np.int32


@pytest.mark.parametrize("op", BINARY, ids=str)
@pytest.mark.parametrize(
    "shapes", [((), ()), ((0,), (1,)), ((3, 0), (1, 1)), ((), (2, 2)), ((4, 1, 2), (3, 1))], ids=str
)
def test_broadcast_shapes(device, op, shapes):
    dtype = expected_dtype(op)
    x, y = ordinary(dtype, shapes[0]), ordinary(dtype, shapes[1])
    if op.name == "power":
        x, y = np.abs(x), np.abs(y)
    got = op.gpu(gpuarray.to_device(x), gpuarray.to_device(y))
    assert isinstance(got, gpuarray.GPUArray)
    assert got.shape == np.broadcast_shapes(*shapes)
    assert got.dtype == op.numpy(x, y).dtype


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16"])
@pytest.mark.parametrize("name", ["add", "multiply", "less", "maximum"])
def test_zero_strides_through_several_axes(device, name, dtype):
    op = BY_NAME[name]
    x = ordinary(dtype, (5, 1, 7, 1))
    y = ordinary(dtype, (1, 4, 1, 3))
    got = op.gpu(gpuarray.to_device(x), gpuarray.to_device(y))
    check_result(op, got, op.numpy(x, y), x, y, name)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_divmod(device, dtype):
    x, y = few(dtype).reshape(-1, 1), few(dtype).reshape(1, -1)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    if kind(dtype) == "c":
        with pytest.raises(TypeError):
            divmod(gx, gy)
        return
    quotient, remainder = divmod(gx, gy)
    assert_same(quotient, BY_NAME["floor_divide"].numpy(x, y))
    assert_same(remainder, BY_NAME["remainder"].numpy(x, y))


def test_divmod_with_python_numbers(device):
    x = gpuarray.to_device(np.array([7, -7, 0], np.int32))
    quotient, remainder = divmod(x, 2)
    assert (quotient.tolist(), remainder.tolist()) == ([3, -4, 0], [1, 1, 0])
    assert quotient.dtype == remainder.dtype == np.int32
    quotient, remainder = divmod(20, x)
    assert (quotient.tolist(), remainder.tolist()) == ([2, -3, 0], [6, -1, 0])


def test_power_refuses_a_modulus(device):
    x = gpuarray.ones(3)
    with pytest.raises((TypeError, NotImplementedError)):
        pow(x, 2, 3)


SEQUENCES = {
    "list": lambda: [1, 2],
    "empty list": list,
    "nested list": lambda: [[1], [2]],
    "tuple": lambda: (1, 2),
    "str": lambda: "ab",
    "bytes": lambda: b"ab",
    "bytearray": lambda: bytearray(b"ab"),
    "range": lambda: range(2),
    "array": lambda: array.array("i", [1, 2]),
    "memoryview": lambda: memoryview(b"ab"),
    "deque": lambda: collections.deque([1, 2]),
}
SEQUENCE_OPERATORS = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "pow", "and_", "lshift", "matmul")
} | {name: getattr(operator, name) for name in ("iadd", "imul")}


@pytest.mark.parametrize("shape", [(), (2,)], ids=["0-d", "1-d"])
@pytest.mark.parametrize("name", SEQUENCES)
@pytest.mark.parametrize("symbol", [*SEQUENCE_OPERATORS, "divmod"])
def test_sequences_are_no_operands(device, shape, name, symbol):
    """Not repeated by an integer of no dimensions, nor joined with the bytes of the array."""
    function = SEQUENCE_OPERATORS.get(symbol, divmod)
    for dtype in ("int64", "float64"):
        a, sequence = gpuarray.full(shape, 2, dtype), SEQUENCES[name]()
        way_out = "" if isinstance(sequence, str | bytes) else ".*to_device"
        for operands in ((a, sequence), (sequence, a)):
            with pytest.raises(TypeError, match=f"{type(sequence).__name__}{way_out}"):
                function(*operands)
        assert a.tolist() == gpuarray.full(shape, 2, dtype).tolist()
        assert sequence == SEQUENCES[name]()


class Reflected:
    """A sequence with operators of its own, which come after those of arrays."""

    def __len__(self):
        return 2

    def __getitem__(self, at):
        return (1, 2)[at]

    def __rsub__(self, other):
        return "mine"


def test_operators_of_other_sequences_are_asked(device):
    assert gpuarray.ones(2) - Reflected() == "mine"
    with pytest.raises(TypeError):
        gpuarray.ones(2) + Reflected()
