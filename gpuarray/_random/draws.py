# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The draws that others are made of: by kernels on a CUDA device, by NumPy on the cpu device."""

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import assigned, require_array, require_integers, require_writable
from gpuarray._core import GPUArray
from gpuarray._random.bit_generators import BitGenerator
from gpuarray.errors import DeviceError

__all__ = ["Draws", "numpys_on_host", "real_kind"]

_SUFFIX = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
# Dtypes of 16 bits, whose numbers are made of float32, and the bits of their significands.
_NARROW = {"float16": 11, "bfloat16": 8}


R = TypeVar("R", bound=Callable[..., Any])


def numpys_on_host(method: R) -> R:
    """Let NumPy's method of the same name serve generators of the cpu device."""
    name = method.__name__

    @functools.wraps(method)
    def served(self: "Draws", *args: Any, **kwargs: Any) -> Any:
        if self._numpy is not None:
            return self._by_host(name, *args, **kwargs)
        return method(self, *args, **kwargs)

    return served  # type: ignore[return-value]


def real_kind(dtype: Any, name: str) -> Any:
    """Return the dtype of real numbers, those of 16 bits by name; TypeError for others."""
    kind = np.dtype(dtype) if dtype not in _NARROW else dtype
    if kind not in _SUFFIX and str(kind) not in _NARROW:
        raise TypeError(f"Unsupported dtype {kind!r} for {name}")
    return kind


class Draws:
    """The bit generator of a Generator, and its elementary draws."""

    _bits: BitGenerator
    _numpy: np.random.Generator | None  # the cpu device's, over the same state

    @property
    def device(self) -> Any:
        """The device of the state and of the numbers."""
        return self._bits.device

    @property
    def _on_host(self) -> bool:
        return self._numpy is not None

    def _standard(
        self, draw: str, name: str, size: Any, dtype: Any, out: Any, **kwargs: Any
    ) -> GPUArray:
        """Draw real numbers of a dtype, into `out` if it is given."""
        kind = real_kind(dtype, name)
        if out is not None:
            size = self._size_of(out, name, kind, size)
        suffix = _SUFFIX.get(kind)
        if suffix is None:
            drawn = self._standard(draw, name, size, "f4", None, **kwargs)
            if draw == "uniform":  # what is rounded might be 1
                levels = 2.0 ** _NARROW[str(kind)]
                drawn = _core.floor(drawn * levels) / levels
            return assigned(name, out, drawn.astype(kind))
        if self._numpy is not None:
            with self._bits.lock:
                drawn = getattr(self._numpy, name)(size, dtype=kind, **kwargs)
            return assigned(name, out, self._from_host(drawn))
        # Kernels write vectors of 16 bytes.
        if out is None or out.ptr % 16 == 0:
            return self._elementary(f"{draw}_{suffix}", size, out)
        return assigned(name, out, self._elementary(f"{draw}_{suffix}", size))

    def _size_of(self, out: Any, name: str, dtype: Any, size: Any) -> Any:
        """Return the shape of `out`, which must be fit for the draw; nothing is drawn otherwise."""
        shape = require_array(f"{name}: out", out).shape
        require_writable(name, out, shape)
        if out.device != self.device:
            raise DeviceError(f"{name}: out is on {out.device}, the generator on {self.device}")
        if str(out.dtype) != str(dtype):
            raise TypeError(
                f"Supplied output array has wrong type. Expected {dtype}, got {out.dtype}"
            )
        if not out.flags.c_contiguous:
            raise ValueError(f"{name}: out must be C-contiguous")
        if size is not None and (tuple(size) if np.iterable(size) else (size,)) != shape:
            raise ValueError("size must match out.shape when used together")
        return shape

    def _elementary(self, draw: str, size: Any, out: GPUArray | None = None) -> GPUArray:
        """Draw float64 or float32 numbers by a name of kernels/random/draws.def."""
        return _core._random_draw(*self._bits._on_device(), draw, size, out)

    def _scaled(self, draw: str, loc: float, scale: float, size: Any) -> GPUArray:
        """Draw loc + scale * x for float64 numbers x."""
        return _core._random_draw(
            *self._bits._on_device(), f"{draw}_double", size, None, loc, scale
        )

    @numpys_on_host
    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> GPUArray:
        """Draw integers from [low, high), or [0, low) without `high`; to `high` if `endpoint`.

        Any dtype of integers or bool. Bounds that are arrays are drawn by NumPy on the host, which
        waits for the device, because how often a number is drawn again depends on its own bounds.
        """
        low, high = (0, low) if high is None else (low, high)
        kind = np.dtype(dtype)
        first, end = _integer(low), _integer(high)
        if first is None or end is None:
            return self._by_host("integers", low, high, size, kind, endpoint)
        last = end if endpoint else end - 1
        if kind.kind not in "iub":
            raise TypeError(f"Unsupported dtype {kind!r} for integers")
        bits = 1 if kind.kind == "b" else 8 * kind.itemsize
        least = -(1 << bits - 1) if kind.kind == "i" else 0
        most = least + (1 << bits) - 1
        if first < least:
            raise ValueError(f"low is out of bounds for {kind.name}")
        if last > most:
            raise ValueError(f"high is out of bounds for {kind.name}")
        if first > last and size is not None and 0 in np.atleast_1d(size):
            return _core.empty(size, kind, device=self.device)
        if first > last:
            comparison = "low > high" if endpoint else "low >= high"
            raise ValueError(comparison if first != 0 or endpoint else "high <= 0")
        if first == last:
            made = _core.empty(() if size is None else size, kind, device=self.device)
            made.fill(first)
            return made
        return _core._random_integers(*self._bits._on_device(), kind, first, last - first, size)

    def bytes(self, length: int) -> bytes:
        """Return `length` random bytes of the host; waits for the device."""
        (count,) = require_integers("bytes", length=length)
        if count < 0:
            raise ValueError(f"bytes: length must not be negative, got {count}")
        # NumPy draws a word for no bytes, too.
        words = self.integers(0, 1 << 32, max(-(-count // 4), 1), np.uint32)
        return words.get().astype("<u4").tobytes()[:count]

    def _key(self) -> int | GPUArray:
        """Return one word of the stream, from which a draw of its own stream begins.

        It is an int on the cpu device.
        """
        if self._numpy is None:
            return self._bits.random_raw(1)  # type: ignore[return-value]
        with self._bits.lock:
            return self._numpy.bit_generator.random_raw()

    def _by_host(self, method: str, /, *args: Any, **kwargs: Any) -> GPUArray:
        """Draw by NumPy's Generator from this generator's state; waits for a CUDA device."""
        args = tuple(map(self._to_host, args))
        kwargs = {name: self._to_host(value) for name, value in kwargs.items()}
        if self._numpy is not None:
            with self._bits.lock:
                drawn = getattr(self._numpy, method)(*args, **kwargs)
            return self._from_host(drawn)
        with self._bits.lock:
            host = self._bits.host_copy()
            drawn = getattr(np.random.Generator(host), method)(*args, **kwargs)
            self._bits.state = dict(host.state)
            return self._from_host(drawn)

    def _from_host(self, drawn: Any) -> GPUArray:
        """Return what NumPy has drawn as an array of the device."""
        return _core.to_device(np.asarray(drawn), device=self.device)

    def _to_host(self, value: Any) -> Any:
        """Return what NumPy reads under the lock without running others' code.

        Such code may draw from other generators, whose locks a fork takes in an order of its own.
        """
        if isinstance(value, GPUArray):
            return value.get()
        is_foreign = hasattr(value, "__array__") and not isinstance(value, type)
        return np.asarray(value) if is_foreign or isinstance(value, list) else value

    def _zeros(self, size: Any) -> GPUArray:
        return _core.zeros(self._zeros_shape(size), np.float64, device=self.device)

    def _zeros_shape(self, size: Any) -> tuple[int, ...]:
        if size is None:
            return ()
        return tuple(size) if np.iterable(size) else (operator.index(size),)


def _integer(value: Any) -> int | None:
    """Return the int of a number; None for arrays."""
    if isinstance(value, int):
        return value
    if isinstance(value, GPUArray):
        return None
    converted = np.asarray(value)
    return int(converted) if converted.ndim == 0 else None
