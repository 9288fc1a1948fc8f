# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the verbs of a communicator check, and how they pass dtypes to NCCL."""

import operator
from typing import Any

from gpuarray._collectives.library import DTYPES, OPS
from gpuarray._core import Device, GPUArray
from gpuarray.errors import DeviceError

__all__ = [
    "check_array",
    "check_disjoint",
    "check_dtype",
    "check_rank",
    "check_size",
    "reduction",
]

_COMPLEX = {"complex64": "float32", "complex128": "float64"}
# As NumPy's operators of bools: + is or, * is and.
_BOOL_OPS = {"sum": "max", "max": "max", "prod": "min", "min": "min"}


def check_array(
    what: str, name: str, array: Any, device: Device, *, writes: bool = False
) -> GPUArray:
    """Return the array, if NCCL can read, or write, its memory."""
    if not isinstance(array, GPUArray):
        raise TypeError(f"{what}: {name}: expected a GPUArray, got {type(array).__name__}")
    if array.device != device:
        raise DeviceError(
            f"{what}: {name}: expected an array on {device}, the communicator's device,"
            f" got one on {array.device}"
        )
    if array.memory_kind == "pinned":
        raise ValueError(f"{what}: {name}: expected memory of the device, got a pinned array")
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{what}: {name}: expected a C-contiguous array, got shape {array.shape} with strides"
            f" {array.strides}; gpuarray.ascontiguousarray(x) copies it"
        )
    if writes and not array.flags.writeable:
        raise ValueError(f"{what}: {name}: expected an array to write to, got a read-only one")
    return array


def check_dtype(what: str, sent: GPUArray, received: GPUArray) -> None:
    if sent._dtype_name != received._dtype_name:
        raise TypeError(
            f"{what}: out_array: expected dtype {sent._dtype_name}, that of in_array,"
            f" got {received._dtype_name}"
        )


def check_size(what: str, name: str, got: int, expected: int, why: str) -> None:
    if got != expected:
        raise ValueError(f"{what}: {name}: expected {expected} elements ({why}), got {got}")


def check_rank(what: str, name: str, rank: Any, size: int) -> int:
    index = int(operator.index(rank))
    if not 0 <= index < size:
        raise ValueError(f"{what}: expected {name} of 0 to {size - 1}, got {index}")
    return index


def check_disjoint(what: str, whole: GPUArray, part: GPUArray, start: int | None = 0) -> None:
    """Raise ValueError for memory in common, unless `part` begins `start` bytes into `whole`."""
    first, second = whole.ptr, part.ptr
    if start is not None and second == first + start:
        return
    if first < second + part.nbytes and second < first + whole.nbytes:
        raise ValueError(
            f"{what}: in_array and out_array overlap; expected separate memory"
            + ("" if start is None else ", or that of a call in place")
        )


def reduction(what: str, array: GPUArray, op: str) -> tuple[int, int, int]:
    """Return the number of elements, the dtype and the operation as NCCL is to see them."""
    dtype, count = array._dtype_name, array.size
    if op not in OPS:
        raise ValueError(f"{what}: expected op {', '.join(OPS)}, got {op!r}")
    if dtype == "bool":
        if op not in _BOOL_OPS:
            raise TypeError(f"{what}: op {op!r} is not supported for bool; use max or min")
        return count, DTYPES["uint8"], OPS[_BOOL_OPS[op]]
    if dtype in _COMPLEX:
        if op not in ("sum", "avg"):
            raise TypeError(f"{what}: op {op!r} is not supported for {dtype}, only sum and avg")
        return 2 * count, DTYPES[_COMPLEX[dtype]], OPS[op]
    if dtype not in DTYPES:
        raise TypeError(f"{what}: NCCL does not reduce {dtype}; convert with x.astype('int32')")
    if op == "avg" and "int" in dtype:
        raise TypeError(f"{what}: op 'avg' would cut {dtype} to whole numbers; use sum and divide")
    return count, DTYPES[dtype], OPS[op]
