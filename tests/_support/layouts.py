# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device arrays with given elements and every kind of memory layout."""

import numpy as np

import gpuarray

from .samples import ordinary


def pair(dtype, shape, seed=0):
    """The same elements on the host and on the device."""
    values = ordinary(dtype, np.broadcast_shapes(shape), seed)
    return values, gpuarray.to_device(values)


def permuted(dtype, shape, axes, seed=0):
    """Arrays of `shape` whose memory has its axes in the order `axes`."""
    values = ordinary(dtype, [shape[axis] for axis in axes], seed)
    back = np.argsort(axes).tolist()
    return values.transpose(back), gpuarray.to_device(values).transpose(back)


def contiguous(values):
    return gpuarray.to_device(values)


def strided(values):
    """Every second row and third column of a larger array; any number of axes."""
    steps = ([2, 3, 2, 3] + [1] * values.ndim)[: values.ndim]
    base = np.zeros(
        [extent * step for extent, step in zip(values.shape, steps, strict=True)], values.dtype
    )
    where = tuple(slice(None, None, step) for step in steps)
    base[where] = values
    return gpuarray.to_device(base)[where]


def reversed_axes(values):
    """Negative strides along all axes."""
    where = (slice(None, None, -1),) * values.ndim
    return gpuarray.to_device(np.ascontiguousarray(values[where]))[where]


def transposed(values):
    return gpuarray.to_device(np.ascontiguousarray(values.T)).T


def inner(values):
    """The middle of a larger array: rows with gaps, and an offset that spoils alignment."""
    base = np.zeros([extent + 3 for extent in values.shape], values.dtype)
    where = tuple(slice(1, 1 + extent) for extent in values.shape)
    base[where] = values
    return gpuarray.to_device(base)[where]


def like(values):
    """With the values and the order of axes of a dense host array."""
    axes = sorted(range(values.ndim), key=lambda axis: -values.strides[axis])
    return gpuarray.to_device(values.transpose(axes)).transpose(np.argsort(axes).tolist())


ALL = (contiguous, strided, reversed_axes, transposed, inner)

# Layouts of two operands that reach every kind of loop.
TWO = ((contiguous, contiguous), (strided, transposed), (reversed_axes, inner))
