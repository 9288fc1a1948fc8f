# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""r_ and c_: arrays joined from slices, numbers, lists and arrays that are written as an index."""

from typing import Any

import numpy as np

from gpuarray._common.arguments import host_values
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange, linspace
from gpuarray._dtypes.dtype_functions import result_name
from gpuarray._manipulation.manipulation import concatenate

__all__ = ["c_", "r_"]

_SCALARS = (bool, int, float, complex, np.generic)


class _Concatenator:
    """The class of r_ and c_, whose index says what is joined; a str comes first and says how.

    The str has an axis, the least number of dimensions, and the place of the axes that are there
    among those: "axis,ndim,place". What is made lies on the device of the first array.
    """

    def __init__(self, name: str, directive: str) -> None:
        self._name = name
        self._directive = directive

    def __getitem__(self, key: Any) -> GPUArray:
        items = list(key) if isinstance(key, tuple) else [key]
        is_told = bool(items) and isinstance(items[0], str)
        axis, ndim, place = self._layout(items.pop(0) if is_told else self._directive)
        if not items:
            raise ValueError(f"{self._name}: expected something to join, got nothing")
        like = next((item for item in items if isinstance(item, GPUArray)), None)
        parts = [self._part(item, ndim, place, like) for item in items]
        dtype = result_name(
            *(
                item if type(item) in _SCALARS[:4] else part
                for item, part in zip(items, parts, strict=True)
            )
        )
        return concatenate([part.astype(dtype, copy=False) for part in parts], axis)

    def _layout(self, directive: str) -> tuple[int, int, int]:
        """Return the axis, the dimensions and the place that a str names."""
        defaults = self._directive.split(",")
        given = directive.split(",")
        try:
            axis, ndim, place = map(int, (*given, *defaults[len(given) :]))
        except ValueError:
            raise ValueError(
                f"{self._name}: expected a str as '0,2,1', of axis, dimensions and place, "
                f"got {directive!r}"
            ) from None
        return axis, ndim, place

    def _part(self, item: Any, ndim: int, place: int, like: GPUArray | None) -> GPUArray:
        if isinstance(item, str):
            raise ValueError(f"{self._name}: a str must come first, got {item!r} later")
        if isinstance(item, slice):
            made, own = _steps(self._name, item, like), 1
        else:
            made = host_values(self._name, item, like)
            own = made.ndim
        if isinstance(item, _SCALARS):
            return made.reshape((1,) * ndim)
        missing = max(ndim - own, 0)
        made = made.reshape((1,) * missing + made.shape)
        if place == -1 or missing == 0:
            return made
        first = place + missing + 1 if place < 0 else place
        axes = list(range(ndim))
        return made.transpose((*axes[:first], *axes[missing:], *axes[first:missing]))


def _steps(what: str, part: slice, like: GPUArray | None) -> GPUArray:
    """Return start, start + step, ...; an imaginary step is the number of elements instead."""
    device = None if like is None else like.device
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if part.stop is None:
        raise TypeError(f"{what}: a slice must have an end, got {part}")
    if isinstance(step, (complex, np.complexfloating)):
        made: GPUArray = linspace(start, part.stop, int(abs(complex(step))), device=device)
        return made
    return arange(start, part.stop, step, device=device)


r_, c_ = _Concatenator("r_", "0,1,-1"), _Concatenator("c_", "-1,2,0")
