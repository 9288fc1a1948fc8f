# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Views of arrays in the shape that they broadcast to."""

from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import as_extents, broadcast_shapes, require_array
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to"]


@takes_lists
def broadcast_to(array: GPUArray, shape: Any, subok: bool = False) -> GPUArray:
    """Return a read-only view of the array in this shape, with stride 0 along repeated axes.

    ValueError where the array does not broadcast to the shape. `subok` changes nothing.
    """
    require_array("broadcast_to", array)
    target = as_extents(shape)
    added = len(target) - array.ndim
    if added < 0 or any(n not in (1, m) for n, m in zip(array.shape, target[added:], strict=True)):
        raise ValueError(
            f"broadcast_to: an array of shape {array.shape} does not broadcast to {target}"
        )
    strides = (0,) * added + tuple(
        0 if n == 1 else stride for n, stride in zip(array.shape, array.strides, strict=True)
    )
    return _core._as_strided(array, target, strides, 0, False)


@takes_lists
def broadcast_arrays(*args: GPUArray, subok: bool = False) -> tuple[GPUArray, ...]:
    """Return the arrays as views in the shape that all of them broadcast to.

    Those of another shape become read-only. ValueError where the shapes do not broadcast.
    """
    arrays = [require_array("broadcast_arrays", a) for a in args]
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape) for a in arrays)
