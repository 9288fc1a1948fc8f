# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Conversions between all pairs of dtypes: NumPy's, and a fixed choice where NumPy has none."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, FLOATS, INTEGERS, PAIRS, kind
from _support.samples import special

import gpuarray


def numpy_cast(values, dtype):
    with np.errstate(all="ignore"):
        if values.dtype.kind == "c" and kind(dtype) != "c":
            values = values.real if dtype.kind != "b" else values.astype(bool)
        if kind(dtype) in "iu" and kind(values.dtype) == "f":
            return saturated(values, dtype)
        if BFLOAT16 in (values.dtype, dtype) and kind(dtype) == "c":
            return values.astype(np.float32).astype(dtype)
        return values.astype(dtype)


def saturated(values, dtype):
    """Truncated; beyond the integer's range its nearest end, and 0 for NaN."""
    info = np.iinfo(dtype)
    wide = np.nan_to_num(values.astype(np.longdouble), nan=0.0, posinf=2.0**70, neginf=-(2.0**70))
    ends = [np.longdouble(info.min), np.longdouble(info.max)]
    return np.array([int(value) for value in np.clip(wide, *ends)], dtype)


def check_cast(a, b):
    values = special(a)
    if kind(a) == "f":
        bounds = [2.0**7, 2.0**8, 2.0**15, 2.0**16, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 1e30]
        near = [np.nextafter(v, 0) for v in bounds]
        with np.errstate(over="ignore"):
            more = np.array([*bounds, *near, *(-v for v in bounds), 0.999, -0.999]).astype(a)
        values = np.concatenate([values, more])
    expected = numpy_cast(values, b)
    assert_same(gpuarray.to_device(values).astype(b), expected)
    for layout in layouts.ALL[1:]:
        assert_same(layout(values).astype(b), expected, what=layout.__name__)


def test_every_pair_of_dtypes(device):
    cases = Collector()
    for a, b in PAIRS:
        cases.check(f"{a} to {b}", check_cast, a, b)
    cases.finish()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_floats_out_of_range_saturate(device, source, dtype):
    info = np.iinfo(dtype)
    x = gpuarray.to_device(np.array([np.inf, -np.inf, np.nan]).astype(source))
    assert x.astype(dtype).tolist() == [info.max, info.min, 0]


def test_every_float16_to_every_dtype(device):
    values = np.arange(2**16, dtype=np.uint16).view(np.float16)
    x = gpuarray.to_device(values)
    for dtype in DTYPES:
        assert_same(x.astype(dtype), numpy_cast(values, dtype), what=str(dtype))


@pytest.mark.parametrize("target", ["float16", BFLOAT16, "float32"], ids=str)
def test_rounding_is_to_nearest_even(device, target):
    """Random bit patterns hit ties, subnormals and overflow."""
    words = np.random.default_rng(0).integers(0, 2**64, 50000, np.uint64)
    for values in (words.view(np.float64), words.astype(np.uint32).view(np.float32)):
        with np.errstate(all="ignore"):
            expected = values.astype(target)
        assert_same(gpuarray.to_device(values).astype(target), expected)


@pytest.mark.parametrize("target", ["float16", BFLOAT16, "float32", "float64"], ids=str)
def test_large_integers_round_once(device, target):
    """Through float32 or float64 some would be rounded twice."""
    base = np.array([2**k for k in range(8, 63)], dtype=np.int64)
    values = np.concatenate([base + d for d in (0, 1, -1)] + [base + base // 2**9, base * 3 // 2])
    halfway = base + base // 2**8 + base // 2**9
    values = np.concatenate([values, halfway, halfway + 1, halfway - 1, -values])
    if target == BFLOAT16:
        expected = [float_to_bfloat16(int(v)) for v in values]
        expected = np.array(expected, np.float32).astype(BFLOAT16)
    else:
        with np.errstate(over="ignore"):
            expected = values.astype(np.longdouble).astype(target)
    assert_same(gpuarray.to_device(values).astype(target), expected)


def float_to_bfloat16(value: int) -> float:
    """The nearest number with 8 significant bits, halves to even."""
    sign, size = (-1, -value) if value < 0 else (1, value)
    shift = max(size.bit_length() - 8, 0)
    whole, rest = divmod(size, 1 << shift)
    half = (1 << shift) / 2
    if shift and (rest > half or (rest == half and whole & 1)):
        whole += 1
    return float(sign * (whole << shift))


def test_casting_rules(device):
    x = gpuarray.ones(2, np.float64)
    assert x.astype(np.float32, casting="same_kind").dtype == np.float32
    for dtype, casting in [
        (np.int64, "same_kind"),
        (np.float32, "safe"),
        (np.complex128, "no"),
        (np.float32, "equiv"),
    ]:
        with pytest.raises(TypeError, match=rf"float64.*{np.dtype(dtype)}.*{casting}"):
            x.astype(dtype, casting=casting)
    with pytest.raises(ValueError, match="casting"):
        x.astype(np.float32, casting="sometimes")


def test_casting_rules_are_numpys(device):
    pairs = [(a, b) for a, b in PAIRS if BFLOAT16 not in (a, b)]
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        for a, b in pairs:
            x = gpuarray.empty(0, a)
            if np.can_cast(a, b, casting):
                assert x.astype(b, casting=casting).dtype == b
            else:
                with pytest.raises(TypeError, match=casting):
                    x.astype(b, casting=casting)


def test_copy_argument(device):
    x = gpuarray.ones((2, 3), np.float32)
    assert x.astype(np.float32) is not x
    assert x.astype(np.float32, copy=False) is x
    assert x.astype(np.float32, order="F", copy=False) is not x
    assert x.astype(np.float64, copy=False).dtype == np.float64


@pytest.mark.parametrize("name", ["float", "int", "f4", "<i2", "single", "?", "bfloat16"])
def test_names_of_dtypes(device, name):
    expected = BFLOAT16 if name == "bfloat16" else np.dtype(name).newbyteorder("=")
    assert gpuarray.ones(2).astype(name).dtype == expected


def test_assignment_casts_as_numpys_does(device):
    x = np.zeros(3, np.int32)
    g = gpuarray.to_device(x)
    x[...] = np.array([1.9, -1.9, 2.5])
    g[...] = gpuarray.to_device(np.array([1.9, -1.9, 2.5]))
    assert_same(g, x)
    g[...] = 7.9
    assert g.tolist() == [7, 7, 7]
