# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""diff, ediff1d, gradient, trapezoid and unwrap, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import REAL, cases, check, compare, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


@given(cases(), st.integers(0, 3))
def test_diff(device, case, n):
    host, axis = case
    check(lambda xp, a: xp.diff(a, n, axis), host, exact=True)


@given(cases(), st.sampled_from([0, 2.5, True]))
def test_diff_with_ends(device, case, scalar):
    host, axis = case
    check(lambda xp, a: xp.diff(a, axis=axis, prepend=scalar), host)
    check(
        lambda xp, a, b: xp.diff(a, 2, axis, b, scalar),
        host,
        host[:, ::-1] if host.ndim > 1 else host,
    )


def test_diff_refuses(device):
    x = gpuarray.ones(3)
    with pytest.raises(ValueError, match="non-negative but got -1"):
        gpuarray.diff(x, -1)
    with pytest.raises(ValueError, match="at least one dimensional"):
        gpuarray.diff(gpuarray.ones(()))
    with pytest.raises(TypeError, match=r"diff: expected a GPUArray, got numpy.ndarray"):
        gpuarray.diff(np.ones(3))
    assert gpuarray.diff(x, 0) is x


@given(cases(), st.sampled_from([None, 1, 2.5]))
def test_ediff1d(device, case, end):
    host, _ = case
    check(lambda xp, a: xp.ediff1d(a), host)
    check(lambda xp, a: xp.ediff1d(a, to_end=end, to_begin=0), host)
    check(lambda xp, a, b: xp.ediff1d(a, b, b), host, host)


@given(cases(), st.sampled_from([1, 2]), st.sampled_from([None, 2, 0.5]))
def test_gradient(device, case, edge_order, step):
    host, axis = case
    if host.dtype == bool:
        return
    distances = () if step is None else (step,)
    check(lambda xp, a: xp.gradient(a, *distances, axis=axis, edge_order=edge_order), host)
    check(lambda xp, a: xp.gradient(a, *distances, edge_order=edge_order), host)


@given(cases(kinds=["int32", "float32", "float64", "complex128"]), st.sampled_from([1, 2]))
def test_gradient_at_coordinates(device, case, edge_order):
    host, axis = case
    length = host.shape[axis]
    if length < edge_order + 1:
        return
    points = np.cumsum(np.random.default_rng(length).random(length) + 0.1)
    check(lambda xp, a, x: xp.gradient(a, x, axis=axis, edge_order=edge_order), host, points)
    even = np.arange(length) * 2.0
    check(lambda xp, a, x: xp.gradient(a, x, axis=axis, edge_order=edge_order), host, even)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_at_coordinates_in_lists(device, edge_order):
    host = values("float64", (3, 4))
    for points in ([[0.0, 1, 3], (0, 1, 2, 4)], [2, [0, 1, 2, 4]], [[0, 1], 2.0]):
        check(lambda xp, a, g=points: xp.gradient(a, *g, edge_order=edge_order), host)


def test_gradient_of_several_axes(device):
    host = values("float64", (4, 5, 3))
    check(lambda xp, a, x: xp.gradient(a, x, 2.0, axis=(1, -1)), host, np.array([0, 1, 3, 4, 9]))
    got = gpuarray.gradient(gpuarray.to_device(host))
    assert isinstance(got, tuple) and len(got) == 3


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: gpuarray.gradient(x, 1.0, 2.0), TypeError, "invalid number of arguments"),
        (lambda x: gpuarray.gradient(x, edge_order=3), ValueError, "edge_order"),
        (lambda x: gpuarray.gradient(x, x[:-1]), ValueError, "must match the length"),
        (lambda x: gpuarray.gradient(x[:1]), ValueError, "too small"),
        (lambda x: gpuarray.gradient(x, axis=(0, 0)), ValueError, "repeated axis"),
        (lambda x: gpuarray.gradient(x > 0), TypeError, "bool"),
        (lambda x: gpuarray.gradient(x, np.arange(4.0)), TypeError, "to_device"),
    ],
)
def test_gradient_refuses(device, call, kind, message):
    with pytest.raises(kind, match=message):
        call(gpuarray.arange(4.0))


@given(cases(kinds=REAL), st.sampled_from([1.0, 0.5]))
def test_trapezoid(device, case, dx):
    host, axis = case
    points = values("float64", (host.shape[axis],), 1)
    check(lambda xp, y: xp.trapezoid(y, dx=dx, axis=axis), host)
    check(lambda xp, y, x: xp.trapezoid(y, x, axis=axis), host, points)
    check(lambda xp, y, x: xp.trapezoid(y, x, axis=axis), host, host * 0.5)


@given(
    cases(kinds=["int32", "int64", "float32", "float64"]),
    st.sampled_from([2 * np.pi, 4, 5, 2.5]),
    st.sampled_from([None, 3.0]),
)
def test_unwrap(device, case, period, discont):
    host, axis = case
    check(lambda xp, p: xp.unwrap(p, discont, axis, period=period), host)


PERIODS = [4, 5, 4.5, np.int8(4), np.uint8(4), np.uint64(5), np.float32(4), np.array(4, np.int16)]


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "float32", "float64"])
def test_unwrap_by_periods_of_other_dtypes(device, dtype, period):
    row = np.array([1, 9, 3, 5, 20, -8 * (dtype != "bool")]).astype(dtype)
    kind = np.result_type(row, period)
    signed = period if np.asarray(period).dtype.kind != "u" else int(period)  # NumPy wraps
    got = gpuarray.unwrap(gpuarray.to_device(row), period=period)
    compare(got, np.unwrap(row, period=signed).astype(kind))
