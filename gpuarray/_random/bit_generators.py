# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's bit generators, whose states lie on a device."""

from typing import Any, ClassVar

import numpy as np
from numpy.random import SeedSequence as SeedSequence

from gpuarray import _core
from gpuarray._common.fork_locks import fork_lock
from gpuarray._core import GPUArray
from gpuarray._random.states import pack, unpack

__all__ = ["MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Philox", "SeedSequence"]


class BitGenerator:
    """A source of random words, with the stream of NumPy's class of the same name.

    Base class of `PCG64`, `PCG64DXSM`, `Philox`, and of `MT19937` and `SFC64`, which the cpu device
    alone has: their streams cannot be entered anywhere.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence or numpy.random.BitGenerator, optional
        What NumPy's class takes; a bit generator of NumPy's of the same kind gives its state.
    device : Device or str, optional
        Where the state lies; the default device as is.

    On a CUDA device the state is device memory that each draw opens for writing. So draws follow
    each other on all streams, replays of a graph draw new numbers, and nothing waits, except for
    what reads or sets the state: `state`, `advance`, `jumped`, pickling.
    """

    _numpys: ClassVar[type[np.random.BitGenerator]]
    _kernels: ClassVar[str | None] = None  # the name in kernels/random/draws.def

    def __init__(self, seed: Any = None, *, device: Any = None) -> None:
        if type(self) is BitGenerator:
            raise TypeError("BitGenerator: expected one of its subclasses, such as PCG64")
        is_given = isinstance(seed, np.random.BitGenerator)
        if is_given and not isinstance(seed, self._numpys):
            raise ValueError(
                f"{type(self).__name__}: expected the state of a {self._numpys.__name__}, "
                f"got a {type(seed).__name__}"
            )
        host = _copied(seed) if is_given else self._numpys(seed)
        self.device = _core.empty(0, "bool", device=device).device
        # A child of fork draws on from a whole state, and cannot use one on a CUDA device.
        self.lock = fork_lock(waits=self.device.kind == "cpu")
        self._seed_seq = getattr(host, "seed_seq", None)
        self._host = host
        self._words: GPUArray | None = None
        if self.device.kind != "cpu":
            if self._kernels is None:
                raise ValueError(
                    f"{type(self).__name__} on {self.device}: this bit generator has no stream "
                    "that can be entered anywhere; expected PCG64, PCG64DXSM or Philox"
                )
            # Under capture every launch would set the state again.
            _core._refuse_capture(type(self).__name__, self.device)
            self._words = _core.to_device(pack(dict(host.state)), device=self.device)

    def _on_device(self) -> tuple[str, GPUArray]:
        """Return the name of the kernels and the words of a state on a CUDA device."""
        assert self._kernels is not None and self._words is not None
        return self._kernels, self._words

    @property
    def seed_seq(self) -> Any:
        """The SeedSequence that the state was made of; None if it is not known."""
        return self._seed_seq

    @property
    def state(self) -> dict[str, Any]:
        """The state as NumPy's dict; reading and setting it waits for the device."""
        if self._words is None:
            with self.lock:
                return dict(self._host.state)
        return unpack(self._numpys.__name__, self._words.get())

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError(f"state: expected a dict, got {type(value).__name__}")
        if self._words is None:
            with self.lock:
                self._host.state = value
            return
        _core._refuse_capture("state", self.device)
        with self.lock:
            self._host.state = value  # NumPy checks it
            self._words[...] = _core.to_device(pack(self._host.state), device=self.device)

    def seed(self, seed: Any) -> None:
        """Begin again as a new bit generator with this seed does; waits for the device."""
        host = self._numpys(seed)
        self.state = dict(host.state)
        self._seed_seq = getattr(host, "seed_seq", None)

    def host_copy(self) -> np.random.BitGenerator:
        """Return a bit generator of NumPy's in the same state; waits for the device."""
        copied = self._numpys(0)
        copied.state = self.state
        return copied

    def random_raw(self, size: Any = None, output: bool = True) -> GPUArray | None:
        """Return the next words of the stream, uint64 of shape `size`; None unless `output`."""
        if self._words is None:
            with self.lock:
                words = self._host.random_raw(size)
            return (
                _core.to_device(np.asarray(words, np.uint64), device=self.device)
                if output
                else None
            )
        words = _core._random_integers(*self._on_device(), "uint64", 0, -1, size)
        return words if output else None

    def spawn(self, n_children: int) -> list["BitGenerator"]:
        """Return new bit generators on this device, seeded by children of the seed sequence."""
        if self._seed_seq is None or not hasattr(self._seed_seq, "spawn"):
            raise TypeError("spawn: the bit generator has no seed sequence that can spawn")
        children = self._seed_seq.spawn(n_children)
        return [type(self)(child, device=self.device) for child in children]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.state, self._seed_seq, str(self.device))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.device}>"


class _Jumping(BitGenerator):
    def jumped(self, jumps: int = 1) -> "BitGenerator":
        """Return a new bit generator, so far on in the stream as NumPy jumps; waits."""
        return type(self)(self.host_copy().jumped(jumps), device=self.device)  # type: ignore[attr-defined]


class _Advancing(_Jumping):
    def advance(self, delta: int) -> "BitGenerator":
        """Move the stream on by `delta` words, or back; waits. Returns the bit generator."""
        with self.lock:
            host = self.host_copy()
            host.advance(delta)  # type: ignore[attr-defined]
            self.state = dict(host.state)
        return self


class PCG64(_Advancing):
    __doc__ = BitGenerator.__doc__
    _numpys = np.random.PCG64
    _kernels = "pcg64"


class PCG64DXSM(_Advancing):
    __doc__ = BitGenerator.__doc__
    _numpys = np.random.PCG64DXSM
    _kernels = "pcg64dxsm"


class Philox(_Advancing):
    """The bit generator Philox4x64-10; see `BitGenerator`. `counter` and `key` are NumPy's."""

    _numpys = np.random.Philox
    _kernels = "philox"

    def __init__(
        self, seed: Any = None, counter: Any = None, key: Any = None, *, device: Any = None
    ) -> None:
        if counter is not None or key is not None:
            seed = np.random.Philox(seed, counter, key)
        super().__init__(seed, device=device)


class MT19937(_Jumping):
    """The Mersenne Twister, on the cpu device only; see `BitGenerator`."""

    _numpys = np.random.MT19937


class SFC64(BitGenerator):
    """The small fast chaotic generator, on the cpu device only; see `BitGenerator`."""

    _numpys = np.random.SFC64


def bit_generator_of(value: Any, device: Any) -> BitGenerator:
    """Return a bit generator; one of NumPy's gives its state. TypeError for anything else.

    ValueError if one of ours is not on the device, unless that is None.
    """
    if isinstance(value, BitGenerator):
        if device is not None and _core.empty(0, "bool", device=device).device != value.device:
            raise ValueError(f"expected a bit generator on {device}, got one on {value.device}")
        return value
    for ours in (PCG64, PCG64DXSM, Philox, MT19937, SFC64):
        if isinstance(value, ours._numpys):
            return ours(value, device=device)
    raise TypeError(f"expected a BitGenerator, got {type(value).__name__}")


def _copied(value: np.random.BitGenerator) -> np.random.BitGenerator:
    """Return a copy in the same state, with the same seed sequence."""
    copied = type(value)(getattr(value, "seed_seq", 0))
    copied.state = value.state
    return copied


def _rebuild(
    kind: type[BitGenerator], state: dict[str, Any], seed_seq: Any, device: str
) -> BitGenerator:
    made = kind(0 if seed_seq is None else seed_seq, device=device)
    made.state = state
    return made
