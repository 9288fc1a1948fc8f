# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random orders of elements, and random choices among them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    as_integer,
    cast_value,
    normalize_axis,
    require_array,
    require_writable,
)
from gpuarray._core import GPUArray
from gpuarray._indexing.indexing import take_along_axis
from gpuarray._random.distribution_parameters import draw_shape
from gpuarray._random.distributions import Distributions
from gpuarray._sorting.searching import searchsorted

__all__ = ["Permutations"]

# Samples without replacement of less than this part of a population take no memory for the rest.
_SMALL_PART = 50
# Of so many elements places follow from a network's key. Of fewer it could not make all orders.
_LEAST_NETWORK = 1 << 16


def _check_probabilities(p: np.ndarray, population: int) -> None:
    """Raise NumPy's ValueError for what are no probabilities of so many elements."""
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if p.size != population:
        raise ValueError("a and p must have same size")
    total = math.fsum(p.tolist())
    if math.isnan(total):
        raise ValueError("Probabilities contain NaN")
    if (p < 0).any():
        raise ValueError("Probabilities are not non-negative")
    if abs(total - 1) > np.sqrt(max(np.finfo(p.dtype).eps, np.finfo(np.float64).eps)):
        raise ValueError(
            "Probabilities do not sum to 1. See Notes section of docstring for more information."
        )


def _as_probabilities(p: Any, population: int, least: int) -> np.ndarray | GPUArray:
    """Return probabilities as float64; the values of a GPUArray are not looked at.

    `least` elements of them must not be 0.
    """
    if not isinstance(p, GPUArray):
        host = np.asarray(p)
        host = host if host.dtype.kind == "f" else host.astype(np.float64)
        _check_probabilities(host, population)
        host = host.astype(np.float64, copy=False)
        if np.count_nonzero(host) < least:
            raise ValueError("Fewer non-zero entries in p than size")
        return host
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if p.size != population:
        raise ValueError("a and p must have same size")
    return p.astype("float64", casting="same_kind", copy=False)


def _taken(x: GPUArray, order: GPUArray, axis: int) -> GPUArray:
    """Return the elements of `x` in this order along the axis."""
    return _core._take("take", x, order, axis, "raise")


def _number_or_array(a: Any) -> Any:
    """Return an int for a number or an element of integers, and all else as it is."""
    is_number = not a.ndim if isinstance(a, GPUArray) else isinstance(a, int | np.integer)
    return as_integer(a) if is_number else a


class Permutations(Distributions):
    """Methods of a generator that permute and choose; as those of Distributions."""

    # The device of the generator, and methods that draw NumPy's numbers.
    device: Any
    integers: Callable[..., GPUArray]
    random: Callable[..., GPUArray]

    def _order(self, length: int, count: int | None = None) -> GPUArray:
        """Return the first `count` places, or all, of a random order of so many elements."""
        count = length if count is None else count
        if length >= _LEAST_NETWORK or count < length / _SMALL_PART:
            return self._fill("distinct_place", (length,), ("float64",), ((count,), "int64"))
        order = _core._random_order(self._key(), length, 0)
        return order if count == length else order[:count].copy()

    def permutation(self, x: Any, axis: int = 0) -> GPUArray:
        """Return a copy of `x` in a random order along the axis; ``arange(x)`` for an integer.

        Up to 65535 elements are ordered by a word for each. The order of more is a bijection of
        their places that a key chooses, so that nothing is sorted (R. Mitchell, D. Stokes, E. Frank
        and G. Holmes 2022).
        """
        x = _number_or_array(x)
        if type(x) is int:
            return self._order(max(x, 0))
        x = self._values("permutation", x)
        along = normalize_axis(axis, x.ndim)
        return _taken(x, self._order(x.shape[along]), along)

    def shuffle(self, x: GPUArray, axis: int = 0) -> None:
        """Put `x` into a random order along the axis, in place, also where it is a view.

        Unlike ``random.shuffle`` and ``numpy.random.shuffle``, it keeps each row of a GPUArray.
        """
        along = normalize_axis(axis, require_array("shuffle", x).ndim)
        require_writable("shuffle", x, x.shape)
        x[...] = _taken(x, self._order(x.shape[along]), along)

    def permuted(
        self, x: GPUArray, axis: int | None = None, out: GPUArray | None = None
    ) -> GPUArray:
        """Return a copy of `x`, each row along the axis in an order of its own, or all elements.

        With `out`, which may be `x`, it is written there.
        """
        x = self._values("permuted", x)
        if out is not None:
            require_writable("permuted", out, x.shape)
        if axis is None:
            made = _taken(x.reshape(-1), self._order(x.size), 0).reshape(x.shape)
        else:
            along = normalize_axis(axis, x.ndim)
            made = take_along_axis(x, _core._random_order(self._key(), x.shape, along), along)
        if out is None:
            return made
        out[...] = cast_value("permuted: out", made, out._dtype_name, "safe")
        return out

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> GPUArray:
        """Return random elements of `a` along the axis, or of ``arange(a)`` for an integer.

        With replacement they are those that NumPy chooses, but for probabilities on a device, whose
        sums may differ in their last bits. Without it they come in a random order, whatever
        `shuffle`; a small part of a population takes memory for its size alone, and with `p` the
        least of exponential numbers divided by it are chosen (P. S. Efraimidis and P. G. Spirakis
        2006). Probabilities on a device are not checked.
        """
        if isinstance(a, np.ndarray) and a.ndim:
            a = _core.to_device(a, device=self.device)
        a = _number_or_array(a)
        values = None if type(a) is int else self._values("choice", a)
        along = 0 if values is None else normalize_axis(axis, values.ndim)
        population = a if values is None else values.shape[along]
        shape = draw_shape(() if size is None else size)
        count = math.prod(shape)
        if count and population <= 0:
            raise ValueError(
                "a must be a positive integer unless no samples are taken"
                if values is None
                else "a cannot be empty unless no samples are taken"
            )
        if p is not None:
            p = _as_probabilities(p, population, 0 if replace else count)
        if not replace and count > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        index = (
            self._replaced(population, shape, p)
            if replace
            else self._distinct(population, count, p).reshape(shape)
        )
        return index if values is None else _taken(values, index, along)

    def _values(self, what: str, a: Any) -> GPUArray:
        """Return an array, or a list as one on the generator's device; TypeError for all else."""
        return require_array(what, _core._value(what, a, self.device, None))

    def _replaced(
        self, population: int, shape: tuple[int, ...], p: np.ndarray | GPUArray | None
    ) -> GPUArray:
        """Return positions that may repeat, as NumPy finds them."""
        if p is None:
            return self.integers(0, population, size=shape)
        sums = p.cumsum()
        sums = sums / sums[-1]
        numbers = self.random(shape)
        if not isinstance(sums, GPUArray):
            sums = _core.to_device(sums, device=numbers.device)
        return searchsorted(sums, numbers, side="right")

    def _distinct(self, population: int, count: int, p: np.ndarray | GPUArray | None) -> GPUArray:
        """Return `count` distinct positions."""
        if p is None:
            return self._order(population, count)
        waits = self._fill("standard_gamma", (1.0,), ("float64",), ((population,), "float64"))
        if not isinstance(p, GPUArray):
            p = _core.to_device(p, device=waits.device)
        return _core._argsort_rows(waits / p, 0, False, True)[:count].copy()
