# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Large results whose rows are no whole vectors: short, odd or cut out of others.

CUDA devices write them across the ends of rows (kernels/elementwise/merged.cuh).
"""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.samples import ordinary

import gpuarray


def sample(dtype, shape):
    """Return elements in which no row repeats soon."""
    return np.resize(ordinary(dtype, (65521,)), shape)


def both(function, *hosts):
    expected = function(np, *hosts)
    arrays = [*map(gpuarray.to_device, hosts)]
    for _ in range(5):  # at the last of which the kernel is compiled
        assert_same(function(gpuarray, *arrays), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "uint8", "int16", "float64", "complex64"])
def test_last_axes_of_three(device, dtype):
    points, many = sample(dtype, (600, 3)), sample(dtype, (350_003, 3))
    both(lambda xp, p: p[None] - p[:, None], points)
    both(lambda xp, d, w: d - w[:, None], many, sample(dtype, 350_003))
    both(lambda xp, d, v: d + v, many, sample(dtype, 3))
    both(lambda xp, d, v: d[:, ::-1] + v[::-1, None], many, sample(dtype, 350_003))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_rows_cut_out_of_others(device, dtype):
    x = sample(dtype, (1033, 1031))
    two = np.dtype(dtype).type(2)
    both(lambda xp, x: x[1:-1, 1:-1] * two, x)
    both(lambda xp, x: xp.diff(x, axis=1), x)
    both(lambda xp, x: x[3:, 2:] + x[:-3, 1:-1], x)
    both(lambda xp, x: x[:, ::-1] * x[::-1], x)
    both(lambda xp, x: xp.where(x[:, 1:] > x[:, :1], x[:, 1:], two), x)
    both(lambda xp, x: x[1:-1, 1:-1, 2:] + x[:-2, 2:, 1:-1], sample(dtype, (66, 130, 162)))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
def test_repeats_and_copies(device, dtype):
    x = sample(dtype, (1029, 517))
    for repeats in (2, 3, 5):
        both(lambda xp, x, n=repeats: xp.repeat(x, n, axis=1), x)
    both(lambda xp, x: xp.repeat(x, 4, axis=0), x)
    both(lambda xp, x: xp.tile(x, (2, 3)), x)
    both(lambda xp, x: xp.tile(x[:, :512], (2, 2)), x)
    both(lambda xp, x: xp.tile(x[:64, :128], (3, 5, 7)), x)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
def test_borders_around_long_rows(device, dtype, mode):
    x = sample(dtype, (67, 1021))
    for width in (1, ((2, 3), (5, 1)), ((0, 1), (3, 4))):
        both(lambda xp, x, w=width: xp.pad(x, w, mode=mode), x)
    both(lambda xp, x: xp.pad(x[:, 4:-3], 1, mode=mode), x)


def test_results_of_other_dtypes(device):
    narrow, wide = sample("float32", (350_003, 3)), sample("float64", 350_003)
    both(lambda xp, x, y: x + y[:, None], narrow, wide)
    both(lambda xp, x: x[:, None] > x[:, 1:, None], narrow)
