# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device arrays with given elements in every kind of memory layout."""

import numpy as np

import gpuarray

from .samples import ordinary


def pair(dtype, shape, seed=0):
    """Return the same elements on the host and on the device."""
    values = ordinary(dtype, np.broadcast_shapes(shape), seed)
    return values, gpuarray.to_device(values)


def permuted(dtype, shape, axes, seed=0):
    """Return host and device arrays of `shape` whose axes lie in memory in the order `axes`."""
    values = ordinary(dtype, [shape[axis] for axis in axes], seed)
    back = np.argsort(axes).tolist()
    return values.transpose(back), gpuarray.to_device(values).transpose(back)


def contiguous(values):
    return gpuarray.to_device(values)


def strided(values):
    """Return every second row and third column of a larger array; any number of axes will do."""
    steps = ([2, 3, 2, 3] + [1] * values.ndim)[: values.ndim]
    base = np.zeros(
        [extent * step for extent, step in zip(values.shape, steps, strict=True)], values.dtype
    )
    where = tuple(slice(None, None, step) for step in steps)
    base[where] = values
    return gpuarray.to_device(base)[where]


def reversed_axes(values):
    """Return an array with negative strides along all axes."""
    where = (slice(None, None, -1),) * values.ndim
    return gpuarray.to_device(np.ascontiguousarray(values[where]))[where]


def transposed(values):
    return gpuarray.to_device(np.ascontiguousarray(values.T)).T


def inner(values):
    """Return the middle of a larger array, which has gaps between rows and an unaligned offset."""
    base = np.zeros([extent + 3 for extent in values.shape], values.dtype)
    where = tuple(slice(1, 1 + extent) for extent in values.shape)
    base[where] = values
    return gpuarray.to_device(base)[where]


def like(values):
    """Return a device array with the values and the order of axes of a dense host array."""
    axes = sorted(range(values.ndim), key=lambda axis: -values.strides[axis])
    return gpuarray.to_device(values.transpose(axes)).transpose(np.argsort(axes).tolist())


ALL = (contiguous, strided, reversed_axes, transposed, inner)

# Two operands in these pairs of layouts reach every kind of loop.
TWO = ((contiguous, contiguous), (strided, transposed), (reversed_axes, inner))
