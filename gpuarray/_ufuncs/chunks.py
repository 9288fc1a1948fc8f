# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Chunks of arrays: functions of several steps need memory for copies of one chunk alone."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_of

__all__ = ["CHUNK", "Key", "Mapped", "chunk_shape", "chunks", "is_chunked", "mapped"]

# The most elements of a chunk. It stays in a cache of a CPU; on a GPU its kernels take longer
# than their launches.
CHUNK = {"cpu": 1 << 18, "cuda": 1 << 24}

# The key of a chunk has a slice for each axis.
Key = tuple[slice, ...]


class Mapped:
    """The elements that a function makes of an array's, which exist for a chunk at a time.

    `function` takes a key and returns the elements of that chunk.
    """

    def __init__(self, a: GPUArray, function: Callable[[Any], GPUArray]) -> None:
        self.shape, self.strides, self.size, self.ndim = a.shape, a.strides, a.size, a.ndim
        self.device, self._function = a.device, function
        self._dtype_name = function((slice(0),) * a.ndim)._dtype_name
        self.dtype = dtype_of(self._dtype_name)

    def __getitem__(self, key: Any) -> GPUArray:
        return self._function(key)


def mapped(a: GPUArray, function: Callable[[Any], GPUArray]) -> GPUArray | Mapped:
    """Return what a function makes of the elements of a key: at once if the array is small."""
    return Mapped(a, function) if is_chunked(a) else function(...)


def is_chunked(a: GPUArray | Mapped) -> bool:
    """Return whether the array has more elements than a chunk."""
    return a.size > CHUNK[a.device.kind]


def chunk_shape(a: GPUArray | Mapped, folded: tuple[int, ...]) -> list[int]:
    """Return the extents of the chunks for a reduction or scan along the axes `folded`.

    A chunk has all elements of these axes unless there are too many.
    """
    most, extents = CHUNK[a.device.kind], list(a.shape)
    split = sorted(range(a.ndim), key=lambda axis: -abs(a.strides[axis]))
    # Chunks that hold long axes as a whole would have too few neighbouring elements.
    if math.prod(a.shape[axis] for axis in folded) <= most >> 8:
        split = [axis for axis in split if axis not in folded]
    for axis in split:
        others = math.prod(extents) // extents[axis]
        extents[axis] = max(1, min(extents[axis], most // others))
    return extents


def chunks(shape: tuple[int, ...], extents: list[int]) -> Iterator[Key]:
    """Return the keys of the chunks of these extents, in C order."""
    return itertools.product(
        *(
            [slice(begin, min(begin + step, extent)) for begin in range(0, extent, step)]
            for extent, step in zip(shape, extents, strict=True)
        )
    )
