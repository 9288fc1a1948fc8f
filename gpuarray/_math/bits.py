# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""packbits() and unpackbits(): bits packed in bytes."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import normalize_axis, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._math.differences import along
from gpuarray._runtime.streams import takes_stream

__all__ = ["packbits", "unpackbits"]


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
    shifts = _shifts("packbits", bitorder, a)
    a, axis = _with_axis(a, axis)
    length = a.shape[axis]
    whole = length // 8 * 8
    if whole != length:
        shape = (*a.shape[:axis], whole + 8, *a.shape[axis + 1 :])
        padded = _core.zeros(shape, bool, device=a.device)
        along(padded, axis, slice(None, length))[...] = _core.not_equal(a, 0)
        a = padded
    shape = (*a.shape[:axis], a.shape[axis] // 8, 8, *a.shape[axis + 1 :])
    values = _core.left_shift(_core.full((), 1, "uint8", device=a.device), shifts)
    bits = _core.where(a.reshape(shape), values.reshape((8,) + (1,) * (a.ndim - 1 - axis)), False)
    return bits.sum(axis + 1, dtype="uint8")


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
    shifts = _shifts("unpackbits", bitorder, a)
    a, axis = _with_axis(a, axis)
    after = (1,) * (a.ndim - 1 - axis)
    shape = (*a.shape[: axis + 1], 1, *a.shape[axis + 1 :])
    shifted = _core.right_shift(a.reshape(shape), shifts.reshape((8, *after)))
    bits = _core.bitwise_and(shifted, 1)
    length = 8 * a.shape[axis]
    bits = bits.reshape((*a.shape[:axis], length, *a.shape[axis + 1 :]))
    if count is None:
        return bits
    if count < -length:
        raise ValueError(f"unpackbits: count {count} is beyond the {length} bits")
    if count <= length:
        return along(bits, axis, slice(None, count)).copy()
    made = _core.zeros((*a.shape[:axis], count, *a.shape[axis + 1 :]), "uint8", device=a.device)
    along(made, axis, slice(None, length))[...] = bits
    return made


def _shifts(what: str, bitorder: str, a: GPUArray) -> GPUArray:
    if bitorder not in ("big", "little"):
        raise ValueError(f"{what}: bitorder must be 'big' or 'little', got {bitorder!r}")
    shifts = _core._arange(8, 0, 1, "uint8", a.device)
    return shifts[::-1] if bitorder == "big" else shifts


def _with_axis(a: GPUArray, axis: Any) -> tuple[GPUArray, int]:
    if axis is None:
        return a.ravel(), 0
    # NumPy takes an array of no dimensions for a row of one element.
    if a.ndim == 0:
        a = a.reshape(1)
    return a, normalize_axis(axis, a.ndim)
