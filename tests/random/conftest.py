# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A generator whose keys and uniform numbers are NumPy's, for tests of what is drawn from them."""

import numpy as np
import pytest

import gpuarray
from gpuarray._random.permutations import Permutations


class KeyedGenerator(Permutations):
    def __init__(self, device, seed=0):
        self.device = device
        self._keys = np.random.default_rng([seed, 1])
        self._numpy = np.random.default_rng(seed)

    def _to_device(self, values):
        return gpuarray.to_device(np.asarray(values), device=self.device)

    def _key(self):
        return self._to_device(self._keys.integers(2**64, size=1, dtype=np.uint64))

    def integers(self, low, high, size=None):
        return self._to_device(self._numpy.integers(low, high, size=size))

    def random(self, size=None):
        return self._to_device(self._numpy.random(size))


@pytest.fixture
def keyed():
    """Give the class of generators, which take a device and a seed."""
    return KeyedGenerator
