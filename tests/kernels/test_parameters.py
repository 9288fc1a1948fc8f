# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Axes, shapes, counts and quantiles that NumPy refuses are refused, and not rounded or guessed."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray

NO_INTEGERS = [True, 1.0, 1.5, 1j, "1", np.float64(1), np.array(1.0)]

OF_AN_AXIS = {
    "sum": gpuarray.sum,
    "mean": gpuarray.mean,
    "all": gpuarray.all,
    "argmax": gpuarray.argmax,
    "cumsum": gpuarray.cumsum,
    "ptp": gpuarray.ptp,
    "nansum": gpuarray.nansum,
    "count_nonzero": gpuarray.count_nonzero,
    "sort": gpuarray.sort,
    "argsort": gpuarray.argsort,
    "flip": gpuarray.flip,
    "median": gpuarray.median,
    "concatenate": lambda a, axis: gpuarray.concatenate([a, a], axis),
    "append": lambda a, axis: gpuarray.append(a, a, axis),
    "stack": lambda a, axis: gpuarray.stack([a, a], axis),
    "stack by keyword": lambda a, axis: gpuarray.stack([a, a], axis=axis),
    "roll": lambda a, axis: gpuarray.roll(a, 1, axis),
    "diff": lambda a, axis: gpuarray.diff(a, axis=axis),
    "delete": lambda a, axis: gpuarray.delete(a, 0, axis),
    "insert": lambda a, axis: gpuarray.insert(a, 0, 1.0, axis=axis),
    "repeat": lambda a, axis: gpuarray.repeat(a, 2, axis),
    "take": lambda a, axis: gpuarray.take(a, [0], axis),
    "compress": lambda a, axis: gpuarray.compress([True], a, axis),
    "trapezoid": lambda a, axis: gpuarray.trapezoid(a, axis=axis),
    "packbits": lambda a, axis: gpuarray.packbits(a > 1, axis),
    "expand_dims": gpuarray.expand_dims,
    "moveaxis": lambda a, axis: gpuarray.moveaxis(a, axis, 0),
}


@pytest.mark.parametrize("function", OF_AN_AXIS.values(), ids=OF_AN_AXIS)
def test_axes_are_integers(device, function):
    a = gpuarray.ones((3, 4))
    for axis in NO_INTEGERS:
        with pytest.raises(TypeError):
            function(a, axis)
    for axis in (np.int8(1), np.array(1), -1):
        assert_same(function(a, axis), function(a, 1 if axis == 1 else -1).get())


OF_A_SHAPE = {
    "zeros": gpuarray.zeros,
    "ones": gpuarray.ones,
    "empty": gpuarray.empty,
    "full": lambda shape: gpuarray.full(shape, 1.0),
    "full_like": lambda shape: gpuarray.full_like(gpuarray.ones(2), 1.0, shape=shape),
    "resize": lambda shape: gpuarray.resize(gpuarray.ones(2), shape),
    "reshape": lambda shape: gpuarray.ones(1).reshape(shape),
    "broadcast_to": lambda shape: gpuarray.broadcast_to(gpuarray.ones(()), shape),
    "ravel_multi_index": lambda dims: gpuarray.ravel_multi_index([gpuarray.zeros(1, int)], dims),
    "unravel_index": lambda shape: gpuarray.unravel_index(gpuarray.zeros(1, int), shape),
}


@pytest.mark.parametrize("function", OF_A_SHAPE.values(), ids=OF_A_SHAPE)
def test_shapes_are_integers(device, function):
    for extent in NO_INTEGERS:
        with pytest.raises(TypeError):
            function((extent,))
        if extent != "1":
            with pytest.raises(TypeError):
                function(extent)
    for shape in (1, (1,), [1], np.int8(1), (np.int64(1),), np.array([1]), np.array(1)):
        function(shape)


@pytest.mark.parametrize("make", [gpuarray.eye, gpuarray.identity, gpuarray.tri])
def test_sides_of_matrices_are_integers(device, make):
    for side in NO_INTEGERS[1:]:
        with pytest.raises(TypeError):
            make(side)


@pytest.mark.parametrize("split", [gpuarray.split, gpuarray.array_split])
def test_bounds_of_parts_are_integers(device, split):
    for bound in NO_INTEGERS[1:]:
        with pytest.raises(TypeError):
            split(gpuarray.ones(4), [bound])


QUANTILES = ["quantile", "percentile", "nanquantile", "nanpercentile"]


@pytest.mark.parametrize("name", QUANTILES)
def test_quantiles_that_there_are_not(device, name):
    a = gpuarray.to_device([1.0, 2.0, 3.0])
    function = getattr(gpuarray, name)
    for q in (1j, [1j], np.complex64(0), [0.5, 0j], "0.5", ["0.5"], None, [None]):
        with pytest.raises(TypeError):
            function(a, q)
    for q in (-0.1, 100.1, np.nan, [0.5, np.nan], np.inf, [0.5, -1], 2**70):
        with pytest.raises(ValueError, match="range"):
            function(a, q)


@pytest.mark.parametrize("q", [Fraction(1, 4), [Decimal("0.25")]])
def test_quantiles_of_other_numbers(device, q):
    a = gpuarray.to_device([1.0, 2.0, 3.0])
    assert gpuarray.quantile(a, q).reshape(-1).tolist() == [1.5]


def test_correlation_without_dimensions(device):
    row, one = gpuarray.arange(3.0), gpuarray.to_device(2.0)
    for pair in ((row, one), (one, row), (one, one)):
        with pytest.raises(ValueError, match="correlate"):
            gpuarray.correlate(*pair)
    for pair in ((row, one), (one, row)):
        expected = np.convolve(*(x.get() for x in pair))
        assert_same(gpuarray.convolve(*pair), expected)
