# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""round, nan_to_num and real_if_close, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import INEXACT, KINDS, cases, check
from _support.samples import special
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


@given(cases(nan=0.1), st.integers(-2, 4))
def test_round(device, case, decimals):
    host, _ = case
    if host.dtype == bool:
        decimals = 0
    check(lambda xp, a: xp.round(a, decimals), host, exact=True)


@pytest.mark.parametrize("dtype", KINDS)
def test_round_special_values(device, dtype):
    check(lambda xp, a: xp.around(a), special(dtype), exact=True)


@pytest.mark.parametrize("decimals", [23, 307, 308, 309, 400, -23, -308, -309, -400, 10**6])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
def test_round_to_any_number_of_decimals(device, dtype, decimals):
    check(lambda xp, a: xp.round(a, decimals), special(dtype), exact=True)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16"])
def test_integers_rounded_to_any_number_of_decimals(device, dtype):
    x = gpuarray.to_device(np.array([0, 15, 25, 120], dtype))
    for decimals in (0, 1, 400):
        assert gpuarray.round(x, decimals).tolist() == [0, 15, 25, 120]
    for decimals in (-3, -30, -308, -309, -400):
        made = gpuarray.round(x, decimals)
        assert made.dtype == dtype
        assert made.tolist() == [0, 0, 0, 0]


def test_round_into_out(device):
    x = gpuarray.to_device([1.25, 2.5, -0.5])
    out = gpuarray.empty(3)
    assert gpuarray.round(x, 1, out) is out
    assert out.tolist() == [1.2, 2.5, -0.5]
    assert gpuarray.round(x, out=x) is x
    assert x.tolist() == [1, 2, 0]
    with pytest.raises(TypeError, match="cannot write a result of dtype float64"):
        gpuarray.round(x, out=gpuarray.empty(3, int))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(
    "options",
    [{}, {"nan": 3}, {"posinf": 4}, {"nan": np.inf}, {"posinf": 1, "neginf": -2.5}],
    ids=str,
)
def test_nan_to_num(device, dtype, options):
    check(lambda xp, a: xp.nan_to_num(a, **options), special(dtype), exact=True)


@pytest.mark.parametrize("dtype", INEXACT)
def test_nan_to_num_in_place(device, dtype):
    x = gpuarray.to_device(special(dtype))
    assert gpuarray.nan_to_num(x, copy=False) is x
    np.testing.assert_array_equal(x.get(), np.nan_to_num(special(dtype)))
    assert bool(gpuarray.isfinite(x).all())


def test_nan_to_num_of_bfloat16(device):
    x = gpuarray.to_device([np.nan, np.inf, -np.inf, 1]).astype("bfloat16")
    largest = float(np.uint16(0x7F7F) * np.float32(0)) or 3.3895313892515355e38
    assert gpuarray.nan_to_num(x).tolist() == [0, largest, -largest, 1]


@pytest.mark.parametrize("imaginary", [0, 1e-15, 1e-6, 1])
@pytest.mark.parametrize("tol", [100, 1e-5])
def test_real_if_close(device, imaginary, tol):
    for dtype in ("complex64", "complex128"):
        host = (np.array([1, 2]) + 1j * imaginary).astype(dtype)
        check(lambda xp, a: xp.real_if_close(a, tol), host)
    x = gpuarray.ones(3)
    assert gpuarray.real_if_close(x) is x


@pytest.mark.parametrize("decimals", [2**31, -(2**31) - 1, 2**40, np.uint64(2**40)])
@pytest.mark.parametrize("dtype", ["int32", "float64", "complex64"])
def test_decimals_beyond_32_bits(device, dtype, decimals):
    x = gpuarray.ones(3, dtype)
    for call in (gpuarray.round, gpuarray.around, gpuarray.GPUArray.round):
        with pytest.raises(OverflowError):
            call(x, decimals)


@pytest.mark.parametrize("size", [1, 1 << 20], ids=["few", "many"])
def test_rounded_integers_wrap(device, size):
    for dtype, decimals, values, expected in [
        ("uint8", -1, [254, 255, 5, 15], [250, 4, 0, 20]),
        ("uint8", -2, [254, 255, 49, 151], [44, 44, 0, 200]),
        ("int8", -1, [127, -128, 64, -5], [-126, 126, 60, 0]),
        ("int16", -2, [32767, -32768, 150, 250], [-32736, 32736, 200, 200]),
        ("uint32", -1, [2**32 - 1, 14, 15, 25], [4, 10, 20, 20]),
        ("uint64", -1, [2**63, 14, 15, 25], [2**63, 10, 20, 20]),
    ]:
        x = gpuarray.to_device(np.resize(np.array(values, dtype), max(size, 4)))
        got = gpuarray.round(x, decimals)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.get(), np.resize(np.array(expected, dtype), x.size))
