# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Expressions whose last axis is short, odd or cut out of a longer one.

CUDA devices write contiguous results across the ends of rows (kernels/elementwise/merged.cuh).
"""

import numpy as np
import pytest
from _support.compare import assert_same
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

WIDTHS = [2, 3, 4, 5, 7, 8, 12, 17, 31, 64]


def arrays(shapes, dtype, most=90):
    random = np.random.default_rng(0)
    return [random.integers(1, most, shape).astype(dtype) for shape in shapes]


def several(x, row, column):
    """Two results of operands that repeat along either axis."""
    y = x * row + column
    return y, (y - x) * column


def check(hosts, device, views=lambda *arrays: arrays):
    on_device = [gpuarray.to_device(host, device=device) for host in hosts]
    got, expected = gpuarray.fuse(several)(*views(*on_device)), several(*views(*hosts))
    for ours, theirs in zip(got, expected, strict=True):
        assert_same(ours, theirs)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_rows_of_each_width(device, dtype, width):
    check(arrays([(1031, width), (width,), (1031, 1)], dtype), device)


@pytest.mark.parametrize("shape", [(5, 7, 3), (9, 4, 8, 5), (2, 3, 4, 5, 6)])
def test_operands_that_repeat_along_some_axes(device, shape):
    shorter = tuple(extent if k % 2 else 1 for k, extent in enumerate(shape))
    check(arrays([shape, shorter, shape[-1:]], "float32"), device)


def test_rows_that_are_cut_out_of_others(device):
    x, row, column = arrays([(301, 16), (16,), (301, 1)], "float32")

    def views(x, row, column):
        return x[1:, 3:10], row[::-1][:7], column[:0:-1]

    check((x, row, column), device, views)


@pytest.mark.parametrize("width", WIDTHS)
def test_results_that_are_read_and_indices(device, width):
    """Indices count elements in C order."""
    kernel = gpuarray.ElementwiseKernel("T a, T w", "T x, T y", "x += a * w + i; y = x - a")
    a, w, x, y = arrays([(501, width), (width,), (501, width), (501, width)], "float32")
    ours = [gpuarray.to_device(host, device=device) for host in (a, w, x, y)]
    kernel(*ours)
    x += a * w + np.arange(a.size, dtype="float32").reshape(a.shape)
    assert_same(ours[2], x)
    assert_same(ours[3], x - a)


def test_rows_that_change_in_place(device):
    """A kernel reads and writes what is contiguous, and only writes what is not."""
    kernel = gpuarray.ElementwiseKernel("T a, raw T w", "T x, T y", "x += a * w[i % 3]; y = x - a")
    a, x, y = arrays([(500, 3), (500, 3), (500, 6)], "float32")
    w = np.float32([2, 3, 5])
    ours = [gpuarray.to_device(host, device=device) for host in (a, w, x, y)]
    kernel(ours[0], ours[1], ours[2], ours[3][:, ::2])
    x += a * w
    y[:, ::2] = x - a
    assert_same(ours[2], x)
    assert_same(ours[3], y)


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=5),
    st.lists(st.integers(0, 31), min_size=2, max_size=2),
    st.sampled_from(["int8", "float16", "float32", "complex128"]),
    st.booleans(),
)
def test_any_shape(device, shape, masks, dtype, turns):
    """Operands of the shape, but for axes of one element that the bits of the masks choose."""
    shapes = [[1 if mask >> k & 1 else extent for k, extent in enumerate(shape)] for mask in masks]
    hosts = arrays([shape, *shapes], dtype, 4)
    if turns:
        hosts[1] = hosts[1][..., ::-1]
    check(hosts, device)
