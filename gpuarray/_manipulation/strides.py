# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Views of an array's memory with other strides."""

from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import as_extents, require_array
from gpuarray._core import GPUArray

__all__ = ["as_strided"]


def as_strided(
    x: GPUArray, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True
) -> GPUArray:
    """Return a view of the memory of `x` with this shape and these strides in bytes.

    It begins where `x` begins; None is what `x` has. ValueError unless all of it lies in the memory
    of `x`, strides are multiples of the itemsize, and there is one for each axis. Elements that the
    view has several times are undefined after a write. `subok` changes nothing.
    """
    require_array("as_strided", x)
    extents = x.shape if shape is None else as_extents(shape)
    steps = x.strides if strides is None else as_extents(strides)
    if len(steps) != len(extents):
        raise ValueError(
            f"as_strided: expected a stride for each of {len(extents)} axes, got {len(steps)}"
        )
    return _core._as_strided(x, extents, steps, 0, writeable and x.flags.writeable)
