# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Long chains of small dependent launches: none may read what the one before has yet to write."""

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_chains_of_dependent_launches(device, size):
    """Each launch may start before the one ahead of it ends, and must not read too early."""
    for _ in range(5):
        x, y = gpuarray.zeros(size, np.int64), gpuarray.zeros((1, size), np.int64)
        total = 0
        for i in range(1000):
            x += 1
            y = x * 2 - y.T.reshape(1, size)
            total = 2 * (i + 1) - total
        assert_same(x, np.full(size, 1000))
        assert_same(y, np.full((1, size), total))


def test_chains_of_reductions_and_transposes(device):
    x = gpuarray.ones((40, 40), np.int64)
    for _ in range(500):
        x = x + x.T
        x //= 2
        row = x.sum(axis=0)
        x[...] = row // 40
    assert_same(x, np.ones((40, 40), np.int64))


def test_chains_on_several_streams(device):
    streams = [gpuarray.Stream() for _ in range(3)]
    arrays = []
    for stream in streams:
        with stream:
            arrays.append(gpuarray.zeros(3000, np.int32))
    for _ in range(1000):
        for at, stream in enumerate(streams):
            with stream:
                arrays[at] += at + 1
                arrays[at] = arrays[at][::-1] + 0
    for at, stream in enumerate(streams):
        with stream:
            assert_same(arrays[at], np.full(3000, 1000 * (at + 1), np.int32))
