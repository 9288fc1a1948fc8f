# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The iterator over the elements of an array in C order, as numpy.ndarray.flat."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._common.arguments import host_value
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange
from gpuarray._indexing.indexing import take

__all__ = ["FlatIterator"]


def _compared(comparison: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compare(self: "FlatIterator", other: Any) -> Any:
        elements = [
            one.base.ravel() if isinstance(one, FlatIterator) else one for one in (self, other)
        ]
        return comparison(*elements)

    return compare


class FlatIterator:
    """The elements of an array in C order, whatever its layout: `a.flat`.

    Reading gives copies: of no dimensions for an integer, of the shape of an array of integers, of
    one dimension for a slice or a mask. Assigning writes to the array, and repeats the values as
    needed.
    """

    __hash__ = None  # type: ignore[assignment]
    __eq__ = _compared(operator.eq)
    __ne__ = _compared(operator.ne)
    __lt__ = _compared(operator.lt)
    __le__ = _compared(operator.le)
    __gt__ = _compared(operator.gt)
    __ge__ = _compared(operator.ge)

    def __init__(self, array: GPUArray) -> None:
        self._base = array
        self._index = 0

    @property
    def base(self) -> GPUArray:
        """The array whose elements these are."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements were iterated over."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices along the axes of the next element."""
        return self._coords(self._index)

    def copy(self) -> GPUArray:
        """Return the elements as a new array of one dimension."""
        return self._base.flatten()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._base.ravel().__array__(dtype, copy)

    def __len__(self) -> int:
        return self._base.size

    def __iter__(self) -> "FlatIterator":
        return self

    def __next__(self) -> GPUArray:
        if self._index >= self._base.size:
            raise StopIteration
        element = self._base[self.coords]
        self._index += 1
        return element

    def __getitem__(self, key: Any) -> GPUArray:
        key = _the_key(key)
        if _is_integer(key):
            return self._base[self._coords(self._position(key))]
        flat = self._base.ravel()
        made = flat[key]
        return made.copy() if made.base is not None else made

    def __setitem__(self, key: Any, value: Any) -> None:
        key = _the_key(key)
        if _is_integer(key):
            self._base[self._coords(self._position(key))] = value
            return
        if key is ... and np.ndim(value) == 0:
            self._base[...] = value
            return
        target = self._base.reshape(-1)
        places = arange(target.size, device=target.device)[key]
        if places.size and np.size(value):
            target[places] = self._repeated(value, places)
        # The target is a copy if the array is not contiguous, and has to be written back.
        if target.ptr != self._base.ptr:
            self._base[...] = target.reshape(self._base.shape)

    def _repeated(self, value: Any, places: GPUArray) -> Any:
        """Return a scalar as it is; repeat any other values to give one for each place."""
        if isinstance(value, FlatIterator):
            value = value.base
        value = host_value("flat", list(value) if isinstance(value, range) else value, self._base)
        if not isinstance(value, GPUArray) or value.size == 1:
            return value.reshape(()) if isinstance(value, GPUArray) else value
        order = arange(places.size, device=places.device) % value.size
        return take(value, order.reshape(places.shape))

    def _position(self, key: Any) -> int:
        index, size = operator.index(key), self._base.size
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for size {size}")
        return index % size

    def _coords(self, index: int) -> tuple[int, ...]:
        made: list[int] = []
        for extent in reversed(self._base.shape[1:]):
            index, along = divmod(index, max(extent, 1))
            made.insert(0, along)
        return (index, *made) if self._base.ndim else ()


def _the_key(key: Any) -> Any:
    """Return the one key of a tuple; IndexError for a key that does not fit one dimension."""
    if isinstance(key, tuple):
        if len(key) > 1:
            raise IndexError(
                "too many indices for flat iterator: flat iterator is 1-dimensional, but "
                f"{len(key)} were indexed"
            )
        key = key[0] if key else ...
    if key is None or isinstance(key, bool | np.bool_):
        raise IndexError(
            "a flat iterator takes integers, slices, ellipsis, arrays of integers and masks, got "
            f"{key}"
        )
    return key


def _is_integer(key: Any) -> bool:
    if isinstance(key, GPUArray | np.ndarray):
        return key.ndim == 0 and np.dtype(key.dtype).kind in "iu"
    return hasattr(key, "__index__")
