# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Transforms so large that a kernel of the package's own computes some of their axes."""

import os

import numpy as np
import pytest
from fft.fourier import assert_transform, expected, sample_for

import gpuarray

CASES = {
    "few points, scaled": ("ifft", (1 << 20, 4), -1, None),
    "rows, scaled": ("ifft", (1 << 16, 64), -1, None),
    "rows, scaled in double precision": ("ifft", (1 << 14, 256), -1, "ortho"),
    "rows of 360, forward": ("fft", (11700, 360), -1, "forward"),
    "two axes": ("ifft2", (16, 512, 512), (1, 2), None),
    "three axes": ("ifftn", (3, 120, 112, 108), (1, 2, 3), None),
    "from real": ("rfft", (1 << 20, 8), -1, "ortho"),
    "to real": ("hfft", (1 << 20, 5), -1, "forward"),
    "between": ("fft", (8, 384, 1400), 1, None),
    "between, scaled": ("ifft", (9, 525, 900), 1, None),
    "between, in double precision": ("fft", (4, 1024, 1030), 1, None),
    "a prime between": ("fft", (17, 11, 22441), 1, None),
    "long columns": ("fft", (16384, 260), 0, None),
    "long columns, scaled": ("ifft", (1000 * 16, 264), 0, None),
    "long rows, scaled": ("ifft", (17, 1 << 18), -1, None),
    "a long row, scaled": ("ifft", (1 << 22,), -1, None),
    "a long row in double precision": ("ifft", (2048 * 2100,), -1, None),
}


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize("case", CASES)
def test_results_are_numpys(cuda, case):
    name, shape, axis, norm = CASES[case]
    dtype = "float64" if "double" in case else "float32"
    x = sample_for(name, shape, dtype)
    a = gpuarray.to_device(x)
    made = getattr(gpuarray.fft, name)(a, None, axis, norm)
    assert made.flags.c_contiguous
    assert_transform(made, name, x, None, axis, norm=norm)


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="sums up all points for each one")
def test_a_few_long_columns_are_scaled(cuda):
    x = sample_for("ifft", (1 << 20, 4), "float32")
    assert_transform(gpuarray.fft.ifft(gpuarray.to_device(x), axis=0), "ifft", x, axis=0)


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize("shape", [(1 << 12, 1 << 10), (1 << 22,)])
@pytest.mark.parametrize(("dtype", "bound"), [("complex64", 2.5e-7), ("complex128", 6e-16)])
def test_errors_are_those_of_few_roundings(cuda, shape, dtype, bound):
    x = sample_for("ifft", shape, dtype)
    wanted = expected("ifft", x)
    error = np.linalg.norm(gpuarray.fft.ifft(gpuarray.to_device(x)).get() - wanted)
    assert error <= bound * np.linalg.norm(wanted)


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize(
    ("shape", "axis"), [((1 << 16, 64), 1), ((8, 384, 1400), 1), ((1 << 22,), 0)]
)
def test_a_source_may_be_overwritten(cuda, shape, axis):
    x = sample_for("ifft", shape, "float32")
    a = gpuarray.to_device(x)
    gpuarray.fft.ifft(a, axis=axis, out=a)
    assert_transform(a, "ifft", x, None, axis)
