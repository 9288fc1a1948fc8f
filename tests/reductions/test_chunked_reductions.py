# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions and scans by chunks give what NumPy gives for the whole array."""

import warnings

import hypothesis
import numpy as np
import pytest
from _support.compare import assert_same
from hypothesis import strategies as st

import gpuarray
from gpuarray._ufuncs import chunks, ufunc_folds

DTYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
# The ufuncs that fold integers, floats and all dtypes.
FOLDS = {
    "i": ["add", "multiply", "maximum", "fmin", "bitwise_and", "bitwise_xor", "gcd", "subtract"],
    "f": ["add", "multiply", "minimum", "fmax", "logical_or", "subtract", "divide", "hypot"],
    "c": ["add", "multiply", "maximum", "logical_and", "subtract", "divide"],
    "b": ["add", "multiply", "logical_xor", "logical_and", "maximum", "equal"],
}
FOLDS["u"] = FOLDS["i"]


@pytest.fixture(params=[1, 7, 600])
def chunk(request, monkeypatch):
    """Make chunks small: single elements, rows in parts, or few of many rows."""
    monkeypatch.setattr(chunks, "CHUNK", {"cpu": request.param, "cuda": request.param})
    monkeypatch.setattr(ufunc_folds, "CHUNK", chunks.CHUNK)


@st.composite
def arrays(draw, dtypes=DTYPES):
    """Draw a small array of few distinct values, of any strides, with a mask of its shape."""
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    host = random.integers(0, 4, shape).astype(dtype)
    if dtype.kind in "fc" and draw(st.booleans()):
        host[random.random(shape) < 0.2] = np.nan
    host = host.transpose(draw(st.permutations(range(len(shape)))))
    host = host[tuple(slice(None, None, draw(st.sampled_from([1, -1, 2]))) for _ in shape)]
    return host, random.random(host.shape) < 0.6


@st.composite
def axes(draw, ndim):
    chosen = draw(st.sets(st.integers(0, ndim - 1)))
    return draw(st.sampled_from([None, tuple(chosen)])) if chosen else None


def check(call, numpys, rtol=0.0):
    """Compare results, or that both raise; floats up to `rtol`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = numpys()
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                call()
            return
        got = call()
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype
    if expected.dtype.kind in "fc" and rtol:
        np.testing.assert_allclose(got.get(), expected, rtol=rtol)
    else:
        assert_same(got, expected)


def tolerance(*dtypes):
    """Return twice the rounding of the least precise dtype, and of the steps before it."""
    inexact = [np.dtype(dtype) for dtype in dtypes if np.dtype(dtype).kind in "fc"]
    return max((16 * float(np.finfo(dtype).eps) for dtype in inexact), default=1e-13)


SETTINGS = hypothesis.settings(
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)


def assume_defined(host, dtype):
    """NaN as an integer is any number."""
    hypothesis.assume(
        dtype is None or np.dtype(dtype).kind not in "iu" or not np.isnan(host.astype("c16")).any()
    )


@hypothesis.given(data=st.data())
@SETTINGS
def test_reductions_of_ufuncs(device, chunk, data):
    host, mask = data.draw(arrays())
    dtype = data.draw(st.sampled_from([None, None, *DTYPES]))
    assume_defined(host, dtype)
    kind = np.dtype(dtype if dtype is not None else host.dtype).kind
    name = data.draw(st.sampled_from(FOLDS[kind]))
    axis = data.draw(axes(host.ndim))
    options = {"dtype": dtype, "keepdims": data.draw(st.booleans())}
    initial = data.draw(st.sampled_from([None, 1, 2]))
    if initial is not None:
        options["initial"] = initial
    x, where = gpuarray.to_device(host), gpuarray.to_device(mask)
    check(
        lambda: getattr(gpuarray, name).reduce(x, axis, where=where, **options),
        lambda: getattr(np, name).reduce(host, axis, where=mask, **options),
        tolerance(host.dtype, dtype or host.dtype),
    )
    check(
        lambda: getattr(gpuarray, name).reduce(x, axis, **options),
        lambda: getattr(np, name).reduce(host, axis, **options),
        tolerance(host.dtype, dtype or host.dtype),
    )


@hypothesis.given(data=st.data())
@SETTINGS
def test_averages(device, chunk, data):
    host, mask = data.draw(arrays())
    name = data.draw(st.sampled_from(["mean", "var", "std", "nanmean", "nanvar", "nanstd"]))
    axis = data.draw(axes(host.ndim))
    options = {"keepdims": data.draw(st.booleans())}
    if name.endswith(("var", "std")):
        options["ddof"] = data.draw(st.integers(0, 2))
    x, where = gpuarray.to_device(host), gpuarray.to_device(mask)
    check(
        lambda: getattr(gpuarray, name)(x, axis, where=where, **options),
        lambda: getattr(np, name)(host, axis, where=mask, **options),
        tolerance(host.dtype),
    )


@hypothesis.given(data=st.data())
@SETTINGS
def test_variances_of_given_means(device, chunk, data):
    host, mask = data.draw(arrays(["i4", "f4", "f8", "c16"]))
    host = np.nan_to_num(host)
    axis = data.draw(axes(host.ndim))
    mean = host.mean(axis, keepdims=True)
    x, means = gpuarray.to_device(host), gpuarray.to_device(mean)
    for one in (means, means.tolist()):
        got = x.var(axis, mean=one, where=gpuarray.to_device(mask))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = host.var(axis, mean=mean, where=mask)
        np.testing.assert_allclose(got.get(), expected, rtol=tolerance(host.dtype))


@hypothesis.given(data=st.data())
@SETTINGS
def test_segments(device, chunk, data):
    host, _ = data.draw(arrays())
    dtype = data.draw(st.sampled_from([None, *DTYPES]))
    assume_defined(host, dtype)
    kind = np.dtype(dtype if dtype is not None else host.dtype).kind
    name = data.draw(st.sampled_from(FOLDS[kind]))
    axis = data.draw(st.integers(0, host.ndim - 1))
    starts = data.draw(st.lists(st.integers(0, host.shape[axis] - 1), max_size=6))
    x = gpuarray.to_device(host)
    check(
        lambda: getattr(gpuarray, name).reduceat(x, starts, axis, dtype),
        lambda: getattr(np, name).reduceat(host, np.array(starts, int), axis, dtype),
        tolerance(host.dtype, dtype or host.dtype),
    )


@hypothesis.given(data=st.data())
@SETTINGS
def test_scans_into_arrays_of_other_dtypes(device, chunk, data):
    host, _ = data.draw(arrays())
    dtype, other = (data.draw(st.sampled_from([None, *DTYPES])) for _ in range(2))
    assume_defined(host, dtype)
    assume_defined(host, other)
    if other is not None:  # NumPy converts results in any way
        loop = dtype if dtype is not None else np.promote_types(host.dtype, other)
        hypothesis.assume(np.can_cast(loop, other, "same_kind"))
    name = data.draw(st.sampled_from(["cumsum", "cumprod", "nancumsum", "nancumprod"]))
    axis = data.draw(st.sampled_from([None, *range(host.ndim)]))
    shape = host.shape if axis is not None else (host.size,)
    x = gpuarray.to_device(host)
    check(
        lambda: getattr(gpuarray, name)(
            x, axis, dtype, None if other is None else gpuarray.zeros(shape, other)
        ),
        lambda: getattr(np, name)(
            host, axis, dtype, None if other is None else np.zeros(shape, other)
        ),
        tolerance(host.dtype, dtype or host.dtype, other or host.dtype),
    )


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "fmin", "divide", "hypot"])
def test_accumulated_values_go_into_out(device, chunk, name):
    host = np.arange(1, 13, dtype="f4").reshape(3, 4)
    x = gpuarray.to_device(host)
    for dtype, other in [(None, "f4"), ("f8", "f4"), ("f8", "f8"), (None, "f8")]:
        for axis in (0, 1):
            out, expected = gpuarray.zeros((3, 4), other), np.zeros((3, 4), other)
            made = getattr(gpuarray, name).accumulate(x, axis, dtype, out)
            assert made is out
            getattr(np, name).accumulate(host, axis, dtype, expected)
            np.testing.assert_allclose(out.get(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["cumsum", "nancumsum"])
def test_a_scan_into_memory_that_it_reads(device, chunk, name):
    host = np.arange(24, dtype="f8").reshape(6, 4)
    for dtype in ("f8", "f4"):
        for axis in (0, 1):
            for view in (np.s_[:], np.s_[::-1]):
                x, expected = gpuarray.to_device(host), host.copy()
                made = getattr(gpuarray, name)(x, axis, dtype, x[view])
                assert_same(made, getattr(np, name)(expected, axis, dtype, expected[view]))
