# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""average, ptp, cov, corrcoef, and the functions that pass over NaN, against NumPy."""

import warnings
from unittest import mock

import numpy as np
import pytest
from _support.compare import host as host_of
from _support.layouts import ALL
from _support.numpy_names import KINDS, REAL, cases, check, compare, values
from hypothesis import assume, given
from hypothesis import strategies as st

import gpuarray
from gpuarray._common import one_pass
from gpuarray._statistics import statistics


@pytest.fixture(autouse=True)
def without_warnings():
    """NumPy warns of slices without numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


SUMS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd"]
EXTREMES = ["nanmin", "nanmax"]


@pytest.mark.parametrize("name", [*SUMS, *EXTREMES])
@given(cases(nan=0.4), st.booleans())
def test_reductions_but_for_nan(device, name, case, keepdims):
    host, axis = case
    check(lambda xp, a: getattr(xp, name)(a, axis=axis, keepdims=keepdims), host)
    check(lambda xp, a: getattr(xp, name)(a), host)


@pytest.mark.parametrize("name", ["nansum", "nanmax", "nanmin", "nanmean", "nanvar"])
def test_masks(device, name):
    host = values("float64", (4, 5), nan=0.3)
    mask = values("bool", (4, 5))
    initial = {"initial": -1.0} if name in ("nanmax", "nanmin") else {}
    check(lambda xp, a, m: getattr(xp, name)(a, axis=1, where=m, **initial), host, mask)


@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
@given(cases(kinds=REAL[6:], nan=0.4), st.sampled_from([1, 2, 0.5]))
def test_degrees_of_freedom(device, name, case, ddof):
    host, axis = case
    check(lambda xp, a: getattr(xp, name)(a, axis=axis, ddof=ddof), host)
    check(lambda xp, a: getattr(xp, name)(a, axis=axis, correction=ddof), host)


def test_variance_about_a_known_mean(device):
    host = values("float32", (4, 5), nan=0.3)
    mean = np.nanmean(host, axis=1, keepdims=True)
    check(lambda xp, a, m: xp.nanvar(a, axis=1, mean=m), host, mean)
    with pytest.raises(ValueError, match="ddof and correction"):
        gpuarray.nanvar(gpuarray.to_device(host), ddof=1, correction=1)


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
@given(cases(nan=0.4))
def test_scans_but_for_nan(device, name, case):
    host, axis = case
    # Once beyond float16 NumPy's products stay infinite; ours are of float32 till the end.
    assume(name == "nancumsum" or np.isfinite(np.nancumprod(host)).all())
    check(lambda xp, a: getattr(xp, name)(a, axis=axis), host)
    check(lambda xp, a: getattr(xp, name)(a), host)


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
@pytest.mark.parametrize("dtype", KINDS)
def test_places_of_extremes(device, name, dtype):
    host = values(dtype, (4, 7), nan=0.3)
    check(lambda xp, a: getattr(xp, name)(a, axis=1), host)
    check(lambda xp, a: getattr(xp, name)(a, axis=0, keepdims=True), host)
    check(lambda xp, a: getattr(xp, name)(a), host)


def test_no_place_where_all_are_nan(device):
    x = gpuarray.to_device([[np.nan, np.nan], [np.nan, 2]])
    assert gpuarray.nanargmax(x, axis=1).tolist() == [-1, 1]
    assert gpuarray.nanargmin(x, axis=0).tolist() == [-1, 1]


def test_nan_functions_into_out(device):
    x = gpuarray.to_device([[1, np.nan], [3, 4]])
    for name in [*SUMS, *EXTREMES]:
        out = gpuarray.empty(2)
        assert getattr(gpuarray, name)(x, axis=0, out=out) is out
        np.testing.assert_allclose(out.get(), getattr(np, name)(x.get(), axis=0))


METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "weibull", "linear"]
METHODS += ["interpolated_inverted_cdf", "hazen", "median_unbiased", "normal_unbiased"]
METHODS += ["lower", "higher", "midpoint", "nearest"]


@given(cases(kinds=REAL[1:], nan=0.4), st.booleans())
def test_nanmedian(device, case, keepdims):
    host, axis = case
    check(lambda xp, a: xp.nanmedian(a, axis, keepdims=keepdims), host)
    check(lambda xp, a: xp.nanmedian(a), host)


@pytest.mark.parametrize("method", METHODS)
@given(cases(kinds=["int32", "float64"], nan=0.4), st.sampled_from([0, 0.3, 0.5, 1.0]))
def test_nanquantile(device, method, case, q):
    host, axis = case
    if host.size:
        check(lambda xp, a: xp.nanquantile(a, q, axis, method=method), host)
        check(lambda xp, a: xp.nanquantile(a, [q, 0.7], axis, method=method, keepdims=True), host)
        check(lambda xp, a: xp.nanpercentile(a, 100 * q, method=method), host)


def test_quantiles_of_narrow_floats(device):
    for dtype in ("float16", "float32"):
        host = values(dtype, (5, 7), nan=0.2)
        check(lambda xp, a: xp.nanquantile(a, 0.3, axis=1), host)
        check(lambda xp, a: xp.nanpercentile(a, [10, 60], axis=1), host)


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}])
@pytest.mark.parametrize("q", [[], [[0.25, 0.5], [0, 1]], np.float64(0.5), [0, 1]])
@pytest.mark.parametrize("kind", ["float32", "float64", "int16"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_quantiles_of_any_shape(device, name, kind, q, options):
    host = values(kind, (3, 6, 2), 1, nan=0.1 if "float" in kind and "nan" in name else 0)
    for one in (q, np.asarray(q)):
        check(lambda xp, a, q: getattr(xp, name)(a, q, **options), host, one)
    check(lambda xp, a: getattr(xp, name)(a, 1j, **options), host)


def test_nanquantile_refuses(device):
    x = gpuarray.ones(3)
    with pytest.raises(ValueError, match=r"must be in the range \[0, 1\]"):
        gpuarray.nanquantile(x, 2)
    with pytest.raises(ValueError, match="method must be one of"):
        gpuarray.nanquantile(x, 0.5, method="best")


def check_weighted(name, host, weights, q, method="inverted_cdf", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        check(
            lambda xp, a, w: getattr(xp, name)(a, q, method=method, weights=w, **options),
            host,
            weights,
        )


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int16", "bool"])
def test_weighted_quantiles(device, name, kind):
    host = values(kind, (4, 5, 3), 1, nan=0.2 if kind.startswith("f") else 0)
    weights = np.arange(60.0).reshape(4, 5, 3) % 7
    for axis in (None, 0, 1, -1, (0, 2), (2, 0)):
        for q in (0, 1, 0.5, np.float32(0.4), [0.0, 0.1, 0.25, 1.0], np.float16([0.3, 0.9]), []):
            for keepdims in (False, True):
                check_weighted(name, host, weights, q, axis=axis, keepdims=keepdims)
    for axis, shape in ((0, (4,)), (1, (5,)), ((0, 2), (4, 3)), ((2, 0), (3, 4)), (None, (60,))):
        one = np.arange(np.prod(shape)).reshape(shape) + 1
        if name == "quantile":  # NumPy's nanquantile fails for weights of another shape
            check_weighted(name, host, one, 0.3, axis=axis)


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_weights_that_are_refused(device, name):
    host = np.array([[3.0, 4.0], [np.nan, np.nan], [1.0, np.nan]])
    good = np.ones((3, 2))
    for bad in (-good, good * np.nan, good * np.inf, good * 0, np.ones(3), good[:2]):
        for axis in (None, 1):
            check_weighted(name, host, bad, 0.5, axis=axis)
    check_weighted(name, host, good, 0.5, method="linear")
    x = gpuarray.to_device(host)
    with pytest.raises(TypeError, match="real numbers"):
        getattr(gpuarray, name)(x, 0.5, method="inverted_cdf", weights=x * 1j)
    # A row without numbers needs no weights, and NaN no weight, where NaN is passed over.
    some = np.array([[1.0, 2.0], [0.0, np.nan], [2.0, np.inf]])
    check_weighted(name, host, some, 0.5, axis=1)


def test_weighted_quantiles_of_bfloat16(device):
    x = gpuarray.to_device([4.0, 1.0, 2.0, 8.0]).astype("bfloat16")
    made = gpuarray.quantile(x, [0.5, 1], weights=[1, 1, 5, 1], method="inverted_cdf")
    assert made.dtype == x.dtype
    assert made.astype("float32").tolist() == [2, 8]


@given(cases(), st.booleans())
def test_ptp(device, case, keepdims):
    host, axis = case
    if host.dtype != bool:
        check(lambda xp, a: xp.ptp(a, axis, keepdims=keepdims), host, exact=True)
        check(lambda xp, a: xp.ptp(a), host, exact=True)


@given(cases(), st.sampled_from(["float32", "float64", "int32"]), st.booleans())
def test_average(device, case, dtype, keepdims):
    host, axis = case
    if host.size == 0:
        return
    weights = np.abs(values(dtype, host.shape, 1)) + np.dtype(dtype).type(1)
    along = weights.take(0, axis=(axis + 1) % 2) if host.ndim == 2 else None
    check(lambda xp, a: xp.average(a, axis, returned=True, keepdims=keepdims), host)
    check(lambda xp, a, w: xp.average(a, axis, w, True, keepdims=keepdims), host, weights)
    check(lambda xp, a, w: xp.average(a, weights=w), host, weights)
    if along is not None:
        check(lambda xp, a, w: xp.average(a, axis, w), host, along)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool", "complex64"])
@pytest.mark.parametrize("dtype_of_weights", ["float32", "float64", "int64"])
@pytest.mark.parametrize("layout", ALL)
def test_average_in_one_pass(device, dtype, dtype_of_weights, layout):
    """Both sums are made by one kernel, where there is one for the dtypes."""
    host, weights = values(dtype, (6, 70)), np.abs(values(dtype_of_weights, (6, 70))) + 1
    x, w = layout(host), layout(weights)
    cases = [(None, w), (0, w), (1, w), (1, layout(weights[0])), ((1, 0), w.T.copy().T)]
    kernel = mock.Mock(wraps=statistics._weighted_sums_kernel)
    for axis, given_weights in cases:
        expected = np.average(host, axis, host_of(given_weights), returned=True)
        with (
            mock.patch.object(one_pass, "LEAST_SIZE", 0),
            mock.patch.object(statistics, "_weighted_sums_kernel", kernel),
        ):
            got = gpuarray.average(x, axis, given_weights, returned=True)
            alone = gpuarray.average(x, axis, given_weights, keepdims=True)
        compare(got, expected)
        compare(alone.reshape(expected[0].shape), expected[0])
    assert kernel.called == (device != "cpu" and dtype != "complex64")


def test_average_over_several_axes_in_any_order(device):
    host, weights = values("float64", (2, 3, 4)), np.abs(values("float64", (4, 2))) + 1
    check(lambda xp, a, w: xp.average(a, axis=(2, 0), weights=w), host, weights)
    x = gpuarray.to_device(host)
    with pytest.raises(TypeError, match="axis must be specified"):
        gpuarray.average(x, weights=gpuarray.ones(3))
    with pytest.raises(ValueError, match="must be consistent"):
        gpuarray.average(x, axis=0, weights=gpuarray.ones(3))
    assert np.isnan(gpuarray.average(x, weights=gpuarray.zeros(x.shape)).item())


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(
    "options",
    [{}, {"rowvar": False}, {"bias": True}, {"ddof": 0}, {"dtype": "complex64"}],
    ids=str,
)
def test_cov(device, dtype, options):
    for shape in ((7,), (3, 5), (1, 4)):
        host, other = values(dtype, shape), values("float32", shape, 1)
        check(lambda xp, a: xp.cov(a, **options), host)
        check(lambda xp, a, b: xp.cov(a, b, **options), host, other)


def test_cov_with_weights(device):
    host = values("float64", (3, 6))
    often, weights = np.array([1, 2, 1, 3, 1, 1]), np.linspace(0.5, 1, 6)
    check(lambda xp, a, f: xp.cov(a, fweights=f), host, often)
    check(lambda xp, a, f, w: xp.cov(a, fweights=f, aweights=w), host, often, weights)
    check(lambda xp, a, f, w: xp.cov(a, fweights=f, aweights=w, ddof=0), host, often, weights)
    check(lambda xp, a: xp.cov(a, ddof=6), host)
    x = gpuarray.to_device(host)
    with pytest.raises(TypeError, match="fweights must be integers"):
        gpuarray.cov(x, fweights=gpuarray.ones(6))
    with pytest.raises(RuntimeError, match="multidimensional aweights"):
        gpuarray.cov(x, aweights=x)
    with pytest.raises(RuntimeError, match="incompatible numbers of samples"):
        gpuarray.cov(x, aweights=gpuarray.ones(3))
    with pytest.raises(ValueError, match="more than 2 dimensions"):
        gpuarray.cov(gpuarray.ones((1, 2, 3)))


@pytest.mark.parametrize("dtype", KINDS)
def test_corrcoef(device, dtype):
    for shape in ((7,), (3, 9)):
        host = values(dtype, shape)
        check(lambda xp, a: xp.corrcoef(a), host)
        check(lambda xp, a, b: xp.corrcoef(a, b), host, values("float32", shape, 1))
        check(lambda xp, a: xp.corrcoef(a, rowvar=False, dtype="complex64"), host, scale=1)
