# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Transforms so large that they get functions linked into their plans when asked for again."""

import pytest
from fft.fourier import assert_transform, sample_for

import gpuarray

CASES = {
    "scaled": ("ifft", (1 << 20, 4), -1, None),
    "scaled in double precision": ("ifft", (1 << 20, 4), -1, "ortho"),
    "scaled, of two axes": ("ifft2", (1 << 18, 4, 4), (1, 2), None),
    "scaled from real": ("rfft", (1 << 20, 8), -1, "ortho"),
    "scaled to real": ("hfft", (1 << 20, 5), -1, "forward"),
    "walked": ("fft", (17, 8, 30841), 1, None),
    "walked and scaled": ("ifft", (17, 8, 30841), 1, None),
}


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_the_first_time(cuda, case):
    name, shape, axis, norm = CASES[case]
    dtype = "float64" if "double" in case else "float32"
    x = sample_for(name, shape, dtype)
    function = getattr(gpuarray.fft, name)
    a = gpuarray.to_device(x)
    for _ in range(3):
        made = function(a, None, axis, norm)
        assert made.flags.c_contiguous
        assert_transform(made, name, x, None, axis, norm=norm)
