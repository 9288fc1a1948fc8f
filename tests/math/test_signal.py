# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""sliding_window_view, convolve and correlate, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import KINDS, cases, check, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray._math import signal

MODES = ["full", "same", "valid"]
LENGTHS = st.integers(1, 9)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", KINDS)
@given(LENGTHS, LENGTHS)
def test_convolve_and_correlate(device, mode, dtype, n, m):
    a, v = values(dtype, (n,)), values(dtype, (m,), 1)
    check(lambda xp, x, y: xp.convolve(x, y, mode), a, v)
    check(lambda xp, x, y: xp.correlate(x, y, mode), a, v)


def test_defaults_and_promotion(device):
    a, v = values("int8", (6,)), values("float32", (3,))
    check(lambda xp, x, y: xp.convolve(x, y), a, v)
    check(lambda xp, x, y: xp.correlate(x, y), a, v)
    check(lambda xp, x, y: xp.correlate(y, x[::-1]), a, v)


def test_parts_of_the_windows(device, monkeypatch):
    monkeypatch.setattr(signal, "_CHUNK", 8)
    a, v = values("float64", (50,)), values("float64", (5,))
    check(lambda xp, x, y: xp.convolve(x, y), a, v)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_refuses(device, name):
    function, x = getattr(gpuarray, name), gpuarray.ones(3)
    with pytest.raises(ValueError, match="too deep"):
        function(x, gpuarray.ones((2, 2)))
    with pytest.raises(ValueError, match="empty"):
        function(x, gpuarray.ones(0))
    with pytest.raises(ValueError, match="mode must be 'valid', 'same' or 'full', got 'wrap'"):
        function(x, x, "wrap")


@given(cases(kinds=["int32", "complex128"]), st.integers(1, 3))
def test_windows(device, case, length):
    host, axis = case
    windows = np.lib.stride_tricks.sliding_window_view
    x = gpuarray.to_device(host)
    if host.shape[axis] < length:
        with pytest.raises(ValueError, match="larger than axis"):
            gpuarray.sliding_window_view(x, length, axis)
        return
    got = gpuarray.sliding_window_view(x, length, axis)
    assert got.size == 0 or got.ptr == x.ptr
    assert not got.flags.writeable
    np.testing.assert_array_equal(got.get(), windows(host, length, axis))
    assert isinstance(windows(x, length, axis), gpuarray.GPUArray)


def test_windows_of_several_axes(device):
    host = np.arange(20).reshape(4, 5)
    x = gpuarray.to_device(host)
    windows = np.lib.stride_tricks.sliding_window_view
    for args in (((2, 3),), ((2, 2), (1, 0)), ((2, 2), (1, 1))):
        got = gpuarray.sliding_window_view(x, *args)
        np.testing.assert_array_equal(got.get(), windows(host, *args))
    written = gpuarray.sliding_window_view(x, 2, 0, writeable=True)
    written[0, 0, :] = -1
    assert x[:, 0].tolist() == [-1, -1, 10, 15]
    with pytest.raises(ValueError, match="differ in length"):
        gpuarray.sliding_window_view(x, 2)
    with pytest.raises(ValueError, match="cannot contain negative values"):
        gpuarray.sliding_window_view(x, (-1, 1))
