# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Products of two long vectors, which CUDA devices multiply and sum in one kernel."""

import numpy as np
import pytest
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, epsilon, kind
from _support.samples import ordinary
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

COMPLEX = ["complex64", "complex128"]
LONG = 1 << 16
LENGTHS = [1024, LONG, LONG + 1, 3 * LONG + 13]


def whole_numbers(dtype, size, seed):
    """Small integers, for which sums are exact; integers that wrap where the dtype is one."""
    random = np.random.default_rng([seed, size])
    if kind(dtype) in "iu":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, size, dtype, endpoint=True)
    if kind(dtype) == "b":
        return random.random(size) < 0.001
    values = random.integers(-2, 3, size)
    return (values + 1j * random.integers(-2, 3, size) if kind(dtype) == "c" else values).astype(
        dtype
    )


def reference(x, y):
    """numpy.vecdot of whole numbers, in a dtype that holds all sums."""
    if kind(x.dtype) in "biu":
        return np.asarray(x @ y)
    wide = np.complex128 if kind(x.dtype) == "c" else np.float64
    return np.asarray(np.vdot(x.astype(wide), y.astype(wide)).astype(x.dtype))


@pytest.mark.parametrize("size", LENGTHS)
def test_every_dtype(device, size):
    cases = Collector()
    for dtype in DTYPES:
        cases.check(str(dtype), check_functions, dtype, size)
    cases.finish()


def check_functions(dtype, size):
    a, b = whole_numbers(dtype, size, 1), whole_numbers(dtype, size, 2)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    expected = reference(a, b)
    for got in (gpuarray.vdot(x, y), gpuarray.vecdot(x, y), gpuarray.linalg.vecdot(x, y)):
        assert_same(got, expected, signed_zero=False)
    expected = reference(a.conj() if kind(dtype) == "c" else a, b)
    for got in (x @ y, x.dot(y), gpuarray.inner(x, y), gpuarray.tensordot(x, y, 1)):
        assert_same(got, expected, signed_zero=False)
    assert_same(x[None] @ y[:, None], expected[None, None], signed_zero=False)
    out = gpuarray.empty((), dtype)
    assert gpuarray.matmul(x, y, out) is out
    assert_same(out, expected, signed_zero=False)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_offsets_of_both_operands(device, dtype):
    whole = [whole_numbers(dtype, LONG + 100, seed) for seed in (1, 2)]
    x, y = map(gpuarray.to_device, whole)
    cases = Collector()
    for left, right in [
        *((i, 0) for i in range(8)),
        *((0, i) for i in range(1, 8)),
        (3, 3),
        (5, 6),
    ]:
        for size in (LONG, LONG + 85):
            a, b = whole[0][left : left + size], whole[1][right : right + size]
            got = gpuarray.vdot(x[left : left + size], y[right : right + size])
            what = f"{left}, {right}: {size}"
            cases.check(what, assert_same, got, reference(a, b), signed_zero=False)
    cases.finish()


@given(
    dtype=st.sampled_from([d for d in DTYPES if kind(d) in "iuf"]),
    size=st.integers(1000, 1100) | st.integers(LONG - 20, LONG + 20),
    offsets=st.tuples(st.integers(0, 16), st.integers(0, 16)),
    steps=st.sampled_from([(1, 1), (1, 1), (1, -1), (2, 1), (2, 3), (-1, -1)]),
)
def test_any_part_of_vectors(device, dtype, size, offsets, steps):
    hosts = [whole_numbers(dtype, offset + 3 * size, offset) for offset in offsets]
    parts = [slice(offset, None, step) for offset, step in zip(offsets, steps, strict=True)]
    a, b = (host[part][:size] for host, part in zip(hosts, parts, strict=True))
    size = min(len(a), len(b))
    x, y = (gpuarray.to_device(host)[part][:size] for host, part in zip(hosts, parts, strict=True))
    assert_same(x @ y, reference(a[:size], b[:size]), signed_zero=False)


@pytest.mark.parametrize(
    "pair", [("int32", "int16"), ("float32", "int8"), ("complex64", "float64")]
)
def test_two_dtypes(device, pair):
    a, b = whole_numbers(pair[0], LONG, 1), whole_numbers(pair[1], LONG, 2)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    dtype = np.result_type(a, b)
    assert_same(gpuarray.vdot(x, y), reference(a.astype(dtype), b.astype(dtype)), signed_zero=False)
    assert_same(gpuarray.vdot(y, x), reference(b.astype(dtype), a.astype(dtype)), signed_zero=False)


@pytest.mark.parametrize("dtype", ["float32", "float64", *COMPLEX], ids=str)
@pytest.mark.parametrize("size", LENGTHS[1:])
def test_accuracy(device, dtype, size):
    a, b = ordinary(dtype, (size,), 1), ordinary(dtype, (size,), 2)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    wide = [each.astype(np.clongdouble) for each in (a, b)]
    scale = float(np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    unit = epsilon(np.dtype(dtype).type(0).real.dtype)
    for got, exact in ((x @ y, wide[0] @ wide[1]), (gpuarray.vdot(x, y), np.vdot(*wide))):
        error = abs(got.get() - exact)
        if device == "cpu" or np.dtype(dtype).itemsize // (1 + (kind(dtype) == "c")) == 8:
            assert error <= 50 * unit * scale
        else:  # summed in twice the precision and rounded once
            assert error <= unit * abs(exact) + 50 * epsilon(np.float64) * scale


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16], ids=str)
def test_halves_are_rounded_once(device, dtype):
    a, b = (ordinary(dtype, (LONG + 3,), seed) for seed in (1, 2))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    got = (gpuarray.to_device(a) @ gpuarray.to_device(b)).astype(np.float64).item()
    scale = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    assert abs(got - exact) <= epsilon(np.dtype(dtype)) * abs(exact) + 1e-5 * scale


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16, "float32", "float64"], ids=str)
def test_nan_and_infinity(device, dtype):
    ones = np.ones(LONG + 9).astype(dtype)
    y = gpuarray.to_device(ones)
    for offset in (0, 1):
        for place in (0, 1, LONG // 2, LONG + 7):
            for value in (np.nan, np.inf, -np.inf):
                a = ones.copy()
                a[offset + place] = value
                x = gpuarray.to_device(a)
                for one, other in ((x, y), (y, x)):
                    got = (one[offset:] @ other[offset:]).astype("float64").item()
                    np.testing.assert_array_equal(got, value)
    zeros = gpuarray.zeros(LONG + 9, dtype)
    assert gpuarray.isnan(gpuarray.full(LONG + 9, np.inf, dtype) @ zeros)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_nan_of_complex_numbers(device, dtype):
    for value in (complex(np.nan, 0), complex(0, np.nan), complex(0, np.inf)):
        x = gpuarray.ones(LONG + 9, dtype)
        x[LONG] = value
        assert not gpuarray.isfinite(gpuarray.vdot(x, x[::-1].copy()))


def test_products_do_not_overflow(device):
    """Products of halves are summed in float32, and wrapped integers as NumPy's."""
    x, y = gpuarray.full(LONG, 300.0, "float16"), gpuarray.full(LONG, 300.0, "float16")
    y[LONG // 2 :] = -300
    assert (x @ y).item() == 0
    for dtype, value in (("int8", -128), ("uint16", 65535), ("int64", 2**63 - 1)):
        x = gpuarray.full(LONG + 5, value, dtype)
        assert (x @ x).item() == np.full(LONG + 5, value, dtype).dot(
            np.full(LONG + 5, value, dtype)
        )


def test_bools_of_any_bytes(device):
    bytes_ = np.zeros((2, LONG + 3), np.uint8)
    x, y = gpuarray.to_device(bytes_).view("bool")
    assert not x @ y
    bytes_[0, LONG], bytes_[1, LONG + 1] = 2, 4
    x, y = gpuarray.to_device(bytes_).view("bool")
    assert not x @ y
    bytes_[1, LONG] = 4
    x, y = gpuarray.to_device(bytes_).view("bool")
    assert x @ y


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int16"])
def test_the_same_bits_on_every_stream(device, dtype):
    x, y = (gpuarray.to_device(ordinary(dtype, (5 * LONG + 1,), seed)) for seed in (1, 2))
    first = gpuarray.vdot(x, y).get()
    with gpuarray.Stream(device):
        assert gpuarray.vdot(x, y).get().tobytes() == first.tobytes()
    assert gpuarray.vdot(x.copy(), y.copy()).get().tobytes() == first.tobytes()


def test_factors(device):
    a, b = (whole_numbers("float64", LONG + 1, seed) for seed in (1, 2))
    out = gpuarray.full((), 3.0)
    gpuarray.matmul(gpuarray.to_device(a), gpuarray.to_device(b), out, alpha=2, beta=5)
    assert out.item() == 2 * (a @ b) + 15


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_no_conjugate_is_stored(device, dtype):
    if device == "cpu":
        pytest.skip("NumPy multiplies")
    x = gpuarray.ones(4 * LONG, dtype)
    with gpuarray.memory_profile(device) as profile:
        for _ in range(2):
            assert gpuarray.vdot(x, x).item() == 4 * LONG
    assert profile.peak_bytes - profile.timeline[0][1] < x.nbytes // 4


def test_lengths_that_differ(device):
    x, y = gpuarray.ones(LONG, "complex64"), gpuarray.ones(LONG + 1, "complex64")
    for function in (gpuarray.vdot, gpuarray.vecdot, gpuarray.dot):
        with pytest.raises(ValueError, match="do not fit"):
            function(x, y)
