# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""bincount and histograms, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from _support.numpy_names import check as same_as_numpy
from _support.special_values import REAL, sample
from hypothesis import given

import gpuarray

INTEGERS = [dtype for dtype in REAL if "int" in dtype]


def finite(dtype, shape, seed=0, few=False):
    x = sample(dtype, shape, seed, few)
    return x if x.dtype.kind in "biu" else np.where(np.isfinite(x), x, x.dtype.type(0.5))


def check(made, expected, rtol=1e-12):
    assert made.dtype == expected.dtype
    if expected.dtype.kind in "iu":
        np.testing.assert_array_equal(made.get(), expected)
    else:
        np.testing.assert_allclose(made.get(), expected, rtol)


@pytest.mark.parametrize("length", [0, 1, 50, 3000])
@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d != "uint64"] + ["bool"])
def test_bincount(device, dtype, length):
    x = np.abs(sample(dtype, length)) % 100 if dtype != "bool" else sample(dtype, length)
    x = np.where(x < 0, 0, x).astype(dtype)
    a = gpuarray.to_device(x)
    check(gpuarray.bincount(a), np.bincount(x))
    check(gpuarray.bincount(a, minlength=20), np.bincount(x, minlength=20))
    w = np.random.default_rng(1).random(length).astype("float32")
    check(gpuarray.bincount(a, gpuarray.to_device(w)), np.bincount(x, w))


def test_bincount_of_many_bins(device):
    x = np.random.default_rng(0).integers(0, 100000, 5000)
    a, w = gpuarray.to_device(x), np.arange(5000)
    check(gpuarray.bincount(a), np.bincount(x))
    check(gpuarray.bincount(a[::-2]), np.bincount(x[::-2]))
    check(gpuarray.bincount(a, gpuarray.to_device(w)), np.bincount(x, w))


def test_bincount_errors(device):
    a = gpuarray.to_device(np.array([1, -1, 2]))
    with pytest.raises(ValueError, match="negative elements"):
        gpuarray.bincount(a)
    with pytest.raises(ValueError, match="one dimension"):
        gpuarray.bincount(a.reshape(1, 3))
    with pytest.raises(TypeError, match="int64 safely"):
        gpuarray.bincount(gpuarray.zeros(3))
    with pytest.raises(ValueError, match="minlength"):
        gpuarray.bincount(gpuarray.zeros(3, "int64"), minlength=-1)
    with pytest.raises(ValueError, match="weights"):
        gpuarray.bincount(gpuarray.zeros(3, "int64"), gpuarray.zeros(2))


@pytest.mark.parametrize("bins", [1, 10, 500, 3000])
@pytest.mark.parametrize("dtype", [*(d for d in REAL if d != "float16"), "float16"])
def test_histogram(device, dtype, bins):
    if dtype == "float16" and bins > 10:
        pytest.skip("NumPy counts in float16, which is too coarse")
    x = finite(dtype, 4000)
    if dtype == "bool":
        x = x.astype("uint8")
    a = gpuarray.to_device(x)
    counts, edges = np.histogram(x, bins)
    made, limits = gpuarray.histogram(a, bins)
    check(limits, edges, rtol=0)
    check(made, counts)


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
@pytest.mark.parametrize("span", [(-1, 1), (0.25, 3), (2, 2), (50, 60)])
def test_range(device, dtype, span):
    x = sample(dtype, (30, 40))  # with NaN and infinities, which are in no bin
    made, limits = gpuarray.histogram(gpuarray.to_device(x), 7, span)
    counts, edges = np.histogram(x, 7, span)
    check(limits, edges, rtol=0)
    check(made, counts)


@given(st.integers(1, 60), st.integers(0, 10**6), st.sampled_from(["float32", "float64"]))
def test_elements_on_edges(device, bins, seed, dtype):
    edges = np.histogram_bin_edges(np.random.default_rng(seed).random(9).astype(dtype), bins)
    x = np.concatenate([edges, np.nextafter(edges, edges - 1)])
    x = x.astype(dtype)
    span = (edges[0], edges[-1])
    made, limits = gpuarray.histogram(gpuarray.to_device(x), bins, span)
    counts, expected = np.histogram(x, bins, span)
    np.testing.assert_array_equal(limits.get(), expected)
    np.testing.assert_array_equal(made.get(), counts)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("bins", [[0, 1, 2, 5], [-1.5, 0.0, 0.0, 2.25], list(range(3000))])
def test_edges(device, dtype, bins):
    x = sample(dtype, 2000)
    counts, _ = np.histogram(x, bins)
    check(gpuarray.histogram(gpuarray.to_device(x), bins)[0], counts)
    edges = gpuarray.to_device(np.asarray(bins))
    made, limits = gpuarray.histogram(gpuarray.to_device(x), edges)
    check(made, counts)
    assert limits.dtype == np.asarray(bins).dtype


@pytest.mark.parametrize("bins", [5, [0, 0.5, 2]])
@pytest.mark.parametrize("kind", ["int32", "float32", "float64", "complex128"])
def test_weights(device, kind, bins):
    x = finite("float64", (20, 30), few=True)
    w = np.random.default_rng(5).integers(1, 9, x.shape).astype(kind)
    args = gpuarray.to_device(x), bins, None, None, gpuarray.to_device(w)
    check(gpuarray.histogram(*args)[0], np.histogram(x, bins, weights=w)[0])


@pytest.mark.parametrize("bins", [6, [0, 1, 4]])
def test_density(device, bins):
    x = finite("float32", 500)
    made, _ = gpuarray.histogram(gpuarray.to_device(x), bins, density=True)
    check(made, np.histogram(x, bins, density=True)[0], rtol=1e-6)


RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


@pytest.mark.parametrize("rule", RULES)
def test_rules(device, rule):
    x = np.random.default_rng(3).standard_normal(2000)
    check(
        gpuarray.histogram_bin_edges(gpuarray.to_device(x), rule), np.histogram_bin_edges(x, rule)
    )
    made, _ = gpuarray.histogram(gpuarray.to_device(x), rule, (-1, 2))
    check(made, np.histogram(x, rule, (-1, 2))[0])


def test_no_elements(device):
    made, limits = gpuarray.histogram(gpuarray.zeros(0), 4)
    check(made, np.zeros(4, "int64"))
    check(limits, np.linspace(0, 1, 5))


def test_errors(device):
    a = gpuarray.to_device(np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="not finite"):
        gpuarray.histogram(a)
    with pytest.raises(ValueError, match="must be positive"):
        gpuarray.histogram(a, 0)
    with pytest.raises(TypeError, match="an integer, a string or edges"):
        gpuarray.histogram(a, 2.5)
    with pytest.raises(ValueError, match="increase monotonically"):
        gpuarray.histogram(a, [1, 0])
    with pytest.raises(ValueError, match="larger than min"):
        gpuarray.histogram(a, 2, (1, 0))
    with pytest.raises(ValueError, match="not a valid estimator"):
        gpuarray.histogram(gpuarray.zeros(3), "best")
    with pytest.raises(ValueError, match="weights"):
        gpuarray.histogram(a, 2, weights=gpuarray.zeros(3))


@pytest.mark.parametrize("density", [None, True])
@pytest.mark.parametrize("bins", [4, [3, 5], [[0, 0.25, 1], 3]])
def test_histogram2d(device, bins, density):
    x, y = np.random.default_rng(0).random((2, 300))
    made = gpuarray.histogram2d(gpuarray.to_device(x), gpuarray.to_device(y), bins, None, density)
    for each, expected in zip(made, np.histogram2d(x, y, bins, None, density), strict=True):
        np.testing.assert_allclose(each.get(), expected, rtol=1e-12)


def test_histogramdd(device):
    x = np.random.default_rng(0).random((200, 3))
    w = np.arange(200.0)
    spans = [(0.1, 0.9), None, (0, 0.5)]
    made, edges = gpuarray.histogramdd(
        gpuarray.to_device(x), (2, 3, 4), spans, weights=gpuarray.to_device(w)
    )
    counts, limits = np.histogramdd(x, (2, 3, 4), spans, weights=w)
    np.testing.assert_allclose(made.get(), counts, rtol=1e-12)
    for each, expected in zip(edges, limits, strict=True):
        np.testing.assert_allclose(each.get(), expected, rtol=1e-15)


@pytest.mark.parametrize("kind", ["int8", "uint8", "uint64", "bool"])
def test_bincount_of_any_integers(device, kind):
    host = np.array([1, 0, 5, 1]).astype(kind)
    same_as_numpy(lambda xp, x: xp.bincount(x), host)
    same_as_numpy(lambda xp, x: xp.bincount(x[::-2], minlength=9), host)
    same_as_numpy(lambda xp, x, w: xp.bincount(x, w), host, np.arange(4.0))
    same_as_numpy(lambda xp, x: xp.bincount(x), host[:0])


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
def test_bincount_beyond_int64(device, number):
    same_as_numpy(lambda xp, x: xp.bincount(x), np.array([1, number], "uint64"))


@pytest.mark.parametrize("bins", [3, [2, 3], [[0, 1, 4], 3], [[0, 1, 4], [0.5, 2, 9]], "auto"])
@pytest.mark.parametrize("kinds", ["f4 i8", "f4 f4", "i1 f4", "i4 u1", "f8 f4", "f2 i4"])
def test_edges_of_several_axes(device, kinds, bins):
    x, y = (np.arange(6).astype(kind) for kind in kinds.split())
    same_as_numpy(lambda xp, x, y: xp.histogramdd([x, y], bins), x, y)
    if bins != "auto":
        same_as_numpy(lambda xp, x, y: xp.histogram2d(x, y, bins, density=True), x, y)
    same_as_numpy(lambda xp, a: xp.histogramdd(a, bins), np.stack([x, y], -1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(
    "edges", [[0, 1.5, np.nan], [0, np.nan, np.nan], [np.nan, np.nan], [0, 1, 2]], ids=str
)
def test_nan_comes_last_among_edges(device, edges, dtype):
    x = np.array([-1, 0, 1, 1.5, 2, 9, np.nan, np.nan, np.inf], dtype)
    counts, _ = gpuarray.histogram(gpuarray.to_device(x), gpuarray.to_device(np.array(edges)))
    np.testing.assert_array_equal(counts.get(), np.histogram(x, np.array(edges))[0])


@pytest.mark.parametrize(
    "limits", [[(0, 1), (0, 1)], [(0.0, 1.5), None], [(np.float32(0), np.float32(2)), (0, 3)]]
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_edges_of_given_ranges(device, dtype, limits):
    same_as_numpy(lambda xp, a: xp.histogramdd(a, 3, range=limits), np.ones((4, 2), dtype))


def test_values_that_numpy_squeezes(device):
    host = np.zeros((2, 3))
    x = gpuarray.to_device(host)
    for xp, a in ((np, host), (gpuarray, x)):
        source = np.arange(6.0).reshape(1, 1, 2, 3)
        xp.copyto(a, source if xp is np else gpuarray.to_device(source), where=1)
    assert x.tolist() == host.tolist()


def test_complex_numbers_between_edges(device):
    x = np.array([1 + 1j, 2, 3, 2 + 1j, 5, 0.5j])
    edges = np.array([0, 1, 2 + 1j, 4])
    a = gpuarray.to_device(x)
    check(gpuarray.histogram(a, edges)[0], np.histogram(x, edges)[0])
    weights = np.arange(6.0)
    made = gpuarray.histogram(a, edges, weights=gpuarray.to_device(weights))[0]
    check(made, np.histogram(x, edges, weights=weights)[0])
    with pytest.raises(TypeError, match="given by their edges"):
        gpuarray.histogram(a, 3)
