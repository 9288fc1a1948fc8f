# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The arguments axes=, axis= and keepdims= of NumPy's generalized ufuncs, such as matmul."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._common.arguments import normalize_axes, or_default, require_array
from gpuarray._core import GPUArray

__all__ = ["KEYWORDS", "along_axes"]

KEYWORDS = ("axes", "axis", "keepdims")


def along_axes(
    ufunc: np.ufunc, function: Callable[..., GPUArray], inputs: tuple[Any, ...], **options: Any
) -> GPUArray:
    """Return the result of a function of the last axes, with NumPy's `options` applied."""
    name = ufunc.__name__
    arrays = [require_array(name, x) for x in inputs]
    keepdims = bool(or_default(options.get("keepdims")))
    counts = _counts(ufunc, arrays)
    if keepdims and name != "vecdot":
        raise TypeError(f"{name}: does not support the keyword keepdims")
    if keepdims:
        counts[-1] = 1
    axes = _axes(name, counts, **{key: options.get(key) for key in ("axes", "axis")})
    moved = [
        _moved(x, _normal(name, entry, count, x.ndim), back=False)
        for x, entry, count in zip(arrays, axes, counts, strict=False)
    ]
    made = function(*moved)
    made = made[..., None] if keepdims else made
    return _moved(made, _normal(name, axes[-1], counts[-1], made.ndim), back=True)


def _counts(ufunc: np.ufunc, arrays: list[GPUArray]) -> list[int]:
    """Return how many core axes each input and the result of the generalized ufunc have."""
    # A vector has one core axis, over which matmul sums, so that the result lacks it.
    if ufunc.__name__ == "matmul":
        counts = [min(x.ndim, 2) for x in arrays]
        return [*counts, max(sum(counts) - 2, 0)]
    inputs, result = str(ufunc.signature).split("->")
    return [part.count(",") + bool(part) for part in (*inputs[1:-1].split("),("), result[1:-1])]


def _axes(name: str, counts: list[int], axes: Any, axis: Any) -> list[Any]:
    if axes is not None and axis is not None:
        raise TypeError(f"{name}: cannot specify both 'axis' and 'axes'")
    if axis is not None:
        if name != "vecdot":
            raise TypeError(f"{name}: axis can only be used with a single shared core dimension")
        return [axis, axis, axis if counts[-1] else ()]
    if axes is None:
        return [tuple(range(-count, 0)) for count in counts]
    if not isinstance(axes, list):
        raise TypeError(f"{name}: axes should be a list, got {type(axes).__name__}")
    if len(axes) == len(counts) - 1 and name == "vecdot":
        return [*axes, -1 if counts[-1] else ()]
    if len(axes) != len(counts):
        raise ValueError(
            f"{name}: axes should be a list with an entry for all {len(counts)} inputs and "
            f"outputs, got {len(axes)}"
        )
    return axes


def _normal(name: str, entry: Any, count: int, ndim: int) -> tuple[int, ...]:
    """Return the axes that an entry of `axes` names; a single axis need not be in a tuple."""
    if not isinstance(entry, tuple):
        entry = (entry,)
    if len(entry) != count:
        raise np.exceptions.AxisError(
            f"{name}: expected {count} axes of this operand, got {entry} in axes"
        )
    return normalize_axes(name, entry, ndim)


def _moved(x: GPUArray, axes: tuple[int, ...], *, back: bool) -> GPUArray:
    """Return a view with these axes moved to the end, or with `back` from there to these places."""
    others = [axis for axis in range(x.ndim) if axis not in axes]
    order = [*others, *axes]
    return x.transpose([order.index(axis) for axis in range(x.ndim)] if back else order)
