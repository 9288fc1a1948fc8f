# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Integers at their edges: zero divisors, wrap-around, wide shifts, signs and negative powers."""

import operator

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import INTEGERS, SIGNED
from _support.samples import special

import gpuarray

COMPARISONS = [
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


def grid(dtype):
    values = special(dtype)
    return values.reshape(-1, 1), values.reshape(1, -1)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_division_by_zero_gives_zero(device, name, dtype):
    x = gpuarray.to_device(special(dtype))
    result = getattr(gpuarray, name)(x, gpuarray.zeros(x.shape, dtype))
    assert_same(result, np.zeros(x.shape, dtype))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_reciprocal_of_zero_is_zero(device, dtype):
    x = gpuarray.to_device(np.array([0, 1, 2, 0], dtype))
    assert gpuarray.reciprocal(x).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_signs_of_quotient_and_remainder(device, dtype):
    x = gpuarray.to_device(np.array([7, -7, 7, -7, 6, -6], dtype))
    y = gpuarray.to_device(np.array([2, 2, -2, -2, -3, -3], dtype))
    assert (x // y).tolist() == [3, -4, -4, 3, -2, 2]
    assert (x % y).tolist() == [1, 1, -1, -1, 0, 0]
    assert gpuarray.fmod(x, y).tolist() == [1, -1, 1, -1, 0, 0]


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_smallest_number_by_minus_one(device, dtype):
    smallest = np.iinfo(dtype).min
    x = gpuarray.full(3, smallest, dtype)
    assert (x // -1).tolist() == [smallest] * 3
    assert (x % -1).tolist() == [0] * 3
    assert gpuarray.fmod(x, gpuarray.full(3, -1, dtype)).tolist() == [0] * 3
    assert (-x).tolist() == abs(x).tolist() == [smallest] * 3


@pytest.mark.parametrize("dtype", [np.int64, np.uint64], ids=np.dtype)
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_division_of_small_and_large_numbers(device, name, dtype):
    """The magnitude of numbers, of which long arrays hold stretches, does not matter."""
    random, least = np.random.default_rng(7), np.iinfo(dtype).min
    bits = random.integers(0, 64, 600)
    x = np.concatenate([(random.integers(0, 2**63, 600) >> most) for most in (13, 14, 40, bits)])
    x = np.concatenate([x, -x, x // 7 * 7, [0, 2**63 - 1]]).astype(dtype)
    x[-1] = least
    y = random.permutation(x)
    call, expected = getattr(gpuarray, name), getattr(np, name)
    on_device, divisors = gpuarray.to_device(x), [1, 7, 10**6, 2**50 - 1, 2**50, 2**50 + 1, 2**62]
    divisors += [] if dtype is np.uint64 else [-1, -10, -(2**50), -(2**62), least]
    with np.errstate(divide="ignore", over="ignore"):
        assert_same(call(on_device, gpuarray.to_device(y)), expected(x, y))
        for divisor in divisors:
            assert_same(call(on_device, divisor), expected(x, dtype(divisor)))
            assert_same(call(divisor, on_device), expected(dtype(divisor), x))


@pytest.mark.parametrize("dtype", [bool, *INTEGERS], ids=np.dtype)
@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_integers_are_finite(device, name, dtype):
    x = np.arange(5000).reshape(50, 100).astype(dtype)
    on_device = gpuarray.to_device(x)
    for view in (np.s_[:], np.s_[::2, ::-3], np.s_[3, 3]):
        assert_same(getattr(gpuarray, name)(on_device[view]), getattr(np, name)(x[view]))
    out = gpuarray.ones((100, 50), "int32").T
    getattr(gpuarray, name)(on_device, out=out)
    assert out.sum().item() == (x.size if name == "isfinite" else 0)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_overflow_wraps_around(device, name, dtype):
    x, y = grid(dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
    got = getattr(gpuarray, name)(gpuarray.to_device(x), gpuarray.to_device(y))
    assert_same(got, expected)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shifts_within_and_beyond_the_width(device, dtype):
    width = 8 * dtype.itemsize
    x = special(dtype).reshape(-1, 1)
    counts = [count for count in (0, 1, width - 1, width, width + 1) if count < 2**7]
    by = np.array([*counts, min(127, np.iinfo(dtype).max)], dtype).reshape(1, -1)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(by)
    assert_same(gx << gy, x << by)
    assert_same(gx >> gy, x >> by)
    beyond = np.where(x < 0, -1, 0).astype(dtype)
    assert_same(gx >> np.iinfo(dtype).max, beyond)
    assert_same(gx << np.iinfo(dtype).max, np.zeros_like(x))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shifts_by_one_count(device, dtype):
    x = np.arange(-131, 132).astype(dtype)
    gx = gpuarray.to_device(x)
    for count in range(8 * dtype.itemsize):
        assert_same(gx << count, x << dtype.type(count))
        assert_same(gx >> count, x >> dtype.type(count))
        changed = gx.copy()
        changed[1:] >>= count
        assert_same(changed[1:], x[1:] >> dtype.type(count))


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_negative_shift_is_a_shift_beyond_the_width(device, dtype):
    x = special(dtype)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(np.full(x.shape, -1, dtype))
    assert_same(gx << gy, np.zeros_like(x))
    assert_same(gx >> gy, np.where(x < 0, -1, 0).astype(dtype))


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_negative_exponents_are_refused(device, dtype):
    x = gpuarray.full(3, 2, dtype)
    y = gpuarray.to_device(np.array([1, -1, 2], dtype))
    target = x.copy()
    for call in (
        lambda: x**y,
        lambda: x**-1,
        lambda: 2**y,
        lambda: x ** dtype.type(-2),
        lambda: gpuarray.power(x, y, out=target),
        lambda: target.__ipow__(y),
        lambda: gpuarray.ones((), dtype) ** y[1:2],
    ):
        with pytest.raises(ValueError, match="Integers to negative integer powers"):
            call()
    assert target.tolist() == [2, 2, 2]
    assert (x ** y[:0].reshape(0, 1)).shape == (0, 3)
    assert (x.astype(np.float64) ** y).tolist() == [2.0, 0.5, 4.0]


@pytest.mark.parametrize("shape", [(3,), (0, 3), (0,), ()])
def test_a_number_that_does_not_fit_is_refused_whatever_the_size(device, shape):
    host = np.zeros(shape, np.uint8)
    x = gpuarray.to_device(host)
    calls = [lambda a: a + -3, lambda a: 300 * a, lambda a: a // -3, lambda a: a.T - 256]
    calls += [lambda a: np.fmod(a, -3), lambda a: np.add(a, -1), lambda a: a + 255]
    calls += [lambda a: a < -3, lambda a: a == 300, lambda a: a[..., None] * -1]
    for call in calls:
        try:
            expected = call(host)
        except OverflowError:
            with pytest.raises(OverflowError):
                call(x)
        else:
            assert_same(call(x), np.asarray(expected))


def test_negative_exponent_for_unsigned_integers(device):
    x = gpuarray.full(3, 2, np.uint8)
    with pytest.raises(OverflowError, match="-1 out of bounds for uint8"):
        x**-1
    with pytest.raises(ValueError, match="negative integer powers"):
        x ** gpuarray.full(3, -1, np.int8)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_powers_wrap_around(device, dtype):
    base = special(dtype).reshape(-1, 1)
    exponent = np.array([0, 1, 2, 3, 7, 8, 63, 64, 100], dtype).reshape(1, -1)
    assert_same(gpuarray.to_device(base) ** gpuarray.to_device(exponent), base**exponent)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_gcd_and_lcm(device, dtype):
    x, y = grid(dtype)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    assert_same(gpuarray.gcd(gx, gy), np.gcd(x, y))
    with np.errstate(all="ignore"):
        assert_same(gpuarray.lcm(gx, gy), np.lcm(x, y))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_all_bytes_divided_by_each_number(device, name, dtype):
    limits = np.iinfo(dtype)
    host = np.arange(limits.min, limits.max + 1).astype(dtype)
    x = gpuarray.to_device(host)
    with np.errstate(all="ignore"):
        for number in range(limits.min, limits.max + 1):
            expected = getattr(np, name)(host, np.array(number, dtype))
            assert_same(getattr(gpuarray, name)(x, number), expected)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "divmod"])
def test_one_divisor_for_all_elements(device, name, dtype):
    """Divisors near powers of two and near the largest, by their multiples and what is beside."""
    limits, bits = np.iinfo(dtype), 8 * dtype.itemsize
    near = {1 << k for k in range(bits)} | {limits.max // k for k in (1, 2, 3, 5, 7)}
    near |= {3, 5, 7, 10, 100, 641, 6700417} | {limits.max // 257, limits.max // 65537}
    divisors = {d + step for d in near for step in (-1, 0, 1)}
    divisors = {sign * d for d in divisors for sign in (1, -1)} - {0}
    call, expected = getattr(gpuarray, name), getattr(np, name)
    random = np.random.default_rng(3)
    usual = random.integers(limits.min, limits.max, 70, dtype=dtype, endpoint=True)
    edges = [limits.min, limits.min + 1, limits.max - 1, limits.max, 0, 1]
    for divisor in sorted(d for d in divisors if limits.min <= d <= limits.max):
        count = min(limits.max // abs(divisor), 2**40)
        multiples = random.integers(0, count, 12, endpoint=True).astype(object) * divisor
        beside = [int(n) + step for n in multiples for step in (-1, 0, 1)]
        kept = [n for n in beside if limits.min <= n <= limits.max]
        host = np.concatenate([usual, np.array(edges + kept, dtype)])
        x, one = gpuarray.to_device(host), np.array(divisor, dtype)
        with np.errstate(all="ignore"):
            wanted = np.atleast_2d(expected(host, one))
            for number in (one[()], gpuarray.to_device(one)):
                got = call(x, number)
                for part, other in zip(got if name == "divmod" else [got], wanted, strict=True):
                    assert_same(part, other)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("size", [1, 2, 63, 64, 255])
def test_products_of_bytes(device, dtype, size):
    host = np.arange(-128, 128).astype(dtype)[:size]
    x, others = gpuarray.to_device(host), host[::-1].copy()
    with np.errstate(all="ignore"):
        assert_same(x * gpuarray.to_device(others), host * others)
        for number in host:
            assert_same(x * number, host * number)
            assert_same(number * x[1:], number * host[1:])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_true_division_is_in_float64(device, dtype):
    x, y = grid(dtype)
    with np.errstate(all="ignore"):
        expected = np.true_divide(x, y)
    got = gpuarray.to_device(x) / gpuarray.to_device(y)
    assert got.dtype == np.float64
    assert_same(got, expected)


def test_bool_arithmetic_is_logic(device):
    x = np.array([False, False, True, True])
    y = np.array([False, True, False, True])
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    assert (gx + gy).tolist() == (x | y).tolist()
    assert (gx * gy).tolist() == (x & y).tolist()
    assert (~gx).tolist() == (~x).tolist()
    assert (gx / gy).dtype == np.float64
    assert (gx // gy).dtype == (x // np.array(True)).dtype == np.int8
    assert (gx << gy).dtype == np.int8


@pytest.mark.parametrize("call", ["x - x", "-x", "+x", "gpuarray.sign(x)"])
def test_bool_has_no_signs(device, call):
    with pytest.raises(TypeError, match="bool"):
        eval(call, {"x": gpuarray.ones(2, bool), "gpuarray": gpuarray})


@pytest.mark.parametrize("number", [np.int64(-1), np.int8(-1), np.int64(5), np.int64(2**62)])
@pytest.mark.parametrize("op", COMPARISONS, ids=lambda op: op.__name__)
def test_signed_number_against_unsigned_64_bits(device, op, number):
    unsigned = np.array([0, 4, 5, 6, 2**62, 2**64 - 1], np.uint64)
    given = gpuarray.to_device(unsigned, device=device)
    assert_same(op(number, given), op(number, unsigned))
    assert_same(op(given, number), op(unsigned, number))


@pytest.mark.parametrize("exponent", ["int8", "int16", "int64"])
@pytest.mark.parametrize("base", ["uint8", "int32", "int64"])
def test_powers_of_nothing_take_any_exponent(device, base, exponent):
    host = np.zeros((0, 3), base)
    x = gpuarray.to_device(host)
    weak = [] if base == "uint8" else [-1]
    for number in (*weak, np.dtype(exponent).type(-1), np.full(3, -1, exponent)):
        power = gpuarray.to_device(number) if isinstance(number, np.ndarray) else number
        for made in (x**power, gpuarray.power(x, power)):
            assert made.shape == (0, 3)
            assert made.dtype == (host**number).dtype
    assert gpuarray.power(x, x, out=x) is x
    whole = gpuarray.ones(3, base)
    with pytest.raises(ValueError, match="negative integer powers"):
        whole ** gpuarray.full(3, -1, exponent)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int32", "int64", "uint64"])
def test_powers_of_one_base(device, dtype):
    """Exponents beyond the width of the dtype wrap the power, or make it 0."""
    highest = min(np.iinfo(dtype).max, 300)
    exponents = np.random.default_rng(3).integers(0, highest, 500, endpoint=True).astype(dtype)
    y = gpuarray.to_device(exponents)
    for base in (0, 1, 2, 3, 7, *((-1, -3) if np.dtype(dtype).kind == "i" else ())):
        for part in (slice(None), slice(100), slice(None, None, 2)):
            assert_same(base ** y[part], base ** exponents[part])
        assert_same(gpuarray.power(np.dtype(dtype).type(base), y), base**exponents)
