# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's Generator over a state on a device."""

from typing import Any

import numpy as np

from gpuarray._random.bit_generators import PCG64, BitGenerator, bit_generator_of
from gpuarray._random.continuous import Continuous
from gpuarray._random.permutations import Permutations

__all__ = ["Generator", "default_rng"]


class Generator(Continuous, Permutations):
    """Random numbers on the device of a bit generator, with the methods of NumPy's Generator.

    Parameters
    ----------
    bit_generator : BitGenerator or numpy.random.BitGenerator
        The source of random words. One of NumPy's gives its state, and is not advanced.
    device : Device or str, optional
        Where the state of a bit generator of NumPy's goes; the default device as is.

    The same seed gives the numbers of NumPy's Generator on every device, but for the distributions
    that docs/random.md names, whose numbers are the same on all devices. Results are GPUArrays, of
    no dimensions where `size` is None. Draws are queued on the current stream, and draws from one
    state follow each other on all streams.
    """

    def __init__(self, bit_generator: Any, *, device: Any = None) -> None:
        self._bits = bit_generator_of(bit_generator, device)
        on_host = self._bits._words is None
        self._numpy = np.random.Generator(self._bits._host) if on_host else None

    @property
    def bit_generator(self) -> BitGenerator:
        """The bit generator, which holds the state."""
        return self._bits

    def spawn(self, n_children: int) -> list["Generator"]:
        """Return independent generators on this device, seeded from this one's seed sequence."""
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._bits,)

    def __repr__(self) -> str:
        return f"Generator({type(self._bits).__name__}) on {self.device}"


def default_rng(seed: Any = None, *, device: Any = None) -> Generator:
    """Return a Generator over PCG64, seeded as numpy.random.default_rng seeds.

    A Generator is returned as it is, and a bit generator becomes one: ValueError unless it is on
    `device`, if that is given. Those of NumPy give their state. Anything else is a seed: None, an
    int, an array of ints or a SeedSequence.
    """
    if isinstance(seed, Generator):
        bit_generator_of(seed.bit_generator, device)  # must be on the device
        return seed
    if isinstance(seed, np.random.Generator):
        seed = seed.bit_generator
    if isinstance(seed, (BitGenerator, np.random.BitGenerator)):
        return Generator(seed, device=device)
    return Generator(PCG64(seed, device=device))
