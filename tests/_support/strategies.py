# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Hypothesis strategies for arrays, views of them and indices into them."""

import numpy as np
from hypothesis import strategies as st

from .dtypes import DTYPES
from .samples import ordinary

dtypes = st.sampled_from(DTYPES)


def shapes(max_dims=6, max_side=5):
    """Draw shapes of up to `max_dims` axes, some of them empty."""
    return st.lists(st.integers(0, max_side), max_size=max_dims).map(tuple)


@st.composite
def arrays(draw, shape=None, dtype=None):
    """Draw NumPy arrays with random elements that are the same in every run."""
    shape = draw(shapes()) if shape is None else shape
    dtype = draw(dtypes) if dtype is None else dtype
    return ordinary(dtype, shape, seed=draw(st.integers(0, 3)))


def slices(extent):
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    step = st.none() | st.integers(-4, 4).filter(bool)
    return st.builds(slice, bound, bound, step)


@st.composite
def indices(draw, shape, *, scalars=True):
    """Draw a basic index into an array of `shape`: ints, slices, None and an ellipsis."""
    entries = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        choices = [slices(extent)]
        if extent and scalars:
            choices.append(st.integers(-extent, extent - 1))
        entries.append(draw(st.one_of(choices)))
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), ...)
        entries = _fit_after_ellipsis(draw, entries, shape)
    for _ in range(draw(st.integers(0, 2))):
        entries.insert(draw(st.integers(0, len(entries))), None)
    if len(entries) == 1 and draw(st.booleans()):
        return entries[0]
    return tuple(entries)


def _fit_after_ellipsis(draw, entries, shape):
    """Draw the entries after the ellipsis anew, since they belong to the last axes."""
    place = entries.index(...)
    after = len(entries) - place - 1
    tail = [draw(slices(extent)) for extent in shape[len(shape) - after :]] if after else []
    return [*entries[: place + 1], *tail]


@st.composite
def views(draw, array_and_copy):
    """Draw the same view of two arrays of one shape, as a pair (first, second)."""
    first, second = array_and_copy
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            index = draw(indices(first.shape))
            first, second = first[index], second[index]
        else:
            axes = draw(st.permutations(range(first.ndim)))
            first, second = first.transpose(axes), second.transpose(axes)
    return first, second


@st.composite
def broadcastable(draw, shape):
    """Draw a shape that broadcasts to `shape`."""
    kept = shape[draw(st.integers(0, len(shape))) :]
    return tuple(draw(st.sampled_from([1, extent])) for extent in kept)


@st.composite
def index_arrays(draw, extent, shape):
    """Draw integers that index an axis of `extent` > 0."""
    dtype = draw(st.sampled_from([np.int8, np.int32, np.int64, np.uint8]))
    low = 0 if np.dtype(dtype).kind == "u" else -extent
    made = ordinary(np.int64, shape, seed=draw(st.integers(0, 3))) % (extent - low) + low
    return made.astype(dtype)


@st.composite
def keys(draw, shape):
    """Draw a key for an array of `shape` that mixes index arrays and masks with other entries."""
    together = draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    entries, axis = [], 0
    while axis < len(shape) and draw(st.integers(0, 5)):
        kinds = ["slice", "newaxis", "mask", "flag"] + ["array", "array", "integer"] * (
            shape[axis] > 0
        )
        what = draw(st.sampled_from(kinds))
        if what == "slice":
            entries.append(draw(slices(shape[axis])))
        elif what == "newaxis":
            entries.append(None)
        elif what == "flag":
            entries.append(draw(st.sampled_from([True, False, np.True_, np.array(True)])))
        elif what == "integer":
            entries.append(draw(st.integers(-shape[axis], shape[axis] - 1)))
        elif what == "array":
            fitting = draw(broadcastable(together))
            entries.append(draw(index_arrays(shape[axis], fitting)) if fitting else slice(None))
        else:
            ndim = draw(st.integers(1, min(2, len(shape) - axis)))
            entries.append(draw(arrays(shape[axis : axis + ndim], np.bool_)))
            axis += ndim - 1
        axis += what not in ("newaxis", "flag")
    if axis == len(shape) and draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), ...)
    if len(entries) == 1 and draw(st.booleans()):
        return entries[0]
    return tuple(entries)
