# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that split an array along an axis into views."""

import operator
from itertools import pairwise
from typing import Any

import numpy as np

from gpuarray._common.arguments import normalize_axis, require_array
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray

__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]


@takes_lists
def unstack(x: GPUArray, /, *, axis: int = 0) -> tuple[GPUArray, ...]:
    """Return views of the slices along an axis, which they have no longer."""
    require_array("unstack", x)
    if x.ndim == 0:
        raise ValueError("unstack: expected at least one dimension, got an array of none")
    before: tuple[Any, ...] = (slice(None),) * normalize_axis(axis, x.ndim)
    return tuple(x[(*before, i)] for i in range(x.shape[len(before)]))


@takes_lists
def array_split(ary: GPUArray, indices_or_sections: Any, axis: int = 0) -> list[GPUArray]:
    """Return views of parts along an axis: a number of nearly equal ones, or between indices."""
    require_array("array_split", ary)
    return _split("array_split", ary, indices_or_sections, axis)


@takes_lists
def split(ary: GPUArray, indices_or_sections: Any, axis: int = 0) -> list[GPUArray]:
    """Return views of parts along an axis: a number of equal ones, or between indices.

    ValueError where the axis does not divide into so many.
    """
    return _equal("split", ary, indices_or_sections, axis)


@takes_lists
def vsplit(ary: GPUArray, indices_or_sections: Any) -> list[GPUArray]:
    """Split along the first axis. ValueError for fewer than two dimensions."""
    return _equal("vsplit", _of_dimensions("vsplit", ary, 2), indices_or_sections, 0)


@takes_lists
def hsplit(ary: GPUArray, indices_or_sections: Any) -> list[GPUArray]:
    """Split along the second axis, or the first where that is the only one."""
    _of_dimensions("hsplit", ary, 1)
    return _equal("hsplit", ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


@takes_lists
def dsplit(ary: GPUArray, indices_or_sections: Any) -> list[GPUArray]:
    """Split along the third axis. ValueError for fewer than three dimensions."""
    return _equal("dsplit", _of_dimensions("dsplit", ary, 3), indices_or_sections, 2)


def _of_dimensions(what: str, ary: Any, least: int) -> GPUArray:
    if require_array(what, ary).ndim < least:
        raise ValueError(f"{what}: expected at least {least} dimensions, got shape {ary.shape}")
    return ary  # type: ignore[no-any-return]


def _equal(what: str, ary: GPUArray, indices_or_sections: Any, axis: int) -> list[GPUArray]:
    require_array(what, ary)
    if not np.iterable(indices_or_sections):
        indices_or_sections = _sections(what, indices_or_sections)
        extent = ary.shape[normalize_axis(axis, ary.ndim)]
        if indices_or_sections == 0 or extent % indices_or_sections:
            raise ValueError(
                f"{what}: an axis of extent {extent} does not divide into "
                f"{indices_or_sections} equal parts"
            )
    return _split(what, ary, indices_or_sections, axis)


def _sections(what: str, number: Any) -> int:
    """Return a number of parts as an int; TypeError for a value that is no number."""
    try:
        return int(number)
    except TypeError:
        got = type(number).__name__
        raise TypeError(f"{what}: expected a number of parts or indices, got {got}") from None


def _split(what: str, ary: GPUArray, indices_or_sections: Any, axis: int) -> list[GPUArray]:
    before = (slice(None),) * normalize_axis(axis, ary.ndim)
    bounds = _bounds(what, indices_or_sections, ary.shape[len(before)])
    return [ary[(*before, slice(start, stop))] for start, stop in pairwise(bounds)]


def _bounds(what: str, indices_or_sections: Any, extent: int) -> list[Any]:
    if np.iterable(indices_or_sections):
        if isinstance(indices_or_sections, GPUArray):
            indices_or_sections = indices_or_sections.get()
        return [0, *(operator.index(index) for index in indices_or_sections), extent]
    sections = _sections(what, indices_or_sections)
    if sections <= 0:
        raise ValueError(f"{what}: number of sections must be larger than 0, got {sections}")
    each, longer = divmod(extent, sections)
    return [each * i + min(i, longer) for i in range(sections + 1)]
