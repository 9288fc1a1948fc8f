# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Powers of an exponent that serves all elements, however it is spelled."""

import operator

import numpy as np
import pytest
from _support.compare import assert_close, assert_same
from _support.dtypes import BFLOAT16, FLOATS
from _support.fused import array, check, same
from _support.samples import special

import gpuarray

NATIVE = [np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)]
COMPLEX = [np.dtype(np.complex64), np.dtype(np.complex128)]
# The function that gives the power of each exponent.
FUNCTIONS = {
    2: np.square,
    0.5: np.sqrt,
    -1: np.reciprocal,
    1: np.positive,
    0: np.ones_like,
}
OURS = {
    2: gpuarray.square,
    0.5: gpuarray.sqrt,
    -1: gpuarray.reciprocal,
    1: gpuarray.positive,
    0: gpuarray.ones_like,
}


def numbers(dtype):
    """Return random numbers, of which the last bit shows how a power was computed, and others."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng(7).uniform(0.1, 4, 2000)
    if dtype.kind == "c":
        random = random * np.exp(1j * np.arange(2000))
        return random.astype(dtype)
    return np.concatenate([random.astype(dtype), special(dtype)])


def scalars(exponent, dtype):
    """Return the exponent as scalars that leave a float of this dtype its dtype."""
    made = [float(exponent)]
    if exponent == int(exponent):
        made += [int(exponent), np.int8(exponent)]
    return [*made, np.dtype(dtype).type(exponent), np.float16(exponent)]


def in_place(x, exponent):
    x = x.copy()
    x **= exponent
    return x


SPELLINGS = {
    "operator": operator.pow,
    "power": gpuarray.power,
    "in place": in_place,
    "np.power": np.power,
    "out": lambda x, e: gpuarray.power(x, e, out=gpuarray.empty_like(x)),
    "dtype": lambda x, e: gpuarray.power(x, e, dtype=x.dtype),
    "where": lambda x, e: np.power(x, e, where=gpuarray.ones((), bool)),
    "fused constant": lambda x, e: gpuarray.fuse(lambda v: v**e)(x),
    "fused parameter": gpuarray.fuse(lambda v, n: v**n),
    "fused function": gpuarray.fuse(lambda v, n: gpuarray.power(v, n)),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("dtype", NATIVE, ids=str)
@pytest.mark.parametrize("exponent", FUNCTIONS, ids=str)
def test_every_spelling_gives_the_bits_of_the_function(device, dtype, exponent, spelling):
    x = numbers(dtype)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[exponent](x)
    a = gpuarray.to_device(x)
    for scalar in scalars(exponent, dtype):
        assert_same(SPELLINGS[spelling](a, scalar), expected, what=repr(scalar))


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=str)
@pytest.mark.parametrize("exponent", OURS, ids=str)
@pytest.mark.parametrize("mode", ["off", "auto", "always"])
def test_the_operator_is_the_function_of_its_exponent(device, dtype, exponent, mode):
    a = gpuarray.to_device(numbers(dtype) if dtype != BFLOAT16 else special(dtype))
    with gpuarray.fusion(mode):
        for scalar in scalars(exponent, dtype)[:-1]:
            got = (a * 1) ** scalar
            assert got.dtype == a.dtype
            assert_same(got, OURS[exponent](a).get(), what=repr(scalar))


@pytest.mark.parametrize("exponent", OURS, ids=str)
def test_a_complex_exponent_is_a_number_like_others(device, exponent):
    z = gpuarray.to_device(numbers("complex128"))
    for scalar in (complex(exponent), np.complex128(exponent), np.complex64(exponent)):
        assert_same(z**scalar, OURS[exponent](z).get())
        assert_same(gpuarray.float_power(z, scalar), OURS[exponent](z).get())


@pytest.mark.parametrize("exponent", FUNCTIONS, ids=str)
@pytest.mark.parametrize("dtype", [*NATIVE, "int32", "uint8", "bool"], ids=str)
def test_float_power(device, dtype, exponent):
    x = numbers(dtype) if np.dtype(dtype).kind == "f" else np.arange(1, 100).astype(dtype)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[exponent](x.astype(np.float64))
    a = gpuarray.to_device(x)
    for scalar in scalars(exponent, "float64"):
        assert_same(gpuarray.float_power(a, scalar), expected, what=repr(scalar))


@pytest.mark.parametrize("exponent", [0.5, 2.0, 1.0, 0.0], ids=str)
@pytest.mark.parametrize("dtype", ["int16", "int64", "uint8", "bool"])
def test_integers_to_floats(device, dtype, exponent):
    x = np.arange(200).astype(dtype)
    expected = np.power(x, exponent)
    a = gpuarray.to_device(x)
    for got in (a**exponent, gpuarray.power(a, exponent), np.power(a, exponent)):
        assert_same(got, expected)
    assert_same(gpuarray.fuse(lambda v: v**exponent)(a), expected)


@pytest.mark.parametrize("dtype", [*NATIVE, *COMPLEX], ids=str)
@pytest.mark.parametrize("exponent", OURS, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)], ids=str)
def test_an_array_of_one_exponent(device, dtype, exponent, shape):
    x = numbers(dtype)
    a = gpuarray.to_device(x)
    one = gpuarray.full(shape, exponent, dtype=dtype)
    ndim = max(1, len(shape))
    expected = OURS[exponent](a).get().reshape((1,) * (ndim - 1) + x.shape)
    fused = gpuarray.fuse(lambda v, n: v**n)
    powers = [a**one, gpuarray.power(a, one), fused(a, one)]
    with gpuarray.fusion("always"):
        powers.append((a * 1) ** (one * 1))
    single = a[:1] ** one
    for got in powers:
        assert got.shape == expected.shape
        assert got.dtype == dtype
        assert_same(got, powers[0].get())
    if device == "cpu":
        assert_same(powers[0], expected)
        assert_same(single, expected[..., :1])
    elif exponent != 0.5:  # sqrt has other results for -0 and -inf
        assert_close(powers[0], expected, dtype, ulps=8)


def test_a_scalar_base(device):
    exponents = numbers("float32")
    e = gpuarray.to_device(exponents)
    with np.errstate(all="ignore"):
        expected = np.power(np.float64(2), exponents)
    assert_close(np.float64(2) ** e, expected.astype(np.longdouble), "float64", ulps=4)
    assert_same(gpuarray.power(np.float32(2), e), (gpuarray.full((), 2, "float32") ** e).get())
    assert_same(gpuarray.full((), 3, "float32") ** 2.0, np.float32(9))
    assert_same(gpuarray.full((), 3, "float32") ** gpuarray.full((), 2, "float32"), np.float32(9))


def test_the_loop_rounds_the_exponent(device):
    x = numbers("float32")
    with np.errstate(all="ignore"):
        assert_same(gpuarray.to_device(x) ** (0.5 + 1e-12), np.sqrt(x))
        assert_same(gpuarray.to_device(x) ** (2 + 1e-12), np.square(x))
    y = numbers("float64")[:2000]
    expected = (y.astype(np.longdouble)) ** np.longdouble(2 + 1e-12)
    assert_close(gpuarray.to_device(y) ** (2 + 1e-12), expected, "float64", ulps=4)


def test_powers_of_bools(device):
    """The operator squares bools to int8 for the Python integer 2 alone, as NumPy's does."""
    x = np.array([True, False, True])
    a = gpuarray.to_device(x)
    for exponent in (2, np.int8(2), np.int64(2), 3, True, 2.0):
        assert_same(a**exponent, x**exponent)
        assert (a**exponent).dtype == (x**exponent).dtype
        assert_same(gpuarray.power(a, exponent), np.power(x, exponent))
        assert gpuarray.power(a, exponent).dtype == np.power(x, exponent).dtype
    same(gpuarray.fuse(lambda v: v**2)(a), a**2)


def test_broadcast_exponents_are_no_scalars(device):
    """A column of exponents is an array, fused or not."""
    a = abs(array("float32", (50, 40))) + 0.1
    for exponents in (gpuarray.full((50, 1), 2.0, "float32"), gpuarray.full(40, 2.0, "float32")):
        check(lambda a, e: a**e, a, exponents)
        check(lambda a, e: (a**e) * 2 + e, a, exponents)


def test_a_fused_power_that_is_reduced(device):
    a = abs(array("float64", (50, 40))) + 0.1
    total = gpuarray.fuse(lambda v, n: (v**n).sum())
    for exponent in (2, 0.5, gpuarray.full((), 2.0), gpuarray.full((50, 40), 2.0)):
        assert_close(total(a, exponent), (a**exponent).sum().get(), "float64", ulps=64)
