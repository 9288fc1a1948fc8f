# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Ranges between ends of any kind, against NumPy; and windows."""

import itertools

import numpy as np
import pytest
from _support.numpy_names import check

ENDS = [1, 1000, -1000.0, 1j, 2 - 3j, np.float32(8), np.array([1, 2]), np.array([[-3.0], [5.0]])]
ENDS += [np.array([1j, 2]), [2, 8]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [None, "complex128", "float64"])
@pytest.mark.parametrize(("start", "stop"), list(itertools.product(ENDS, ENDS)))
def test_geomspace(device, start, stop, dtype):
    is_complex = any(np.asarray(end).dtype.kind == "c" for end in (start, stop))
    if dtype == "float64" and is_complex:
        return  # NumPy leaves the imaginary parts out, with a warning
    for options in ({}, {"endpoint": False}, {"axis": -1}):
        check(
            lambda xp, start, stop, options=options: xp.geomspace(
                start, stop, 5, dtype=dtype, **options
            ),
            start,
            stop,
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("start", "stop"), list(itertools.product(ENDS[3:], ENDS[3:])))
def test_linspace_and_logspace(device, start, stop):
    for options in ({}, {"endpoint": False}, {"axis": -1}):
        check(lambda xp, a, b, o=options: xp.linspace(a, b, 4, **o), start, stop)
    check(lambda xp, a, b: xp.logspace(a, b, 4, base=2.0), start, stop)
    check(lambda xp, a: xp.logspace(a, 3, 4, base=[2, 3]), start)


def test_geomspace_to_infinity(device):
    check(lambda xp: xp.geomspace(1, np.inf, 3))
    check(lambda xp: xp.geomspace(1, 0))


@pytest.mark.parametrize("beta", [0, 3, 8.5, -2])
@pytest.mark.parametrize("points", [-1, 0, 1, 2, 5, 5.5, 12])
def test_kaiser(device, points, beta):
    check(lambda xp: xp.kaiser(points, beta))
