# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Ranges between ends of any kind, against NumPy; and windows."""

import itertools

import numpy as np
import pytest
from _support.compare import assert_same
from _support.numpy_names import check

import gpuarray

ENDS = [1, 1000, -1000.0, 1j, 2 - 3j, np.float32(8), np.array([1, 2]), np.array([[-3.0], [5.0]])]
ENDS += [np.array([1j, 2]), [2, 8]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [None, "complex128", "float64"])
@pytest.mark.parametrize(("start", "stop"), list(itertools.product(ENDS, ENDS)))
def test_geomspace(device, start, stop, dtype):
    is_complex = any(np.asarray(end).dtype.kind == "c" for end in (start, stop))
    if dtype == "float64" and is_complex:
        return  # NumPy leaves the imaginary parts out, with a warning
    for options in ({}, {"endpoint": False}, {"axis": -1}):
        check(
            lambda xp, start, stop, options=options: xp.geomspace(
                start, stop, 5, dtype=dtype, **options
            ),
            start,
            stop,
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("start", "stop"), list(itertools.product(ENDS[3:], ENDS[3:])))
def test_linspace_and_logspace(device, start, stop):
    for options in ({}, {"endpoint": False}, {"axis": -1}):
        check(lambda xp, a, b, o=options: xp.linspace(a, b, 4, **o), start, stop)
    check(lambda xp, a, b: xp.logspace(a, b, 4, base=2.0), start, stop)
    check(lambda xp, a: xp.logspace(a, 3, 4, base=[2, 3]), start)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_linspace_has_numpys_bits(device, dtype):
    start, stop = np.array([-1.3, 7.1]).astype(dtype)
    for num, endpoint in itertools.product((1, 2, 7, 1001), (True, False)):
        expected = np.linspace(start, stop, num, endpoint)
        assert_same(gpuarray.linspace(start, stop, num, endpoint), expected)


LARGE = 2**20 + 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "complex64"]
)
def test_large_linspace_of_another_dtype_has_numpys_bits(device, dtype, endpoint):
    for start, stop in ((-100.7, 99.2), (3, -2)):
        with gpuarray.fusion("always"):
            before = gpuarray.fusion_stats().operations
            made = gpuarray.linspace(start, stop, LARGE, endpoint, dtype=dtype)
            gpuarray.synchronize()
            count = gpuarray.fusion_stats().operations - before
        if made.device.kind == "cuda" and dtype != "complex64":
            assert count == 0, "nothing is left to cast"
        if dtype != "uint16":  # NumPy's cast of negative numbers is that of the processor
            assert_same(made, np.linspace(start, stop, LARGE, endpoint, dtype=dtype))
    made, step = gpuarray.linspace(0, 2**16 - 0.5, LARGE, endpoint, retstep=True, dtype=dtype)
    expected, numpys = np.linspace(0, 2**16 - 0.5, LARGE, endpoint, retstep=True, dtype=dtype)
    assert step == numpys
    if dtype != "int8":
        assert_same(made, expected)


def test_large_linspace_of_bfloat16_is_that_of_its_cast(device):
    made = gpuarray.linspace(-3, 7.5, LARGE, dtype="bfloat16")
    expected = gpuarray.linspace(-3, 7.5, LARGE).astype("bfloat16")
    assert made.dtype == expected.dtype and made.tobytes() == expected.tobytes()


def test_geomspace_to_infinity(device):
    check(lambda xp: xp.geomspace(1, np.inf, 3))
    check(lambda xp: xp.geomspace(1, 0))


@pytest.mark.parametrize("beta", [0, 3, 8.5, -2])
@pytest.mark.parametrize("points", [-1, 0, 1, 2, 5, 5.5, 12])
def test_kaiser(device, points, beta):
    check(lambda xp: xp.kaiser(points, beta))


STARTS = [np.uint8(0), np.uint8(5), np.int8(-100), np.uint64(2), np.float32(1.1), np.float16(0), 3]
STOPS = [np.uint8(3), np.uint8(250), np.int8(100), np.float32(2), np.array(9, np.uint8), 9]
STEPS = [None, 1, -1, np.uint8(100), np.int8(-1), np.uint64(1), np.float32(0.1)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("start", "stop"), list(itertools.product(STARTS, STOPS)))
def test_arange_of_numpys_scalars(device, start, stop):
    for step in STEPS:
        check(lambda xp, step=step: xp.arange(start, stop, step))
        check(lambda xp, a, b, step=step: xp.arange(a, b, step), np.array(start), np.array(stop))
    check(lambda xp: xp.arange(stop))
    check(lambda xp: xp.arange(False, True, True))


KINDS = ["bool", "int8", "uint16", "int64", "float16", "float32", "complex64", "complex128"]
NUMBERS = [1, 1.0, 1j, True]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(KINDS, KINDS + NUMBERS)))
def test_dtypes_of_ranges_between_arrays_and_scalars(device, first, second):
    row = np.zeros(1, first)
    scalar = second if second in NUMBERS else np.ones((), second)[()]
    stop = scalar if second in NUMBERS else np.ones(1, second)
    check(lambda xp, a, b: xp.linspace(a, b, 3), row, stop)
    check(lambda xp, a, b: xp.linspace(b, a, 3, retstep=True)[0], row, stop)
    check(lambda xp: xp.linspace(row[0], scalar, 3, retstep=True))
    check(lambda xp, a, b: xp.logspace(a, b, 3), row, stop)
    check(lambda xp: xp.logspace(scalar, row[0], 3))
    check(lambda xp, a, base: xp.logspace(a, 2, 3, base=base), row, row + np.array(2, first))
    check(lambda xp, a, b: xp.geomspace(a, b, 3), row + np.array(1, first), stop)
