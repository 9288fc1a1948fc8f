# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Shifts by half an axis, which are one copy, against NumPy's."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.samples import ordinary

import gpuarray

SHAPES = [(6,), (2, 4), (4, 3, 8), (4, 0), (2,) * 6, (2,) * 7]
VIEWS = [lambda a: a.T, lambda a: a[::-1], lambda a: a[..., ::2], lambda a: a[..., :1] + 0 * a]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_halves_change_places(device, shape):
    host = ordinary("float32", shape)
    x = gpuarray.to_device(host)
    halves = tuple(n // 2 for n in shape)
    axes = tuple(range(len(shape)))
    for shifts in (halves, tuple(-n for n in halves), (1, *halves[1:])):
        assert_same(gpuarray.roll(x, shifts, axes), np.roll(host, shifts, axes))
    for view in VIEWS:
        assert_same(gpuarray.roll(view(x), halves[-1], -1), np.roll(view(host), halves[-1], -1))
    repeated = gpuarray.broadcast_to(x, (4, *shape))
    assert_same(gpuarray.roll(repeated, 2, 0), np.broadcast_to(host, (4, *shape)))
