# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""packbits() and unpackbits(): bits packed in bytes."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import normalize_axis, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.one_pass import one_pass
from gpuarray._core import GPUArray
from gpuarray._creation.creation import ascontiguousarray
from gpuarray._manipulation.manipulation import moveaxis
from gpuarray._runtime.streams import takes_stream

__all__ = ["packbits", "unpackbits"]

# Eight bytes are computed at once, as a word whose lowest byte is the first.
_ONES = 0x0101010101010101
_HIGHEST_CLEAR = 0x7F7F7F7F7F7F7F7F
# A bit at the number of each byte, counted from the first and from the last one. As a factor it
# brings the lowest bits of all bytes to the highest byte; as a mask it leaves each byte its bit.
_ASCENDING = np.uint64(0x8040201008040201)
_DESCENDING = np.uint64(0x0102040810204080)


@takes_stream
@numpys_on_cpu(np.packbits)
def packbits(a: GPUArray, /, axis: int | None = None, bitorder: str = "big") -> GPUArray:
    """Return whether elements of bools or integers are nonzero, eight in a uint8.

    Along the axis, or of the flattened array; the last byte is filled up with zeros. The first
    element is the highest bit, the lowest with `bitorder` "little".
    """
    require_array("packbits", a)
    if a._dtype_name != "bool" and "int" not in a._dtype_name:
        raise TypeError(f"packbits: expected an array of integers or bools, got {a._dtype_name}")
    factor = _ASCENDING if _is_big("packbits", bitorder) else _DESCENDING
    a, axis = _with_axis(a, axis)
    a = moveaxis(a if a.itemsize == 1 else _core.not_equal(a, 0), axis, -1)
    length = a.shape[-1]
    whole = -(-length // 8) * 8
    if whole != length:
        padded = _core.zeros((*a.shape[:-1], whole), a.dtype, device=a.device)
        padded[..., :length] = a
        a = padded
    return _moved_back(_packed(_words(ascontiguousarray(a)), factor), axis)


@takes_stream
@numpys_on_cpu(np.unpackbits)
def unpackbits(
    a: GPUArray, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> GPUArray:
    """Return the bits of a uint8 array as uint8 zeros and ones, eight along the axis for each.

    Without `axis` the array is flattened. `count` is the number of bits to return: beyond the bits
    there are zeros are added, and a negative `count` leaves out the last bits. `bitorder` is that
    of packbits().
    """
    if require_array("unpackbits", a)._dtype_name != "uint8":
        raise TypeError(f"unpackbits: expected an array of uint8, got {a._dtype_name}")
    mask = _DESCENDING if _is_big("unpackbits", bitorder) else _ASCENDING
    a, axis = _with_axis(a, axis)
    a = ascontiguousarray(moveaxis(a, axis, -1))
    length = 8 * a.shape[-1]
    if count is not None and count < -length:
        raise ValueError(f"unpackbits: count {count} is beyond the {length} bits")
    bits = _unpacked(a, mask).view("uint8")
    if count is not None and count <= length:
        bits = bits[..., :count].copy()
    elif count is not None:
        made = _core.zeros((*a.shape[:-1], count), "uint8", device=a.device)
        made[..., :length] = bits
        bits = made
    return _moved_back(bits, axis)


def _words(a: GPUArray) -> GPUArray:
    try:
        return a.view("uint64")
    except ValueError:  # the bytes are not aligned to words
        return a.copy().view("uint64")


@one_pass
def _packed(words: GPUArray, factor: np.uint64) -> GPUArray:
    gathered = _core.multiply(_nonzero(words), factor)
    return _core.right_shift(gathered, 56).astype("uint8")


@one_pass
def _unpacked(packed: GPUArray, mask: np.uint64) -> GPUArray:
    copies = _core.multiply(packed.astype("uint64"), _ONES)
    return _nonzero(_core.bitwise_and(copies, mask))


def _nonzero(words: GPUArray) -> GPUArray:
    """Return words with 1 in each byte that is not zero."""
    carried = _core.add(_core.bitwise_and(words, _HIGHEST_CLEAR), _HIGHEST_CLEAR)
    return _core.bitwise_and(_core.right_shift(_core.bitwise_or(carried, words), 7), _ONES)


def _moved_back(made: GPUArray, axis: int) -> GPUArray:
    """Return a C-contiguous array whose last axis is moved to `axis`."""
    return ascontiguousarray(moveaxis(made, -1, axis))


def _is_big(what: str, bitorder: str) -> bool:
    if bitorder not in ("big", "little"):
        raise ValueError(f"{what}: bitorder must be 'big' or 'little', got {bitorder!r}")
    return bitorder == "big"


def _with_axis(a: GPUArray, axis: Any) -> tuple[GPUArray, int]:
    if axis is None:
        return a.ravel(), 0
    # NumPy takes an array of no dimensions for a row of one element.
    if a.ndim == 0:
        a = a.reshape(1)
    return a, normalize_axis(axis, a.ndim)
