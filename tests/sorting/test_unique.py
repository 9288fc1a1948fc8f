# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""unique and the array API's functions of the same kind, compared with NumPy."""

import itertools
import threading

import numpy as np
import pytest
from _support.special_values import DTYPES, sample
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import gpuarray
from gpuarray import _core

FLAGS = ["return_index", "return_inverse", "return_counts"]


def check(made, expected):
    made = made if isinstance(made, tuple) else (made,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for each, wanted in zip(made, expected, strict=True):
        assert each.dtype == wanted.dtype
        np.testing.assert_array_equal(each.get(), wanted)


@pytest.mark.parametrize("shape", [(0,), (1,), (60,), (9, 8), (2, 0)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values(device, dtype, shape):
    x = sample(dtype, shape)
    a = gpuarray.to_device(x)
    made = gpuarray.unique(a)
    # NumPy's hash table may choose another NaN to stand for all.
    expected = np.unique(x, return_counts=True)[0]
    assert made.dtype == x.dtype
    np.testing.assert_array_equal(made.get()[~np.isnan(made.get())], expected[~np.isnan(expected)])
    assert np.isnan(made.get()).sum() == np.isnan(expected).sum()
    check(gpuarray.unique(a, return_counts=True), np.unique(x, return_counts=True))


@pytest.mark.parametrize("distinct", [1, 9, 60_000])
@pytest.mark.parametrize("size", [15, 2047, 2048, 2049, 20_001])
@pytest.mark.parametrize("dtype", DTYPES)
def test_runs_across_tiles(device, dtype, size, distinct):
    x = np.random.default_rng(size).integers(0, distinct, size).astype(dtype)
    everything = dict.fromkeys(FLAGS, True)
    check(gpuarray.unique(gpuarray.to_device(x), **everything), np.unique(x, **everything))
    check(gpuarray.unique(gpuarray.to_device(x)), np.unique(x))


def test_few_values_of_float16(device):
    """NumPy 2.4 sorts many of them wrongly by AVX-512."""
    host = (np.random.default_rng(0).standard_normal(50_000).round(1) * 3).astype("f2")
    x, expected = gpuarray.to_device(host, device=device), np.unique(host.astype("f4"))
    copy = x.copy()
    copy.sort()
    check(copy, np.sort(host.astype("f4")).astype("f2"))
    found = [gpuarray.unique(x), gpuarray.unique_values(x), gpuarray.union1d(x, x)]
    found += [gpuarray.unique(x, return_counts=True)[0], gpuarray.intersect1d(x, x)]
    for values in found:
        check(values, expected.astype("f2"))


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_many_nans_and_zeros(device, dtype, equal_nan):
    x = sample(dtype, 9000)
    x[::4], x[1::8], x[2::8] = np.nan, 0.0, -0.0
    x[::16] = -x[::16]
    expected = np.unique(x, True, return_counts=True, equal_nan=equal_nan)
    made = gpuarray.unique(gpuarray.to_device(x), return_counts=True, equal_nan=equal_nan)
    check(made, (expected[0], expected[2]))


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("flags", [c for n in (1, 2, 3) for c in itertools.combinations(FLAGS, n)])
def test_flags(device, flags, equal_nan):
    x = sample("float32", (6, 30))
    wanted = dict.fromkeys(flags, True)
    if "return_index" not in wanted and not equal_nan:
        wanted["return_index"] = True  # else NumPy numbers NaNs in no fixed order
    expected = np.unique(x, equal_nan=equal_nan, **wanted)
    check(gpuarray.unique(gpuarray.to_device(x), equal_nan=equal_nan, **wanted), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["bool", "int32", "float64"])
def test_along_an_axis(device, dtype, axis):
    x = np.abs(sample(dtype, (30, 3, 2))) if dtype == "bool" else sample(dtype, (30, 3, 2)) > 0
    x = x.astype(dtype)
    everything = dict.fromkeys(FLAGS, True)
    check(
        gpuarray.unique(gpuarray.to_device(x), axis=axis, **everything),
        np.unique(x, axis=axis, **everything),
    )
    check(gpuarray.unique(gpuarray.to_device(x), axis=axis), np.unique(x, axis=axis))


def with_nan(dtype, shape, seed):
    rng = np.random.default_rng(seed)

    def real():
        made = rng.integers(-1, 2, shape).astype("float64")
        made[rng.random(shape) < 0.3] = np.nan
        return made

    host = real().astype(dtype)
    if host.dtype.kind == "c":
        host.imag = real()
    return host


def parts(array):
    """Return both parts of complex numbers, where equal NaNs may hide different numbers."""
    return np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_nan_along_an_axis(device, dtype, axis, equal_nan):
    """NumPy orders NaN before the numbers where the rows are of float16, and behind elsewhere."""
    for seed in range(8):
        shape = ((9, 2, 1), (7, 1, 2), (3, 4, 3), (12, 1, 1))[seed % 4]
        host = with_nan(dtype, shape, seed)
        x = gpuarray.to_device(host)
        for flags in ({}, {"return_index": True}, dict.fromkeys(FLAGS, True)):
            expected = np.unique(host, axis=axis, equal_nan=equal_nan, **flags)
            made = gpuarray.unique(x, axis=axis, equal_nan=equal_nan, **flags)
            if not flags:
                expected, made = (expected,), (made,)
            for got, wanted in zip(made, expected, strict=True):
                np.testing.assert_array_equal(parts(got.get()), parts(wanted))


@pytest.mark.parametrize("name", ["unique", "union1d", "setdiff1d", "setxor1d", "intersect1d"])
def test_one_complex_nan_stands_for_all(device, name):
    for seed in range(8):
        hosts = [with_nan("complex128", (4 + 3 * seed,), seed + k) for k in (0, 50)]
        hosts = hosts[:1] if name == "unique" else hosts
        expected = getattr(np, name)(*hosts)
        made = getattr(gpuarray, name)(*map(gpuarray.to_device, hosts)).get()
        np.testing.assert_array_equal(parts(made), parts(expected))


def test_axis_of_one_dimension(device):
    x = sample("int8", 20)
    check(gpuarray.unique(gpuarray.to_device(x), axis=0), np.unique(x, axis=0))
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.unique(gpuarray.to_device(x), axis=1)


@pytest.mark.parametrize("dtype", ["int16", "float64", "complex64"])
def test_array_api(device, dtype):
    x = sample(dtype, (5, 9))
    a = gpuarray.to_device(x)
    everything = gpuarray.unique_all(a)
    assert everything._fields == ("values", "indices", "inverse_indices", "counts")
    check(tuple(everything), tuple(np.unique_all(x)))
    counts = gpuarray.unique_counts(a)
    check((counts.values, counts.counts), tuple(np.unique_counts(x)))
    inverse = gpuarray.unique_inverse(a)
    check((inverse.values, inverse.inverse_indices), tuple(np.unique_inverse(x)))
    assert len(gpuarray.unique_values(a)) == len(everything.values)


def test_bfloat16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([2, 1, 2, 3, 1], ml_dtypes.bfloat16)
    values, counts = gpuarray.unique(gpuarray.to_device(x), return_counts=True)
    assert values.dtype == x.dtype
    assert values.tolist() == [1, 2, 3]
    assert counts.get().tolist() == [2, 2, 1]


def test_not_an_array(device):
    with pytest.raises(TypeError, match="expected a GPUArray"):
        gpuarray.unique(np.array([1, 2]))
    assert gpuarray.unique([2, 1, 2]).get().tolist() == [1, 2]


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int32", "uint64", "complex64"]
)
@pytest.mark.parametrize("size", [1, 100, 20_000])  # of which the fewer are sorted by one block
def test_values_are_the_first_of_their_kind(device, dtype, size):
    rng = np.random.default_rng(8)
    host = rng.integers(-50, 50, size).astype(dtype)
    if np.dtype(dtype).kind == "f":
        host /= 4
        host[rng.integers(0, size, size // 2)] = 0.0
        host[rng.integers(0, size, size // 3)] = -0.0
        nans = np.array([np.nan, -np.nan, np.inf, -np.inf], dtype)
        host[rng.integers(0, size, size // 9)] = rng.choice(nans, size // 9)
    expected = np.unique(host, True, True, True)
    x = gpuarray.to_device(host)
    values, first, inverse, counts = gpuarray.unique(x, True, True, True)
    assert values.get().tobytes() == host[first.get()].tobytes() == expected[0].tobytes()
    for got, want in zip((first, inverse, counts), expected[1:], strict=True):
        np.testing.assert_array_equal(got.get(), want)
    found, inverse = gpuarray.unique(x, return_inverse=True)
    np.testing.assert_array_equal(found.get()[inverse.get()], host)


MANY = (1 << 16) + 77


def distinct(a, equal_nan=True, taken=True):
    """Without a sort, which must be possible on the GPU if `taken`."""
    made = _core._distinct_values(a.reshape(-1), equal_nan, few=True)
    assert (made is not None) == (taken and a.device.kind == "cuda")
    return gpuarray.unique(a, equal_nan=equal_nan) if made is None else made


def many(dtype, spread):
    rng = np.random.default_rng(1)
    if dtype == "bool":
        return rng.integers(0, 3, MANY) > 0
    if dtype.startswith("complex"):
        return many("int32", spread).astype(dtype)
    if spread == "anything":
        words = rng.integers(0, 1 << 63, MANY * np.dtype(dtype).itemsize // 8 + 1, "int64")
        return words.view(dtype)[:MANY]
    if np.dtype(dtype).kind == "f":
        # Subnormal numbers, whose bits count on through both zeros.
        highest = 450 if spread == "few" or dtype == "float16" else 1 << 20
        return (rng.integers(-highest, highest, MANY) * np.finfo(dtype).smallest_subnormal).astype(
            dtype
        )
    info = np.iinfo(dtype)
    low = max(info.min, info.max - 900) if spread == "few" else info.max // 2
    return rng.integers(low, min(info.max, low + (1 << 21)), MANY, dtype, endpoint=True)


@pytest.mark.parametrize("spread", ["few", "near", "anything"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_without_a_sort(device, dtype, spread):
    x = many(dtype, spread)
    a = gpuarray.to_device(x)
    expected = np.unique(x, return_counts=True)
    by_sort = gpuarray.unique(a, return_counts=True)
    check(by_sort, expected)
    short = spread == "anything" and x.itemsize < 4
    taken = x.dtype.kind != "c" and dtype != "float64" and (spread != "anything" or short)
    assert distinct(a, taken=taken).get().tobytes() == by_sort[0].get().tobytes()
    check(distinct(a[1:], taken=taken), np.unique(x[1:], return_counts=True)[0])
    check(distinct(a[::-1], taken=taken), expected[0])


def test_where_nothing_is_sorted(device, monkeypatch):
    numbers = np.random.default_rng(1).integers(-900, 900, 1 << 18)
    a, scarce = gpuarray.to_device(numbers), gpuarray.to_device(numbers[1:])
    expected = np.unique(numbers)
    check(gpuarray.unique(scarce), expected)
    if device == "cpu":
        return

    def sort(*_):
        raise AssertionError("sorted")

    monkeypatch.setattr(gpuarray._core, "_sort_rows", sort)
    check(gpuarray.unique(a), expected)
    check(gpuarray.unique(a.reshape(4, -1)[:, ::-1]), expected)
    with pytest.raises(AssertionError, match="sorted"):
        gpuarray.unique(scarce)


def test_keys_that_are_scattered(device):
    """There are bits enough for each element, but they would not stay in the cache."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 5 << 26, 5_300_000, "int32")
    assert _core._distinct_values(gpuarray.to_device(x), True) is None
    assert _core._distinct_values(gpuarray.to_device(x[:0]), True, few=True) is None


def test_array_that_changes(device):
    """Keys outside the range that was found have no bits."""
    if device == "cpu":
        pytest.skip("the cpu device sorts a copy")
    near = gpuarray.to_device(np.resize(np.arange(1000), 1 << 13))
    far, a = near + (1 << 40), near.copy()
    done = threading.Event()

    def write():
        with gpuarray.Stream(a.device):
            while not done.is_set():
                a[...] = far
                a[...] = near

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(20):
            made = _core._distinct_values(a, True, few=True)
            assert made is None or len(made) <= 2000
    finally:
        done.set()
        writer.join()
    check(gpuarray.unique(a), np.arange(1000))


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kinds", ["nans", "zeros", "negative", "all", "only nans"])
def test_zeros_and_nans_without_a_sort(device, dtype, kinds, equal_nan):
    x = many(dtype, "few")
    x[x == 0] = np.finfo(dtype).smallest_subnormal
    rng = np.random.default_rng(3)
    if kinds in ("zeros", "all"):
        x[rng.integers(9, MANY, 50)] = 0.0
        x[rng.integers(9, MANY, 50)] = -0.0
    if kinds == "negative":
        x[[70, 8000]] = -0.0
    if kinds in ("nans", "all"):
        x[rng.integers(9, MANY, 50)] = rng.choice(np.array([np.nan, -np.nan], dtype), 50)
    if kinds == "only nans":
        x[:] = np.nan
    a = gpuarray.to_device(x)
    splits = kinds in ("nans", "all") and not equal_nan
    taken = dtype != "float64" and kinds != "only nans" and not splits
    made = distinct(a, equal_nan, taken).get()
    expected = np.unique(x, return_counts=True, equal_nan=equal_nan)[0]
    np.testing.assert_array_equal(made, expected)
    by_sort = gpuarray.unique(a, return_counts=True, equal_nan=equal_nan)[0]
    assert made.tobytes() == by_sort.get().tobytes()


@pytest.mark.parametrize("value", [0.0, -0.0, -1.5, np.inf, -np.inf, 3e38])
def test_one_value(device, value):
    x = np.full(MANY, value, "float32")
    assert distinct(gpuarray.to_device(x)).get().tobytes() == x[:1].tobytes()
    x[MANY // 2] = np.nextafter(x[0], np.float32(1))
    assert distinct(gpuarray.to_device(x)).tolist() == np.unique(x).tolist()


def test_payloads_of_nans(device):
    """The NaN that a sort puts first stands for all."""
    rng = np.random.default_rng(1)
    x = many("float32", "few")
    x[rng.integers(0, MANY, 99)] = np.uint32([0x7FC00003, 0xFFC00001, 0x7F800009, 0x7FFFFFFF])[
        rng.integers(0, 4, 99)
    ].view("float32")
    made = distinct(gpuarray.to_device(x)).get()
    assert np.isnan(made).sum() == 1
    if device != "cpu":
        assert made[-1:].view("uint32") == 0x7F800009
    by_sort = gpuarray.unique(gpuarray.to_device(x), return_counts=True)[0]
    assert made.tobytes() == by_sort.get().tobytes()


@pytest.mark.parametrize("dtype", ["uint64", "int64", "uint32", "int32", "int8", "uint8"])
def test_extremes(device, dtype):
    info = np.iinfo(dtype)
    for low in (info.min, info.max - 100):
        x = (np.arange(MANY) % 101).astype(dtype) + np.dtype(dtype).type(low)
        check(distinct(gpuarray.to_device(x)), np.unique(x))
    x[5], x[6] = info.min, info.max
    check(distinct(gpuarray.to_device(x), taken=x.itemsize == 1), np.unique(x))


@pytest.mark.parametrize("dtype", ["int16", "float32", "int64"])
@pytest.mark.parametrize("size", [1, 2047, 2048, 2049, MANY])
def test_stretches_of_keys(device, dtype, size):
    # Whole tiles of keys, single ones at their ends, and tiles without any.
    taken = np.r_[0:2048, 2049:4095, 6143, 6144, 8192:10240, 30_000]
    keys = np.random.default_rng(2).permutation(np.resize(taken, size))
    x = (
        (keys + 0x3F800000).astype("int32").view(dtype)
        if dtype == "float32"
        else keys.astype(dtype)
    )
    check(distinct(gpuarray.to_device(x)), np.unique(x))


@given(data=st.data())
def test_any_elements(device, data):
    dtype = data.draw(st.sampled_from(["int8", "uint16", "float16", "float32", "int64"]))
    few = data.draw(npst.arrays(dtype, st.integers(1, 60)))
    x = np.resize(few, data.draw(st.integers(1, 5000)))
    a = gpuarray.to_device(x)
    made = _core._distinct_values(a, True, few=True)
    check(gpuarray.unique(a) if made is None else made, np.unique(x, return_counts=True)[0])


def test_capture(device):
    if device == "cpu":
        pytest.skip("the cpu device has no graphs")
    a = gpuarray.to_device(np.arange(9))
    with pytest.raises(gpuarray.CaptureError, match="unique"), gpuarray.capture():
        gpuarray.unique(a)
