# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""where=, initial= and mean= of reductions, as functions and methods, against NumPy."""

import warnings

import numpy as np
import pytest
from _support.numpy_names import cases, check, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


@pytest.fixture(autouse=True)
def without_warnings():
    """NumPy warns of slices without elements."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def factors(host):
    """Return factors whose products stay in range: NumPy rounds each product of float16."""
    return host / host.dtype.type(16) if host.dtype == "float16" else host


def masked(host, seed=5):
    return values("bool", host.shape, seed)


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "mean", "var", "std"])
@given(cases(), st.booleans())
def test_where(device, name, case, keepdims):
    host, axis = case
    host = factors(host) if name == "prod" else host
    mask = masked(host)
    check(lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m, keepdims=keepdims), host, mask)
    check(lambda xp, a, m: getattr(a, name)(where=m), host, mask)
    check(lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m[:1]), host, mask)


@pytest.mark.parametrize("name", ["max", "min", "sum", "prod"])
@given(cases(), st.sampled_from([0, 1, 3]))
def test_initial(device, name, case, initial):
    host, axis = case
    if host.dtype == bool:
        return
    host = factors(host) if name == "prod" else host
    check(lambda xp, a: getattr(xp, name)(a, axis=axis, initial=initial), host)
    check(
        lambda xp, a, m: getattr(a, name)(axis=axis, initial=initial, where=m), host, masked(host)
    )


@pytest.mark.parametrize("name", ["var", "std"])
@given(cases(kinds=["int32", "float32", "float64", "complex128"]), st.sampled_from([0, 1]))
def test_known_means(device, name, case, ddof):
    host, axis = case
    with np.errstate(all="ignore"):
        mean = np.mean(host, axis=axis, keepdims=True)
    check(lambda xp, a, m: getattr(xp, name)(a, axis=axis, mean=m, ddof=ddof), host, mean)


MEANS = {
    "float64": np.array([[1.0], [4.0]]),
    "float32": np.array([[1], [4]], "float32"),
    "float16": np.array([[1], [4]], "float16"),
    "int64": np.array([[1], [4]]),
    "row": np.array([0.5, 1, 2]),
    "of no dimensions": np.array(2.5),
    "NumPy's scalar": np.float64(2.5),
    "number": 2.5,
    "list": [[1.0], [4.0]],
    "of another shape": np.array([1.0, 2.0]),
}


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("mean", MEANS.values(), ids=MEANS)
@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "float32", "float64", "complex64"])
def test_dtypes_of_known_means(device, name, mean, dtype):
    """A mean may be on the host. The result has NumPy's dtype for it, or `dtype=`."""
    host = np.arange(6).reshape(2, 3).astype(dtype)
    x = gpuarray.to_device(host)
    for to in [None] if dtype == "complex64" else [None, "float16", "float32", "float64"]:
        with np.errstate(all="ignore"):
            try:
                expected = getattr(np, name)(host, axis=1, dtype=to, mean=mean)
            except (TypeError, ValueError) as error:
                with pytest.raises(type(error)):
                    getattr(gpuarray, name)(x, axis=1, dtype=to, mean=mean)
                continue
        for known in (mean, gpuarray.to_device(mean) if isinstance(mean, np.ndarray) else mean):
            got = getattr(gpuarray, name)(x, axis=1, dtype=to, mean=known)
            assert got.dtype == expected.dtype
            np.testing.assert_allclose(got.get(), expected, rtol=2e-3)
        if to is None and name in ("var", "std"):
            assert getattr(x, name)(1, mean=mean).dtype == expected.dtype


def test_out_and_dtypes(device):
    host, mask = values("float32", (3, 4)), values("bool", (3, 4))
    x, m = gpuarray.to_device(host), gpuarray.to_device(mask)
    out = gpuarray.empty(3, "float64")
    assert gpuarray.sum(x, 1, "float64", out, where=m) is out
    np.testing.assert_allclose(out.get(), host.sum(1, "float64", where=mask))
    assert x.mean(axis=1, out=out, where=m) is out
    check(lambda xp, a, w: xp.mean(a, axis=0, dtype="float64", where=w), host, mask)


def test_refuses(device):
    x = gpuarray.ones((2, 3))
    with pytest.raises(ValueError, match="needs initial="):
        x.max(where=x > 0)
    with pytest.raises(ValueError, match="does not broadcast"):
        x.sum(where=gpuarray.ones((5, 2, 3), bool))
    with pytest.raises(TypeError, match="where must be an array or a scalar of dtype bool"):
        x.sum(where=x)
    with pytest.raises(TypeError, match="bool"):
        x.mean(where=np.ones(3))
    with pytest.raises(TypeError, match="initial"):
        x.mean(initial=1)


def test_options_cannot_be_fused(device):
    fused = gpuarray.fuse(lambda a: gpuarray.sum(a * 2, initial=1))
    with pytest.raises(TypeError, match="initial"):
        fused(gpuarray.ones(3))
    assert gpuarray.fuse(lambda a: gpuarray.sum(a * 2, where=True))(gpuarray.ones(3)).item() == 6


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_no_more_elements_than_ddof(device, name):
    host = np.array([[1.0, 2.0, 5.0], [3.0, 3.0, 4.0]])
    mask = np.array([[True, True, False], [True, True, False]])
    for ddof in (1, 2, 3):
        check(lambda xp, a, m, d=ddof: getattr(xp, name)(a, axis=1, ddof=d, where=m), host, mask)
        check(lambda xp, a, d=ddof: getattr(xp, name)(a, axis=1, ddof=d + 1), host)
