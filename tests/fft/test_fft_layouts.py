# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fourier transforms of arrays that lie in memory in every way."""

import numpy as np
import pytest
from _support import layouts
from fft.fourier import KINDS, assert_transform, sample_for
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray

LAYOUTS = {
    "contiguous": layouts.contiguous,
    "strided": layouts.strided,
    "reversed": layouts.reversed_axes,
    "transposed": layouts.transposed,
    "inner": layouts.inner,
}
MOST_AXES = 4


def check(name, x, a, *args, **kwargs):
    got = getattr(gpuarray.fft, name)(a, *args, **kwargs)
    assert_transform(got, name, x, *args, **kwargs)
    np.testing.assert_array_equal(a.get(), x)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_views(device, kind, layout):
    x = sample_for(kind, (4, 3, 6), "float32")
    a = LAYOUTS[layout](x)
    for axis in range(3):
        check(kind, x, a, axis=axis)
    check(f"{kind}n", x, a)
    check(f"{kind}n", x, a, axes=(2, 0))
    check(f"{kind}n", x, a, (5, 4), (1, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_broadcast_axes(device, kind):
    row = sample_for(kind, (6,))
    x = np.broadcast_to(row[:, None], (3, 6, 40))
    a = gpuarray.broadcast_to(gpuarray.to_device(row)[:, None], (3, 6, 40))
    for axis in range(3):
        check(kind, x, a, axis=axis)
    check(f"{kind}2", x, a)


@pytest.mark.parametrize("kind", KINDS)
def test_an_axis_between_many_others(device, kind):
    x = sample_for(kind, (20, 6, 18))
    check(kind, x, gpuarray.to_device(x), axis=1)
    x = sample_for(kind, (18, 2, 3, 17))
    check(f"{kind}n", x, gpuarray.to_device(x), axes=(1, 2))
    check(f"{kind}n", x, gpuarray.to_device(x), axes=(2, 1))


@pytest.mark.parametrize("name", ["irfftn", "rfftn"])
@pytest.mark.parametrize("lengths", [(3, 1), (4, 1), (3, 5, 1)])
def test_a_halved_axis_of_one_point(device, name, lengths):
    shape = (*range(2, 1 + len(lengths)), 1)
    x = sample_for(name.removesuffix("n"), shape, "float32")
    check(name, x, gpuarray.to_device(x), lengths, range(len(lengths)))


@pytest.mark.parametrize("name", ["rfft", "ihfft"])
def test_real_numbers_that_no_complex_number_is_aligned_with(device, name):
    x = sample_for(name, (4, 9), "float32")
    check(name, x[:, 1:], gpuarray.to_device(x)[:, 1:])
    check(name, x[:, 1:], gpuarray.to_device(x)[:, 1:], axis=0)
    check(name, x[0, 1:], gpuarray.to_device(x)[0, 1:])


def test_results_lie_as_the_source(device):
    x = gpuarray.zeros((3, 4, 5), "complex64")
    for axis in range(3):
        assert gpuarray.fft.fft(x, axis=axis).flags.c_contiguous
        assert gpuarray.fft.fft(x.T, axis=axis).flags.f_contiguous
        assert gpuarray.fft.irfft(x, axis=axis).flags.c_contiguous
        assert gpuarray.fft.rfft(x.real, axis=axis).flags.c_contiguous


@st.composite
def calls(draw):
    """Draw (kind, shape, lengths or None, axes, norm)."""
    kind = draw(st.sampled_from(KINDS))
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=MOST_AXES))
    axes = draw(st.permutations(range(len(shape))))[: draw(st.integers(1, len(shape)))]
    if draw(st.booleans()):
        lengths = [draw(st.integers(1, 6)) for _ in axes]
    else:
        lengths = None
        if kind in ("irfft", "hfft"):
            shape[axes[-1]] = max(2, shape[axes[-1]])
    axes = [axis - len(shape) if draw(st.booleans()) else axis for axis in axes]
    return kind, tuple(shape), lengths, axes, draw(st.sampled_from([None, "ortho", "forward"]))


@settings(max_examples=150)
@given(
    call=calls(),
    layout=st.sampled_from([*LAYOUTS]),
    dtype=st.sampled_from(["float32", "float64"]),
    order=st.permutations(range(MOST_AXES)),
)
def test_any_axes_of_any_layout(device, call, layout, dtype, order):
    kind, shape, lengths, axes, norm = call
    x = sample_for(kind, shape, dtype)
    order = [axis for axis in order if axis < x.ndim]
    back = np.argsort(order).tolist()
    a = LAYOUTS[layout](np.ascontiguousarray(x.transpose(order))).transpose(back)
    check(f"{kind}n", x, a, lengths, axes, norm=norm)
