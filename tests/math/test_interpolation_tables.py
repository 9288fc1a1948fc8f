# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""interp of many queries, which a table of buckets leads to their points, against NumPy."""

from unittest import mock

import numpy as np
import pytest
from _support.fused import check_one_pass
from hypothesis import example, given
from hypothesis import strategies as st

import gpuarray
from gpuarray._common import one_pass
from gpuarray._statistics import interpolation_kernels

TINY, HUGE = 5e-324, np.finfo("float64").max
SPREADS = {
    "even": lambda random, n: np.arange(float(n)),
    "random": lambda random, n: random.uniform(-3, 5, n),
    "clustered": lambda random, n: np.exp(random.uniform(-40, 2, n)),
    "far": lambda random, n: np.append(random.uniform(0, 1, n - 1), 1e9),
    "same": lambda random, n: random.integers(0, max(1, n // 3), n).astype("float64"),
    "denormal": lambda random, n: random.integers(-9, 9, n) * TINY,
    "extreme": lambda random, n: random.choice([-HUGE, -1e308, -1, -0.0, 0, 1, 1e308, HUGE], n),
    "of all sizes": lambda random, n: (
        10 ** random.uniform(-308, 308, n) * random.choice([-1, 1], n)
    ),
    "half of the range": lambda random, n: random.uniform(0, 1, n) * HUGE,
}
spreads = st.sampled_from(sorted(SPREADS))
seeds = st.integers(0, 1 << 32)


def places(points, dtype):
    """Return queries at all points, just below and above them, between them, and far from them.

    They are so many that there are several buckets for each point.
    """
    with np.errstate(all="ignore"):
        below, above = (np.nextafter(points, end) for end in (-np.inf, np.inf))
        between = points[:-1] / 2 + points[1:] / 2
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, TINY, -TINY, HUGE, -HUGE, 1e308, 0.5, 3]
        made = np.repeat(np.concatenate([special, below, points, above, between]), 16)
        if np.dtype(dtype).kind in "iu":
            made = np.clip(np.nan_to_num(made), 0, 100)
        return made.astype(dtype)


def values(random, n, dtype):
    made = random.normal(size=n) * 8
    for value in (-0.0, 0.0, 1.0, np.inf, -np.inf, np.nan):
        made[random.random(n) < 0.05] = value
    return made + 1j * random.normal(size=n) if dtype == "complex128" else made


def interp_of_large(*arguments, **ends):
    with mock.patch.object(one_pass, "LEAST_SIZE", 0):
        return gpuarray.interp(*map(gpuarray.to_device, arguments), **ends).get()


def check(device, x, xp, fp, **ends):
    """Compare with NumPy, which rounds real numbers alike, and with the operations to the bit."""
    if fp.dtype.kind == "f":
        with np.errstate(all="ignore"):
            expected = np.interp(x, xp, fp, **ends)
        np.testing.assert_array_equal(interp_of_large(x, xp, fp, **ends), expected)
    arrays = [gpuarray.to_device(a) for a in (x, xp, fp)]
    check_one_pass(lambda: gpuarray.interp(*arrays, **ends), device)


@given(spreads, st.integers(1, 60), st.sampled_from(["float64", "complex128"]), seeds)
@example("even", 1, "float64", 0)
@example("even", 2, "float64", 0)
@example("extreme", 2, "float64", 3)
def test_points(device, spread, length, dtype, seed):
    random = np.random.default_rng(seed)
    xp = np.sort(SPREADS[spread](random, length))
    fp = values(random, length, dtype)
    check(device, places(xp, "float64"), xp, fp)
    check(device, places(xp, "float64"), xp, fp, left=-7, right=-0.0)


@given(spreads, st.sampled_from(["float32", "float16", "int32", "uint8", "int64"]), seeds)
def test_dtypes_of_queries(device, spread, dtype, seed):
    random = np.random.default_rng(seed)
    xp = np.sort(SPREADS[spread](random, 30))
    check(device, places(xp, dtype), xp, random.normal(size=30))


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20), seeds)
def test_any_points(device, listed, seed):
    xp = np.sort(listed)
    fp = values(np.random.default_rng(seed), len(xp), "float64")
    arrays = [gpuarray.to_device(a) for a in (places(xp, "float64"), xp, fp)]
    check_one_pass(lambda: gpuarray.interp(*arrays), device)


def test_points_that_are_nan(device):
    fp = np.arange(7.0)
    for count in range(8):
        xp = np.append(np.arange(7.0 - count), [np.nan] * count)
        arrays = [gpuarray.to_device(a) for a in (places(np.arange(7.0), "float64"), xp, fp)]
        check_one_pass(lambda given=arrays: gpuarray.interp(*given), device)


def test_more_points_than_buckets(device):
    random = np.random.default_rng(5)
    xp, fp = np.sort(random.normal(size=500)), random.normal(size=500)
    with mock.patch.object(interpolation_kernels, "_MOST_BUCKETS", 16):
        check(device, places(xp, "float64"), xp, fp)


def test_points_in_no_order_are_read_within_bounds(device):
    random = np.random.default_rng(7)
    for seed in range(20):
        xp = random.permutation(values(random, 50, "float64"))
        made = interp_of_large(places(xp, "float64"), xp, np.full(50, 3.0))
        assert set(made[~np.isnan(made)]) == {3.0}, seed


def test_few_queries_need_no_table(device):
    xp, x = np.arange(50.0), np.array([3.5, 20.25])
    np.testing.assert_array_equal(interp_of_large(x, xp, -xp), -x)


@pytest.mark.cuda
def test_capture(cuda):
    random = np.random.default_rng(9)
    xp, fp, x = np.sort(random.random(40)), random.random(40), random.random(300)
    points, numbers, queries = (gpuarray.to_device(a, device=cuda) for a in (xp, fp, x))
    interp_of_large(x, xp, fp)  # compiles
    with mock.patch.object(one_pass, "LEAST_SIZE", 0), gpuarray.capture() as graph:
        made = gpuarray.interp(queries, points, numbers)
    points[...] = gpuarray.to_device(xp * 2 - 0.5, device=cuda)
    graph.launch()
    np.testing.assert_array_equal(made.get(), np.interp(x, xp * 2 - 0.5, fp))
