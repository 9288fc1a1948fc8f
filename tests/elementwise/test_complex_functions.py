# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Complex numbers at their edges, against NumPy (which follows Annex G of C)."""

import numpy as np
import pytest
from _support import words
from _support.compare import Collector, assert_close, assert_same
from _support.samples import ordinary, special
from _support.tables import BY_NAME

import gpuarray

FUNCTIONS = words(
    "sqrt exp log sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh"
)
DTYPES = ["complex64", "complex128"]


def check_special(name, value, dtype):
    z = np.array([value], dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(z)
        reference = getattr(np, name)(z.astype(np.clongdouble))
    got = getattr(gpuarray, name)(gpuarray.to_device(z)).get()
    if np.isfinite(expected).all() and np.isfinite(got).all():
        assert_close(got, reference, z.dtype, ulps=8)
        for part in ("real", "imag"):
            a, b = getattr(got, part), getattr(expected, part)
            assert np.signbit(a) == np.signbit(b) or a != 0, f"got {got}, expected {expected}"
        return
    for part in ("real", "imag"):
        a, b = getattr(got, part)[0], getattr(expected, part)[0]
        close = np.isclose(a, b, rtol=1e-5, equal_nan=True)
        # Where C leaves the sign of an infinity or a zero open, the other part is NaN.
        open_sign = np.isnan(expected.real[0]) or np.isnan(expected.imag[0])
        agree = close and (np.isnan(a) or np.signbit(a) == np.signbit(b))
        assert agree or (open_sign and abs(a) == abs(b)), f"got {got[0]}, expected {expected[0]}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(device, name, dtype):
    cases = Collector()
    for value in special(dtype):
        cases.check(f"{name}({value})", check_special, name, value, dtype)
    cases.finish()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_over_the_plane(device, name, dtype):
    op = BY_NAME[name]
    radius = np.logspace(-8, 1.5, 60).reshape(-1, 1)
    angle = np.linspace(-np.pi, np.pi, 48, endpoint=False) + 0.01
    z = (radius * np.exp(1j * angle)).astype(dtype)
    assert_close(op.gpu(gpuarray.to_device(z)), op.precise(dtype, z), dtype, ulps=16)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sqrt", "absolute", "log", "square", "reciprocal"])
def test_large_and_small_magnitudes(device, name, dtype):
    """Intermediate squares must neither overflow nor vanish."""
    op = BY_NAME[name]
    exponents = {"complex64": [-36, -20, 18, 37], "complex128": [-300, -160, 155, 307]}[dtype]
    if name == "square":
        exponents = [e // 3 for e in exponents]
    z = np.array([(3 - 4j) * 10.0**e for e in exponents], dtype)
    real = op.numpy(z).dtype
    assert_close(op.gpu(gpuarray.to_device(z)), op.precise(real, z), real, ulps=8)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["divide", "multiply"])
def test_products_and_quotients_at_special_values(device, name, dtype):
    op = BY_NAME[name]
    values = special(dtype)[::3]
    x, y = values.reshape(-1, 1), values.reshape(1, -1)
    expected = op.numpy(x, y)
    got = op.gpu(gpuarray.to_device(x), gpuarray.to_device(y)).get()
    finite = np.isfinite(expected)
    np.testing.assert_allclose(got[finite], expected[finite], rtol=8 * np.finfo(dtype).eps)
    for part in ("real", "imag"):
        a, b = getattr(got, part)[~finite], getattr(expected, part)[~finite]
        np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_are_numpys_to_the_last_bit(device, dtype):
    x, y = ordinary(dtype, (3000,), seed=1), ordinary(dtype, (3000,), seed=2)
    assert_same(gpuarray.to_device(x) / gpuarray.to_device(y), x / y)


@pytest.mark.parametrize("dtype", DTYPES)
def test_division_by_zero(device, dtype):
    x = np.array([1 + 2j, -1 - 1j, 0, 1j, np.inf + 0j, np.nan + 0j], dtype)
    with np.errstate(all="ignore"):
        expected = x / np.zeros_like(x)
    got = (gpuarray.to_device(x) / gpuarray.zeros(x.shape, dtype)).get()
    np.testing.assert_array_equal(got.real, expected.real)
    np.testing.assert_array_equal(got.imag, expected.imag)


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers(device, dtype):
    x = np.array([0, 1, -1, 1j, 2 - 3j, -0.5 + 0.25j, 10 + 10j], dtype).reshape(-1, 1)
    y = np.array([0, 1, 2, 3, -1, -2, 0.5, 1j, 1 - 2j, -0.75 + 0.1j], dtype).reshape(1, -1)
    with np.errstate(all="ignore"):
        expected = x**y
    got = (gpuarray.to_device(x) ** gpuarray.to_device(y)).get()
    finite = np.isfinite(expected)
    assert np.array_equal(finite, np.isfinite(got))
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(got[finite], expected[finite], rtol=64 * eps, atol=16 * eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_zero_to_a_power(device, dtype):
    y = np.array([0, 1, 2, 1 + 1j, 0.5], dtype)
    got = (gpuarray.zeros(y.shape, dtype) ** gpuarray.to_device(y)).get()
    assert got.tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_order_is_lexicographic(device, dtype):
    values = special(dtype)
    x, y = values.reshape(-1, 1), values.reshape(1, -1)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    with np.errstate(invalid="ignore"):
        assert_same(gx < gy, x < y)
        assert_same(gx >= gy, x >= y)
        assert_same(gx == gy, x == y)
    assert_same(gpuarray.maximum(gx, gy), np.maximum(x, y), signed_zero=False)
    assert_same(gpuarray.fmin(gx, gy), np.fmin(x, y), signed_zero=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_real_and_imaginary_parts_are_views(device, dtype):
    z = ordinary(dtype, (4, 3))
    g = gpuarray.to_device(z)
    assert_same(g.real, z.real)
    assert_same(g.imag, z.imag)
    assert_same(g[::-2, 1:].imag, z[::-2, 1:].imag)
    g.real = 7
    g.imag[1] = -1
    z.real = 7
    z.imag[1] = -1
    assert_same(g, z)


def test_imaginary_part_of_a_real_array_is_read_only_zeros(device):
    x = gpuarray.ones((2, 2))
    assert x.real is x or x.real.ptr == x.ptr
    assert not x.imag.get().any()
    with pytest.raises(ValueError, match="read-only"):
        x.imag[...] = 1
    with pytest.raises(TypeError, match="imag"):
        x.imag = 1


def test_real_arrays_are_their_own_conjugates(device):
    for dtype in ("bool", "int8", "float32"):
        x = gpuarray.ones(3, dtype)
        assert x.conj() is x and x.conjugate() is x
        out = gpuarray.zeros(3, "float64")
        assert x.conj(out) is out and out.tolist() == [1, 1, 1]
