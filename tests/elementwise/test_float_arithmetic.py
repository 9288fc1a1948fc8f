# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Real floating numbers at their edges: signed zeros, infinities, NaN, subnormals, rounding."""

import numpy as np
import pytest
from _support import words
from _support.compare import assert_close, assert_same
from _support.dtypes import BFLOAT16, FLOATS
from _support.samples import special
from _support.tables import BY_NAME

import gpuarray

NATIVE = [np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)]

# The functions that the cpu device computes by code of its own, to 2 units in the last place.
OWN_ON_CPU = words(
    "exp exp2 expm1 log log2 log10 log1p sinh cosh tanh arcsinh arccosh arctanh cbrt"
)


def random_bits(dtype, count, seed):
    """Any number of the dtype alike: all exponents, subnormals, infinities and NaN."""
    words = np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)
    return words.astype(f"u{np.dtype(dtype).itemsize}").view(dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "name",
    words(
        "add subtract multiply divide less equal maximum floor_divide remainder fmod "
        "copysign nextafter heaviside"
    ),
)
def test_random_bit_patterns(device, name, dtype):
    op = BY_NAME[name]
    x, y = random_bits(dtype, 20000, 1), random_bits(dtype, 20000, 2)
    got = op.gpu(gpuarray.to_device(x), gpuarray.to_device(y))
    assert_same(got, op.numpy(x, y), signed_zero=name != "maximum")


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
@pytest.mark.parametrize("name", words("exp log2 cbrt sin arccos tanh arctanh i0"))
def test_halves_do_not_depend_on_the_size_of_the_array(device, name, dtype):
    """All numbers at once give what short arrays of them do."""
    x = gpuarray.to_device(np.arange(2**16).astype(np.uint16).view(dtype))
    call = getattr(gpuarray, name)
    short = [call(x[begin : begin + 1024]) for begin in range(0, x.size, 1024)]
    assert_same(call(x), gpuarray.concatenate(short).get())


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", words("floor ceil trunc rint sqrt absolute negative sign"))
def test_random_bit_patterns_of_one_operand(device, name, dtype):
    op = BY_NAME[name]
    x = random_bits(dtype, 20000, 3)
    assert_same(op.gpu(gpuarray.to_device(x)), op.numpy(x))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "name",
    words(
        "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
        "arcsinh arccosh arctanh cbrt degrees radians"
    ),
)
def test_random_bit_patterns_of_functions(device, name, dtype):
    op = BY_NAME[name]
    x = random_bits(dtype, 20000, 4)
    if name in ("sin", "cos", "tan"):  # beyond, the reference itself is less certain
        with np.errstate(invalid="ignore"):
            x = x[np.abs(x.astype(np.float64)) < 1e15]
    ulps = 2 if device == "cpu" and name in OWN_ON_CPU else 4
    assert_close(op.gpu(gpuarray.to_device(x)), op.precise(dtype, x), dtype, ulps=ulps)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_few_huge_angles_among_many(device, name, dtype):
    op = BY_NAME[name]
    x = (np.arange(3000) * 0.37).astype(dtype)
    x[1::997] = (1e9 if np.dtype(dtype) != np.float16 else 6e4) + np.arange(1, 3000, 997)
    a = gpuarray.to_device(x)
    got = op.gpu(a)
    assert_close(got, op.precise(dtype, x), dtype, ulps=4)
    assert_same(op.gpu(a[::-3]), got.get()[::-3])
    op.gpu(a, out=a)
    assert_same(a, got.get())


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
def test_power_at_special_values(device, dtype):
    values = special(dtype)
    x, y = values.reshape(-1, 1), values.reshape(1, -1)
    got = gpuarray.to_device(x) ** gpuarray.to_device(y)
    ulps = 1 if device == "cpu" else 4
    assert_close(got, BY_NAME["power"].precise(dtype, x, y), dtype, ulps=ulps)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("spread", [1e-3, 0.4, 40, 300], ids=str)
def test_powers_near_the_ends_of_the_range(device, dtype, spread):
    """An error of the logarithm counts as often as the exponent is large."""
    rng, count = np.random.default_rng(7), 3000
    spread = min(spread, 80) if dtype == "float32" else spread
    x = np.exp(rng.uniform(-spread, spread, count)).astype(dtype)
    x[x == 1] = 2
    most = 0.99 * np.log(np.finfo(dtype).max)
    y = (rng.uniform(-most, most, count) / np.log(x)).astype(dtype)
    x[-100::9], y[-100::9] = 1, np.finfo(dtype).max / 2
    ulps = 1 if device == "cpu" else 4
    got = gpuarray.to_device(x) ** gpuarray.to_device(y)
    assert_close(got, BY_NAME["power"].precise(dtype, x, y), dtype, ulps=ulps)
    largest = x[:-100].max()
    exponent = np.dtype(dtype).type(most / np.log(largest))
    x = x[(x <= largest) & (x >= 1 / largest)]
    got = gpuarray.to_device(x) ** exponent
    assert_close(got, BY_NAME["power"].precise(dtype, x, exponent), dtype, ulps=ulps)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_bits_do_not_depend_on_the_layout(device, dtype):
    x = np.random.default_rng(5).uniform(0.5, 4, 300).astype(dtype)
    apart = gpuarray.to_device(np.repeat(x, 2))[::2]
    for name in OWN_ON_CPU:
        op = BY_NAME[name]
        together = op.gpu(gpuarray.to_device(x)).get()
        assert_same(op.gpu(apart), together, what=name)
        single = [op.gpu(gpuarray.to_device(x[i : i + 1])).get()[0] for i in range(0, 300, 37)]
        assert_same(np.array(single, dtype), together[::37], what=name)


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
@pytest.mark.parametrize("exponent", [2, -1, 0.5, 0, 1, 3, 2.0, -2], ids=str)
def test_powers_by_python_numbers(device, dtype, exponent):
    x = special(dtype)
    with np.errstate(all="ignore"):
        expected = x**exponent
    got = gpuarray.to_device(x) ** exponent
    reference = expected.astype(np.longdouble)
    assert_close(got, reference, expected.dtype, ulps=4)


def test_division_by_signed_zero(device):
    x = gpuarray.to_device(np.array([1.0, -1.0, 0.0, np.nan], np.float32))
    assert (x / 0.0).tolist()[:2] == [np.inf, -np.inf]
    assert (x / -0.0).tolist()[:2] == [-np.inf, np.inf]
    assert np.isnan((x / 0.0).tolist()[2:]).all()


def test_floor_division_of_floats(device):
    x = np.array([7.5, -7.5, 7.5, -7.5, 1.0, -1.0, 0.0, -0.0, np.inf, 1.0])
    y = np.array([2.0, 2.0, -2.0, -2.0, np.inf, np.inf, 3.0, 3.0, 2.0, 0.1])
    with np.errstate(all="ignore"):
        quotient, remainder = np.divmod(x, y)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    assert_same(gx // gy, quotient)
    assert_same(gx % gy, remainder)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_subnormals_are_kept(device, dtype):
    tiny = special(dtype)[-2:]
    x = gpuarray.to_device(tiny)
    assert_same(x + x, BY_NAME["add"].numpy(tiny, tiny))
    assert (x + x).astype(np.float64).tolist() == [2 * float(tiny[0]), 2 * float(tiny[1])]
    assert (x != 0).tolist() == [True, True]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_compares_unequal_to_all(device, dtype):
    values = special(dtype)
    x, nan = gpuarray.to_device(values), gpuarray.full(values.shape, np.nan, dtype)
    for result in (x == nan, x < nan, x <= nan, x > nan, x >= nan):
        assert not result.get().any()
    assert (x != nan).get().all()


def test_float32_products_are_not_fused(device):
    """a * b + c as two operations rounds twice, on any device."""
    a = np.float32(1 + 2**-12)
    x = gpuarray.to_device(np.full(1000, a))
    got = (x * x - (a * a)).get()
    assert not got.any()


def test_complex_products_match_the_definition(device):
    """Whole numbers, for which each of the four products and both sums are exact."""
    random = np.random.default_rng(0)
    parts = random.integers(-1000, 1000, (4, 5000)).astype(np.float64)
    x, y = parts[0] + 1j * parts[1], parts[2] + 1j * parts[3]
    for dtype in (np.complex64, np.complex128):
        gx, gy = gpuarray.to_device(x.astype(dtype)), gpuarray.to_device(y.astype(dtype))
        assert_same(gx * gy, x.astype(dtype) * y.astype(dtype))


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16], ids=str)
def test_halves_round_after_each_operation(device, dtype):
    one = np.ones(1, dtype)
    tiny = np.array([2.0**-12], dtype)
    x, y = gpuarray.to_device(one), gpuarray.to_device(tiny)
    assert_same((x + y) - x, np.zeros(1, dtype))
